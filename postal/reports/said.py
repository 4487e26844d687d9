"""Words of one person to others: what a receipt says became of them, and how a report has them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from postal.reports.display import listed, long_time
from postal.reports.words import Press, PressContext, Said, SaidKind
from postal.reports.wrapping import quoted

_SENTENCES: dict[SaidKind, str] = {
    "passed-on": "Your words were passed on to {gm} as your GM, who can answer you directly.",
    "kept-back": "Your mail was not passed on to {gm}: {limit} mails a day are the most. It waits"
    " in the games' mailbox.",
    "press-off": "Nobody can write in the reports of this game, so nothing of it is printed.",
    "press-over": "This game has no further report, so nothing of it is printed.",
    "press-public-only": "In this game what you write in a report goes to all players, so nothing"
    " of it is printed. Leave out the names if all may read it.",
    "press-unknown": "A name was not understood, so nothing of it is printed. You can name {names}"
    " in this game.",
    "press-long": "It is too long for one report, so nothing of it is printed: {limit} characters"
    " and {lines} short lines are the most that a player can have in one.",
    "press-order": "One line of what you wrote for the report would be an order of yours, which all"
    " would read, so nothing of it is printed and no order is taken from it. Put orders below the"
    " line that says end.",
    "press-back": "Your words for the next report are taken back, so they are not printed.",
    "press-none": "Nothing of yours is waiting for the next report, so nothing was taken back.",
    "protest": "Your protest about hand {names} is with {gm} as your GM. The game is on hold until"
    " there is a ruling{until}. The other players are not told who has protested.",
    "protest-words": "A protest holds nothing in this game, so what you wrote was passed on to {gm}"
    " as your GM.",
    "protest-twice": "Your earlier protest is still open, so this one was passed on to {gm} as a"
    " message and no more.",
    "protest-again": "You have protested in this turn before, so this one was passed on to {gm} as"
    " a message and no more.",
    "protest-many": "There are {limit} open protests in this game already, so yours was passed on"
    " to {gm} as a message and no more.",
    "protest-hand": "Your protest names no hand of yours, so it was not taken. You can name {names}"
    " in this game.",
    "protest-over": "This game is over, so your protest was passed on to {gm} as a message and no"
    " more.",
    "protest-back": "Your protest is taken back, and {gm} is told.",
    "protest-none": "No protest of yours is open, so nothing was taken back.",
    "observe": "You get the public reports of {names} from now on.",
    "observe-off": "You get no more public reports of {names} from now on.",
    "observe-none": "The GM lists nobody at your address for such a game: ask the GM first.",
}

MOST_CHARACTERS = 1_500
"""How much a player can have in one report: an HTML mail stays below 102 kB (MAIL.md)."""

MOST_LINES = 40


def said_sentence(said: Said, gm: str, zone: str = "UTC") -> str:
    """Return what became of words of the reader; times are told in ``zone``."""
    if said.kind == "press":
        named = listed(said.names) + " alone" if said.names else "all players"
        hidden = ", without your name" if said.anonymous else ""
        return f"What you wrote goes to {named} in the next report{hidden}."
    link = "or" if said.kind in ("press-unknown", "protest-hand") else "and"
    return _SENTENCES[said.kind].format(
        gm=gm,
        limit=f"{said.limit:,}",
        lines=MOST_LINES,
        names=listed(said.names, link) if said.names else "",
        until=f", or until {long_time(said.until, zone)} at the latest" if said.until else "",
    )


def press_lines(text: str) -> tuple[str, ...]:
    """Return words in pieces, each for a line of its own, without empty ones."""
    return tuple(piece for line in text.splitlines() if line.strip() for piece in quoted(line))


def fits(texts: Iterable[str]) -> bool:
    """Whether one report can hold all these words of one player."""
    held = list(texts)
    lines = sum(len(press_lines(text)) for text in held)
    return sum(map(len, held)) <= MOST_CHARACTERS and lines <= MOST_LINES


def press_contexts(
    press: Sequence[Press], viewer: str | None, gm: str
) -> tuple[tuple[PressContext, ...], tuple[PressContext, ...]]:
    """Return what a reader finds in his report: the GM's words, and the players'.

    Where no writer is named the order tells of none: it follows from the words alone.
    """
    shown = [one for one in press if not one.to or (viewer and viewer in (one.by, *one.to))]
    of_players = [one for one in shown if one.by]
    if any(one.anonymous for one in of_players):
        of_players.sort(key=lambda one: hashlib.sha256(one.text.encode()).digest())
    of_gm = [one for one in shown if not one.by]
    return _contexts(of_gm, viewer, gm), _contexts(of_players, viewer, gm)


def _contexts(press: Iterable[Press], viewer: str | None, gm: str) -> tuple[PressContext, ...]:
    return tuple(PressContext(_heading(one, viewer, gm), press_lines(one.text)) for one in press)


def _heading(one: Press, viewer: str | None, gm: str) -> str:
    if not one.by:
        who = f"{gm}, your GM,"
    elif one.by == viewer and not one.before:
        who = "you"
    else:
        who = "a player" if one.anonymous else one.by
    others = [name for name in one.to if name != viewer]
    names = ["you", *others] if viewer in one.to else others
    to = f"{listed(names)} alone" if names else "all players"
    return f"From {who} to {to}:"
