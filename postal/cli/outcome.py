"""Prints the outcome of a record for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table


def print_outcome(outcome: Mapping[str, Any]) -> None:
    """Print balances, hands, refused lines and NMRs of an outcome (RECORD.md)."""
    # A record's words may look like Rich's own marks.
    console = Console(highlight=False, markup=False, emoji=False, width=100)
    console.print("The game is over." if outcome["finished"] else "The game is not over.")
    balances = Table("Player", "Balance", box=None, pad_edge=False)
    balances.columns[1].justify = "right"
    for player, pounds in sorted(outcome["balances"].items(), key=lambda item: -item[1]):
        balances.add_row(player, money(pounds))
    console.print(balances)
    hands = Table("Hand", "Players", "End", "Pot", "Won by", "Face up", box=None, pad_edge=False)
    hands.columns[3].justify = "right"
    for hand in outcome["hands"]:
        shown = "; ".join(
            f"{player} {' '.join(cards)}" for player, cards in hand["shown"].items() if cards
        )
        end = hand["end"] or "in play"
        winners = " and ".join(hand["winners"])
        players = " and ".join(hand["players"])
        hands.add_row(hand["hand"], players, end, money(hand["pot"]), winners, shown)
    console.print(hands)
    for hand in outcome["hands"]:
        for player, pounds in hand.get("iou", {}).items():
            console.print(f"{hand['hand']}: {player} wrote an IOU of {money(pounds)}.")
    for problem in outcome["problems"]:
        console.print(
            f"Turn {problem['turn']}, {problem['player']}: refused ({problem['code']}):"
            f" {_plain(problem['line'])}"
        )
    for entry in outcome["nmr"]:
        console.print(
            f"Turn {entry['turn']}, {entry['player']}: NMR at {entry['hand']}, {entry['used']}."
        )


def _plain(text: str) -> str:
    """Return a stranger's words without what could steer a terminal."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def money(pounds: int) -> str:
    """Return whole pounds as ``£40,000`` or ``-£150,000``."""
    return f"{'-' if pounds < 0 else ''}£{abs(pounds):,}"
