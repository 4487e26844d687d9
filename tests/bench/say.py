"""Prints a line of a table at once, since a benchmark takes its time."""

import sys


def say(line: str = "") -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
