"""The styles of writing that robots have: a wording, a layout and a habit each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from postal.robots import letters, wording
from postal.robots.letters import Layout
from postal.robots.wording import Wording

Habit = Literal["", "asks", "waits", "corrects", "mistypes", "leaves-out"]
"""What somebody does beside ordering.

``asks`` wants status and orders too; ``waits`` holds the turn, then is ready; ``corrects`` sends a
second mail after a wrong one; ``mistypes`` and ``leaves-out`` notice it by the receipt.
"""


@dataclass(frozen=True, slots=True)
class Style:
    """A way of writing a mail with orders."""

    name: str
    layout: Layout
    wording: Wording = wording.CANONICAL
    habit: Habit = ""


_LOWER = Wording(head="{table} ", lower=True, raises="bet {sum}", card=wording.short_card)
_WORDY = Wording(
    head="Table {table}: ",
    card=wording.word_card,
    between=" and ",
    money=wording.comma_money,
    raises="raise by {sum}",
    gifts="name",
    named=", if stayed expose ",
    suffix=".",
)
_BRIEF = Wording(
    head="{table} ",
    card=wording.suit_first,
    money=wording.bare_thousands,
    raises="r {sum}",
    discards=True,
    shows="show",
    together=True,
    all_fold=True,
    named=" show ",
)
_SIGNS = Wording(
    card=wording.sign_card, money=wording.thousands, raises="raise by {sum}", gifts="name"
)
_BULLETS = Wording(
    head="“{table}” – ",  # noqa: RUF001 - as word processors write it
    prefix="• ",
    card=wording.sign_card,
    between=", ",
    money=wording.thousands,
    all_fold=True,
    shows="show",
)
_NUMBERED = Wording(head="{hand}: ", money=wording.spaced_money, discards=True, shows="turn up")
_SLASHED = Wording(
    head="{table}) ", gifts="slash", money=wording.millions, card=wording.plain_card, all_fold=True
)
_POUNDS = Wording(money=wording.comma_money, raises="raise {sum}", gifts="name", discards=True)

STYLES = {
    style.name: style
    for style in (
        Style("canonical", letters.bare),
        Style("lower-case", letters.encoded, _LOWER),
        Style("chatty", letters.chatty, _WORDY),
        Style("bottom-posted", letters.bottom_posted, _POUNDS),
        Style("inline", letters.inline, _SIGNS),
        Style("gmail", letters.gmail, _NUMBERED),
        Style("html-only", letters.html_only, _SIGNS),
        Style("outlook", letters.outlook_html, _WORDY),
        Style("windows-1252", letters.windows, _POUNDS),
        Style("iphone", letters.iphone, _LOWER),
        Style("one-line", letters.bare, _BRIEF),
        Style("bullets", letters.encoded, _BULLETS),
        Style("german", letters.german, _NUMBERED),
        Style("outlook-german", letters.outlook_german, _SLASHED),
        Style("french", letters.french, _POUNDS),
        Style("flowed", letters.flowed, _WORDY),
        Style("curious", letters.bare, _SLASHED, "asks"),
        Style("hesitant", letters.iphone, _POUNDS, "waits"),
        Style("hasty", letters.gmail, _SIGNS, "corrects"),
        Style("clumsy", letters.windows, _POUNDS, "mistypes"),
        Style("scatterbrained", letters.bottom_posted, _NUMBERED, "leaves-out"),
    )
}
"""The styles by name."""
