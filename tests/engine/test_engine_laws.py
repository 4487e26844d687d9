"""Laws that hold in every game: money, cards, replay, an end, and who may know what."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from postal.engine.cards import Card, full_pack
from postal.engine.events import (
    Anted,
    Called,
    Event,
    HandOver,
    IouClosed,
    IouWritten,
    Nmr,
    Raised,
    Stayed,
)
from postal.engine.game import TableSetup, awaited, due, start
from postal.engine.orders import Bet, Cancel, Expose, Gift, Give, Keep, Line, Order
from postal.engine.rules import GivePhase, Rules
from postal.engine.state import Game
from postal.engine.view import view
from tests.engine.engine_games import PLAYERS, smith
from tests.engine.engine_random import OPTIONS, Mails, Turn, played, replayed, setups

GAMES = st.fixed_dictionaries(OPTIONS).filter(
    lambda options: options["nmr_limit"] or options["check_limit"]
)
SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.sampled_from([6, 6, 8])

quick = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def balances_after(turn: Turn) -> dict[str, int]:
    """Return the balances that a turn's events make of those before it."""
    balances = dict(turn.before.balances)
    for event in turn.events:
        match event:
            case Anted(player=player, amount=amount) | Stayed(player=player, amount=amount):
                balances[player] -= amount
            case Called(player=player, amount=amount):
                balances[player] -= amount
            case Raised(player=player, equalled=equalled, amount=amount):
                balances[player] -= equalled + amount
            case HandOver(winners=winners, pot=pot, share=share):
                assert share * len(winners) == pot
                for winner in winners:
                    balances[winner] += share
            case _:
                continue
    return balances


def check_money(turn: Turn) -> None:
    """Nothing is made or lost, and the events account for every pound (8.1, 8.6)."""
    after = turn.after
    assert after is not None
    assert after.total == after.rules.start_money * len(after.players)
    assert dict(after.balances) == balances_after(turn)
    assert all(hand.pot >= 0 and (hand.pot == 0 or not hand.over) for hand in after.hands)
    check_ious(turn)


def check_ious(turn: Turn) -> None:
    """Only what the option names writes IOUs; each is told when it is settled (8.3, 8.4)."""
    assert turn.after is not None
    stays = turn.before.rules.choice("iou") == "stay-and-call"
    for earlier, event in zip(turn.events, turn.events[1:], strict=False):
        if isinstance(event, IouWritten):
            assert isinstance(earlier, Called | Stayed if stays else Called)
            assert earlier.player == event.player
            assert 0 < event.amount <= earlier.amount
    for hand in turn.after.hands:
        if hand.over and not turn.before.hand(hand.name).over:
            closed = [
                (event.player, event.amount)
                for event in turn.events
                if isinstance(event, IouClosed) and event.hand == hand.name
            ]
            assert closed == [(seat.player, seat.iou) for seat in hand.seats if seat.iou]


def check_cards(game: Game) -> None:
    """Every card of each table's pack is in one place, and players hold as many as they should."""
    for table in game.tables:
        held = Counter(table.stock)
        for hand in game.hands:
            if hand.table == table.letter:
                for seat in hand.seats:
                    cards = seat.hidden + seat.shown + seat.discarded
                    assert len(cards) == len(seat.dealt) == game.rules.dealt
                    held.update(cards)
        assert held == Counter(full_pack(game.rules.jokers))


def check_orders(turn: Turn) -> None:
    """What was sent is used, and a default only where nothing was (9.2, 9.3)."""
    filed = {(entry.player, entry.hand) for entry in turn.book.filed}
    asked = set(due(turn.before))
    assert filed <= asked
    assert set(awaited(turn.before, turn.book)) <= asked - filed
    defaults = {(event.player, event.hand) for event in turn.events if isinstance(event, Nmr)}
    assert not defaults & filed
    assert asked - filed <= defaults


@quick
@given(players=SIZES, options=GAMES, seed=SEEDS, tidy=st.booleans())
def test_laws_of_a_whole_game(
    players: int,
    options: dict[str, Any],
    seed: int,
    tidy: bool,  # noqa: FBT001 - hypothesis draws it
) -> None:
    """Money adds up, cards stay, what was sent is used, and every game ends the same again."""
    rules = smith(players, **options)
    turns: list[Turn] = []
    for turn in played(rules, seed, tidy=tidy):
        assert turn.after is not None
        check_money(turn)
        check_cards(turn.after)
        check_orders(turn)
        assert turn.after.turn == turn.before.turn + 1
        turns.append(turn)
        assert len(turns) < 40, "the game does not end"
    again = start(rules, PLAYERS[:players], setups(rules, seed))
    for turn, other in zip(turns, replayed(again, [turn.mails for turn in turns]), strict=True):
        assert other.taken == turn.taken
        assert other.events == turn.events
        assert other.after == turn.after


def cards_in(thing: object) -> Iterator[Card]:
    """Yield every card that a value holds, however deep."""
    if isinstance(thing, Card):
        yield thing
    elif is_dataclass(thing):
        for item in fields(thing):
            yield from cards_in(getattr(thing, item.name))
    elif isinstance(thing, tuple):
        for inner in thing:
            yield from cards_in(inner)


