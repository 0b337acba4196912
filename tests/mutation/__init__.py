"""Mutants of rendered configurations: what a linter that missed them would be worth."""
