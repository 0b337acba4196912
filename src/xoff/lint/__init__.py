"""The linter: classes in force, carrying ports, rules, folding, causes, coverage."""