def known(turns: list[Turn], viewer: str) -> dict[str, set[Card]]:
    """Return the cards that a player has seen at each table in his views and events."""
    found: dict[str, set[Card]] = {table.letter: set() for table in turns[0].before.tables}
    for turn in turns:
        assert turn.after is not None
        for game in (turn.before, turn.after):
            for table in view(game, viewer, turn.book if game is turn.before else None).tables:
                found[table.letter].update(cards_in(table))
        for event in turn.events:
            if event.hand and event.seen_by(viewer):
                found[event.hand[0]].update(cards_in(event))
    return found


Swaps = dict[str, dict[Card, Card]]


def swaps(rng: random.Random, seen: dict[str, set[Card]], *, in_rank: bool) -> Swaps:
    """Return for each table a shuffle of the cards that were not seen; jokers stay jokers.

    ``in_rank``: only cards of one rank change places, so that no showing changes its worth.
    """
    result: Swaps = {}
    for table, cards in seen.items():
        mapping: dict[Card, Card] = {}
        for ranks in [[rank] for rank in range(2, 15)] if in_rank else [list(range(2, 15))]:
            unseen = [card for card in full_pack(0) if card.rank in ranks and card not in cards]
            mapping.update(zip(unseen, rng.sample(unseen, len(unseen)), strict=True))
        result[table] = mapping
    return result


def swapped(order: Order | Cancel, mapping: Mapping[str, Mapping[Card, Card]]) -> Order | Cancel:
    """Return an order with its cards changed."""
    change = mapping.get(order.table, {})

    def new(cards: tuple[Card, ...]) -> tuple[Card, ...]:
        return tuple(change.get(card, card) for card in cards)

    match order:
        case Give(gifts=gifts):
            return replace(order, gifts=tuple(Gift(gift.to, new(gift.cards)) for gift in gifts))
        case Keep(cards=cards, expose=expose):
            return replace(order, cards=new(cards), expose=new(expose))
        case Expose(cards=cards):
            return replace(order, cards=new(cards))
        case Bet(expose=expose):
            return replace(order, expose=new(expose))
        case _:
            return order


def retold(rules: Rules, seed: int, turns: list[Turn], mapping: Swaps) -> Iterator[Turn]:
    """Play the same game again, with the unseen cards changed in packs and orders."""
    tables = [
        TableSetup(
            table.letter,
            table.players,
            tuple(mapping[table.letter].get(card, card) for card in table.pack),
        )
        for table in setups(rules, seed)
    ]
    mails: list[Mails] = []
    for turn in turns:
        changed = [
            (player, tuple(Line("", 1, swapped(line.order, mapping)) for line in mail))
            for player, mail in turn.mails
        ]
        mails.append(tuple(changed))
    return replayed(start(rules, PLAYERS[: rules.players], tables), mails)


def visible(events: tuple[Event, ...], viewer: str) -> list[Event]:
    """Return the events that a player may see."""
    return [event for event in events if event.seen_by(viewer)]


@quick
@given(
    players=SIZES,
    options=GAMES,
    seed=SEEDS,
    viewer=st.sampled_from(PLAYERS[:6]),
    length=st.integers(1, 8),
)
def test_10_3_what_a_player_may_not_see_changes_nothing_for_him(
    players: int, options: dict[str, Any], seed: int, viewer: str, length: int
) -> None:
    """With all unseen cards changed, his views and events stay the same to the last card."""
    rules = smith(players, **{**options, "reveal": "never", "nmr_limit": 0, "check_limit": 4})
    turns = [turn for turn, _ in zip(played(rules, seed, tidy=True), range(length), strict=False)]
    opponent = rules.choice("exposed_to") == "opponent"
    seen = known(turns, viewer)
    mapping = swaps(random.Random(seed), seen, in_rank=opponent)
    assert any(old != new for table in mapping.values() for old, new in table.items())
    for turn, other in zip(turns, retold(rules, seed, turns, mapping), strict=True):
        assert turn.after is not None
        assert other.after is not None
        winners = [hand.winners for hand in turn.after.hands]
        # Who wins a call between others is public, and a flush may hang on a card unseen.
        assume([hand.winners for hand in other.after.hands] == winners)
        assert view(other.before, viewer, other.book) == view(turn.before, viewer, turn.book)
        assert visible(other.events, viewer) == visible(turn.events, viewer)
        assert view(other.after, viewer) == view(turn.after, viewer)
        assert view(other.after, None) == view(turn.after, None)


@quick
@given(players=SIZES, options=GAMES, seed=SEEDS, viewer=st.sampled_from(PLAYERS[:6]))
def test_10_3_what_others_have_on_file_changes_nothing_for_him(
    players: int, options: dict[str, Any], seed: int, viewer: str
) -> None:
    """View and answers are the same whatever others have ordered, but for gifts by post."""
    rules = smith(players, **options)
    for turn in played(rules, seed, tidy=False):
        phases = {type(turn.before.phase_of(hand)) for hand in turn.before.hands}
        if rules.choice("exchange") == "post" and GivePhase in phases:
            continue
        own = tuple(mail for mail in turn.mails if mail[0] == viewer)
        (alone,) = replayed(turn.before, [own])
        with_all = [
            taken for mail, taken in zip(turn.mails, turn.taken, strict=True) if mail[0] == viewer
        ]
        for one, other in zip(alone.taken, with_all, strict=True):
            assert one.accepted == other.accepted
            assert one.problems == other.problems
            assert (one.cancelled, one.lost) == (other.cancelled, other.lost)
        assert view(turn.before, viewer, turn.book) == view(turn.before, viewer, alone.book)
