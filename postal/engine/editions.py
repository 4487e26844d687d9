"""The editions of RULES.md: a game is played, verified and replayed under its own to its end.

The few rulings in which editions differ are asked of this module, each by its clause.
"""

from __future__ import annotations

EDITIONS = (1,)
"""Every edition that a game may have begun under. 1: the program up to 0.1.0."""

NEWEST = EDITIONS[-1]
"""The edition that a new game begins under."""
