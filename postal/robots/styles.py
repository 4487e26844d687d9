"""The styles of writing that robots have: a wording, a layout and a habit each."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, overload

from postal.robots import clients_oddities as oddities
from postal.robots import letters, wording
from postal.robots.clients import layout
from postal.robots.clients_table import CLIENTS
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
    language: str = "en"


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


def _by(client: str, language: str = "en") -> Layout:
    return layout(CLIENTS[client], language)


STYLES = {
    style.name: style
    for style in (
        Style("canonical", letters.bare),
        Style("chatty", letters.chatty, _WORDY),
        Style("inline", letters.inline, _SIGNS),
        Style("two-on-a-line", letters.in_pairs, _POUNDS),
        Style("link", letters.by_link),
        Style("no-charset", oddities.without_charset, _POUNDS),
        Style("wrong-charset", oddities.wrong_charset, _POUNDS),
        Style("bogus-charset", oddities.bogus_charset, _SIGNS),
        Style("byte-order-mark", oddities.byte_order_mark, _LOWER),
        Style("zero-width", oddities.zero_width, _WORDY),
        Style("pgp-signed", oddities.pgp_signed, _SLASHED),
        Style("smime-signed", oddities.smime_signed, _SIGNS),
        Style("mailing-list", oddities.through_a_list),
        Style("gmail-web", _by("gmail-web"), _NUMBERED),
        Style("gmail-web-fr", _by("gmail-web", "fr"), _POUNDS, language="fr"),
        Style("gmail-android-es", _by("gmail-android", "es"), _LOWER, language="es"),
        Style("gmail-iphone-pt", _by("gmail-iphone", "pt"), _BRIEF, language="pt"),
        Style("outlook-desktop", _by("outlook-desktop"), _WORDY),
        Style("outlook-desktop-fr", _by("outlook-desktop", "fr"), _NUMBERED, language="fr"),
        Style("outlook-desktop-pl", _by("outlook-desktop", "pl"), _POUNDS, language="pl"),
        Style("outlook-desktop-it", _by("outlook-desktop", "it"), _SLASHED, language="it"),
        Style("outlook-text-de", _by("outlook-text", "de"), _SLASHED, language="de"),
        Style("outlook-web-es", _by("outlook-web", "es"), _SIGNS, language="es"),
        Style("outlook-mobile-pt", _by("outlook-mobile", "pt"), _LOWER, language="pt"),
        Style("outlook-stub", _by("outlook-stub"), _BULLETS),
        Style("exchange-sv", _by("exchange", "sv"), _WORDY, language="sv"),
        Style("apple-mail-it", _by("apple-mail", "it"), _SIGNS, language="it"),
        Style("iphone-mail-nl", _by("iphone-mail", "nl"), _LOWER, language="nl"),
        Style("thunderbird-de", _by("thunderbird-below", "de"), _WORDY, language="de"),
        Style("thunderbird-pl", _by("thunderbird", "pl"), _NUMBERED, language="pl"),
        Style("thunderbird-html-sv", _by("thunderbird-html", "sv"), _BULLETS, language="sv"),
        Style("yahoo-web", _by("yahoo-web"), _POUNDS),
        Style("yahoo-nested", _by("yahoo-nested"), _NUMBERED),
        Style("gmx", _by("gmx", "de"), _NUMBERED, language="de"),
        Style("web.de", _by("web.de", "de"), _POUNDS, language="de"),
        Style("samsung-nl", _by("samsung", "nl"), _LOWER, language="nl"),
        Style("curious", _by("k9"), _SLASHED, "asks"),
        Style("hesitant", _by("yahoo-ios"), _POUNDS, "waits"),
        Style("hasty", _by("protonmail"), _SIGNS, "corrects"),
        Style("clumsy", letters.windows, _POUNDS, "mistypes"),
        Style("scatterbrained", _by("mutt"), _NUMBERED, "leaves-out"),
    )
}
"""The styles by name."""


class Rota(Sequence[Style]):
    """One robot's share of the styles that a whole table of robots goes through together.

    Each further index is the next style of ``ring`` that nobody had, one in a language of
    ``languages`` first; when all were had, it begins anew. ``had`` are those that he got so far.
    """

    def __init__(self, ring: Ring, languages: Sequence[str] = ()) -> None:
        """Take the ring that the robots of a table share, and the languages that he likes."""
        self._ring, self._languages = ring, languages
        self._dealt: dict[int, Style] = {}

    @property
    def had(self) -> tuple[Style, ...]:
        """The styles that he got so far."""
        return tuple(self._dealt.values())

    def __len__(self) -> int:
        """Return more than he will ever use."""
        return sys.maxsize

    @overload
    def __getitem__(self, index: int) -> Style: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Style]: ...
    def __getitem__(self, index: int | slice) -> Style | Sequence[Style]:
        """Return his style of an index, for ever the same; of a slice those that he had."""
        if isinstance(index, slice):
            return self.had[index]
        if index not in self._dealt:
            self._dealt[index] = self._ring.take(self._languages)
        return self._dealt[index]


class Ring:
    """The styles that the robots of one table have not used in this round."""

    def __init__(self, styles: Iterable[Style]) -> None:
        """Take the styles, at least one."""
        self._all = tuple(styles)
        self._left = list(self._all)

    def take(self, languages: Sequence[str] = ()) -> Style:
        """Take the next style away, of one of these languages rather than of another."""
        self._left = self._left or list(self._all)
        liked = (style for style in self._left if style.language in languages)
        taken = next(liked, self._left[0])
        self._left.remove(taken)
        return taken
