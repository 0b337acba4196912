"""`python -m xoff`."""

from xoff.cli import main

main()
