"""How people put an order into words: cards, sums, tables and verbs in many spellings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from postal.engine.cards import Card
from postal.engine.orders import Bet, Cancel, Discard, Expose, Give, Keep, LimitRaise, Order
from postal.engine.words import DIRECTIONS

_RANKS = {
    2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine",
    10: "ten", 11: "jack", 12: "queen", 13: "king", 14: "ace",
}  # fmt: skip
_SUITS = ("clubs", "diamonds", "hearts", "spades")
_SIGNS = "♣♦♥♠"

CardSpelling = Callable[[Card], str]
MoneySpelling = Callable[[int], str]


def plain_card(card: Card) -> str:
    """Write ``10H``."""
    return str(card)


def short_card(card: Card) -> str:
    """Write ``TH``."""
    return str(card).replace("10", "T")


def suit_first(card: Card) -> str:
    """Write ``H10``."""
    text = str(card)
    return "Joker" if card.is_joker else f"{text[-1]}{text[:-1]}"


def sign_card(card: Card) -> str:
    """Write ``10♥``."""
    return "🃏" if card.is_joker else f"{str(card)[:-1]}{_SIGNS[card.suit]}"


def word_card(card: Card) -> str:
    """Write ``ten of hearts``."""
    return "joker" if card.is_joker else f"{_RANKS[card.rank]} of {_SUITS[card.suit]}"


def plain_money(pounds: int) -> str:
    """Write ``40000``."""
    return str(pounds)


def comma_money(pounds: int) -> str:
    """Write ``£40,000``."""
    return f"£{pounds:,}"


def spaced_money(pounds: int) -> str:
    """Write ``40 000``."""
    return f"{pounds:,}".replace(",", " ")


def thousands(pounds: int) -> str:
    """Write ``£40k``, or ``£40,500`` for what is no whole number of thousands."""
    return f"£{pounds // 1000}k" if pounds % 1000 == 0 else comma_money(pounds)


def bare_thousands(pounds: int) -> str:
    """Write ``40 k``, or ``40500`` for what is no whole number of thousands."""
    return f"{pounds // 1000} k" if pounds % 1000 == 0 else plain_money(pounds)


def millions(pounds: int) -> str:
    """Write ``0.04m``."""
    return f"{pounds / 1_000_000:.6f}".rstrip("0") + "m"


@dataclass(frozen=True, slots=True)
class Wording:
    """One person's way with words.

    ``head`` is what stands before the verb, with ``{table}`` and ``{hand}``; ``raises`` a raise,
    with ``{sum}``. ``gifts`` says who gets what: by ``direction``, by ``name``, or the cards alone
    parted by a slash. ``discards`` names what he lays off. ``named`` stands before a card that is
    named ahead of time, ``shows`` is his verb for turning up. ``together`` puts all orders on one
    line, ``all_fold`` has one line for folding everywhere, ``lower`` knows no capitals.
    """

    head: str = "{table}: "
    card: CardSpelling = plain_card
    between: str = " "
    money: MoneySpelling = plain_money
    raises: str = "raise {sum}"
    gifts: Literal["direction", "name", "slash"] = "direction"
    discards: bool = False
    named: str = " expose "
    shows: str = "expose"
    together: bool = False
    all_fold: bool = False
    lower: bool = False
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """An order and what is needed to say it: hand, neighbours by seats onward, cards held."""

    order: Order
    hand: str
    neighbours: Mapping[int, str]
    held: Sequence[Card]


def lines(said: Sequence[Said], wording: Wording) -> list[tuple[str, str]]:
    """Return the lines of a mail's orders, each with the table that it is for, in order.

    A line for several tables has that of the first.
    """
    if not said:
        return []
    folds = [one for one in said if isinstance(one.order, Bet) and one.order.verb == "fold"]
    if wording.all_fold and len(folds) == len(said) > 1:
        return [(said[0].order.table, "all: fold")]
    spoken = [(one.order.table, line(one, wording)) for one in said]
    if wording.together:
        return [(spoken[0][0], "; ".join(text for _, text in spoken))]
    return spoken


def line(said: Said, wording: Wording) -> str:
    """Return one order as he would write it."""
    head = wording.head.format(table=said.order.table, hand=said.hand)
    text = f"{wording.prefix}{head}{_saying(said, wording)}{wording.suffix}"
    return text.lower() if wording.lower else text


def _saying(said: Said, wording: Wording) -> str:
    match said.order:
        case Give() as give:
            return _give(give, said, wording)
        case Keep(cards=cards, expose=expose):
            shown = f"{wording.shows} {_cards(expose, wording)}"
            if not wording.discards:
                return f"keep {_cards(cards, wording)} {shown}"
            laid_off = list(said.held)
            for card in cards:
                laid_off.remove(card)
            return f"discard {_cards(laid_off, wording)}, {shown}"
        case Expose(cards=cards):
            return f"{wording.shows} {_cards(cards, wording)}"
        case Bet() as bet:
            return _bet(bet, wording)
        case Discard() as discard:
            raise ValueError(f"a robot keeps, it never discards: {discard.table}")
        case LimitRaise() as raised:
            raise ValueError(f"a robot raises by a sum: {raised.table}")


def _give(give: Give, said: Said, wording: Wording) -> str:
    gifts = [(gift.to, _cards(gift.cards, wording)) for gift in give.gifts]
    # The form with a slash has the next seat's cards first and no third receiver.
    if wording.gifts == "slash" and [to for to, _ in gifts] == [1, -1]:
        return " / ".join(cards for _, cards in gifts)
    if wording.gifts == "name":
        parts = [f"{cards} to {said.neighbours.get(to, DIRECTIONS[to])}" for to, cards in gifts]
    else:
        parts = [f"{cards} {DIRECTIONS[to]}" for to, cards in gifts]
    return f"give {', '.join(parts)}"


def _bet(bet: Bet, wording: Wording) -> str:
    text = bet.verb if bet.verb != "raise" else wording.raises.format(sum=wording.money(bet.amount))
    return f"{text}{wording.named}{_cards(bet.expose, wording)}" if bet.expose else text


def _cards(cards: Sequence[Card], wording: Wording) -> str:
    return wording.between.join(map(wording.card, cards))


CANONICAL = Wording()
"""The language of orders itself, which the reports print."""


def canonical(orders: Sequence[Order | Cancel]) -> list[tuple[str, str]]:
    """Return the canonical line of each order, with its table."""
    return [(order.table, order.line()) for order in orders]
