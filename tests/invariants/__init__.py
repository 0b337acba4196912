"""The five invariants of the plan, over every NOS and every example."""
