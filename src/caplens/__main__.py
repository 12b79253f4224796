"""``python -m caplens``."""

from caplens.cli import main

main()
