"""Prints what the GM asks for as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from postal.cli.outcome import money

_WIDEST = 10_000
"""How wide a table may be where there is no terminal whose lines have an end."""


def print_rows(rows: Sequence[Mapping[str, Any]], nothing: str) -> None:
    """Print rows of one kind, their keys as headings, or a sentence where there are none.

    Nothing is cut: on a terminal cells go on in a further line, elsewhere a row is one line.
    """
    console = _console()
    if not rows:
        console.print(nothing)
        return
    table = Table(box=None, pad_edge=False)
    for key in rows[0]:
        table.add_column(key.replace("_", " "), overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    console.print(table)


def print_game(facts: Mapping[str, Any]) -> None:
    """Print a game: its players by balance, then every hand."""
    console = _console()
    console.print(f"{facts['game']}: {facts['rules']}, {facts['status']}, turn {facts['turn']}")
    if facts["deadline"]:
        console.print(f"deadline {when(facts['deadline'])}", soft_wrap=True)
        console.print(f"turns end {facts['calendar']}", soft_wrap=True)
    players = sorted(facts["players"], key=lambda player: -player["balance"])
    print_rows(
        [
            {
                "player": _player(player),
                "address": player["address"],
                "balance": money(player["balance"]),
                "": "dropped" if player["dropped"] else "",
            }
            for player in players
        ],
        "",
    )
    console.print()
    print_rows([_hand(hand) for hand in facts["hands"]], "")


def _player(player: Mapping[str, Any]) -> str:
    """Return a player's name as his mails show it: ``Sue, for Joe`` who holds Joe's seat."""
    name, holder = str(player["name"]), str(player["holder"])
    return name if holder == name else f"{holder}, for {name}"


def _console() -> Console:
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _WIDEST
    return console


def when(moment: str | None) -> str:
    """Return a moment of the overview, ISO and UTC, as people write it."""
    return f"{moment[:16].replace('T', ' ')} UTC" if moment else "none"


def _hand(hand: Mapping[str, Any]) -> dict[str, str]:
    cards = []
    for seat in hand["seats"]:
        words = [seat["player"], seat["shown"]]
        if seat.get("hidden"):
            words.append(f"(hidden {seat['hidden']})")
        cards.append(" ".join(word for word in words if word))
    end = hand["end"] or hand["stage"]
    return {
        "hand": hand["hand"],
        "stage": f"over: {end}" if hand["end"] else end,
        "pot": money(hand["pot"]),
        "to act": " and ".join(hand["to_act"]),
        "won by": " and ".join(hand["winners"]),
        "cards": "; ".join(cards),
    }


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(map(str, value))
    return str(value)
