"""A sample of every mail, from a small game with a fixed deal: shows whether all templates work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import get_args

from postal.engine.book import Book, committed, final
from postal.engine.problems import Fault, Figures, Problem
from postal.engine.rollback import on_file_again, with_seen
from postal.engine.rulefile import option_choices
from postal.engine.rules import Rules
from postal.engine.view import GameView, view
from postal.reports.contexts import (
    Frame,
    Hold,
    HolidayFact,
    OnFile,
    OptionFact,
    PastOrders,
    ReceiptFacts,
    Rendered,
    StandbyStep,
    TakenBack,
)
from postal.reports.environment import TemplateMistakeError
from postal.reports.render import Reports
from postal.reports.sample_game import (
    PLAYERS,
    SECRET,
    SLUG,
    SampleTurn,
    played_turns,
    sample_rules,
)
from postal.reports.words import Press, Said, SaidKind

_READER = PLAYERS[0]

_FRAME = Frame(
    slug=SLUG,
    title="A sample game",
    gm="Grace",
    gm_address="grace@example.org",
    mailbox="gm+abcdefghijklmnop@example.org",
    deadline=datetime(2026, 12, 6, 20, 0, tzinfo=UTC),
    zone="Europe/London",
    commitment="0f" * 32,
    now=datetime(2026, 11, 29, 20, 30, tzinfo=UTC),
    holders={"Bob": "Sue, for Bob"},
    settle=30,
    grace=2,
)
_PLAIN_FRAME = replace(
    _FRAME,
    mailbox="gm@example.org",
    deadline=None,
    reply_subject="sample [#abcdefgh]",
    holders={},
    settle=0,
)


_AWAY = replace(_FRAME, own_zone="America/New_York")


_PRESS = (
    Press("I am on my way to Rome.\nA: fold"),
    Press("Nobody has such luck.\n\nNobody.", _READER),
    Press("Let us beat them.", "Bob", (_READER, "Cat")),
    Press("Who am I?", "Bob", anonymous=True),
)


def sample_mails(reports: Reports) -> Iterator[Rendered]:
    """Yield every kind of mail, of every phase; TemplateMistakeError where a packed one fails."""
    rules = sample_rules()
    yield from _plain_mails(reports, rules)
    for turn in played_turns(rules):
        if turn.before.turn == 1:
            yield reports.report(_FRAME, view(turn.before, _READER))
            yield from _receipts(reports, turn)
        yield from _gm_mails(reports, turn)
        # One player's eyes all along, and everybody else's in turn.
        for player in dict.fromkeys((_READER, PLAYERS[turn.before.turn % len(PLAYERS)])):
            yield from _player_mails(reports, turn, player)


def sample_mistakes(reports: Reports) -> tuple[str, ...]:
    """Return a sentence for each mistake in the templates that compiling or a sample shows."""
    found = dict.fromkeys(reports.mistakes())
    try:
        for mail in sample_mails(reports):
            found |= dict.fromkeys(mail.mistakes)
    except TemplateMistakeError as error:
        found[str(error)] = None
    return tuple(found)


def _plain_mails(reports: Reports, rules: Rules) -> Iterator[Rendered]:
    """Yield the mails that know nothing of the play."""
    says = option_choices(rules.source)
    facts = [OptionFact(key, value, str(says[key]["says"])) for key, value in rules.options.items()]
    for frame in (_FRAME, _PLAIN_FRAME):
        yield reports.help(frame)
        yield reports.hint(frame)
    yield reports.rules(_FRAME, facts)
    yield reports.held(_FRAME, "server")
    yield reports.held(_FRAME, "player")
    yield reports.refused(_FRAME, "senders")
    yield reports.refused(_FRAME, "envelope")
    yield reports.refused(_FRAME, "bulk")
    yield reports.address(_FRAME, _READER, "second@example.org", "confirm")
    yield reports.address(_FRAME, _READER, "second@example.org", "asked")
    yield reports.address(_FRAME, _READER, "second@example.org", "done")
    yield reports.merged(_FRAME, "Ann", "Anne", ["autumn"], here=True)
    yield reports.merged(_FRAME, "Anne", "Ann", ["autumn", "winter"], here=False)
    yield reports.gone(_PLAIN_FRAME, "Joe", "Joe")
    yield reports.gone(_PLAIN_FRAME, "Sue", "Joe", wrote=True)
    for step in get_args(StandbyStep):
        yield reports.standby(_FRAME, "Gus", step, "Joe", _FRAME.deadline)
    yield reports.too_long(_FRAME)
    yield reports.unreadable(_FRAME, "It holds a picture and no text.")
    yield reports.gm_notice(_FRAME, "a notice", ["A sentence.", "Another one."])
    yield reports.gm_notice(_PLAIN_FRAME, "a notice", ["A sentence."], "The words\nof a player")


def _gm_mails(reports: Reports, turn: SampleTurn) -> Iterator[Rendered]:
    seen = view(turn.after, None)
    frame = replace(_FRAME, deadline=None) if turn.after.finished else _FRAME
    yield reports.observer(frame, seen, "Zoe", "report", turn.events, _PRESS)
    for step in ("begun", "off", "removed"):
        yield reports.observer(frame, seen, "Zoe", step)
    if turn.after.finished:
        yield reports.gm_final(replace(_FRAME, deadline=None), seen, turn.events)
    else:
        troubles = ["The mailbox can't be read."]
        yield reports.gm_turn(_FRAME, seen, turn.events, troubles, _PRESS)


def _player_mails(reports: Reports, turn: SampleTurn, player: str) -> Iterator[Rendered]:
    before, after = view(turn.before, player, turn.book), view(turn.after, player)
    number = turn.before.turn
    frame = replace(_FRAME, deadline=None) if turn.after.finished else _FRAME
    for looks in ((), (_FRAME.now,)) if turn.after.finished else ((),):
        press = _PRESS if looks or not turn.after.finished else ()
        secret = SECRET.hex()
        yield reports.report(frame, after, turn.events, secret=secret, looks=looks, press=press)
    yield reports.status(frame, after)
    filed = turn.book.of(player)
    owed = {item.hand for item in before.due}
    needed = committed(turn.before, turn.book, player)
    facts = ReceiptFacts(
        hands=tuple(
            OnFile(
                hand.name,
                hand.name in owed,
                filed[hand.name].line() if filed else None,
                final(turn.before, turn.book, player, hand),
            )
            for hand, _ in turn.before.hands_of(player)
            if not filed or hand.name in filed
        ),
        committed=needed,
        left=turn.before.balances[player] - needed,
    )
    yield reports.receipt(_FRAME, before, facts)
    yield reports.orders_on_file(_FRAME, before, facts)
    yield reports.late(_FRAME, after, number)
    yield reports.late(_FRAME, before, number)
    yield reports.late(_FRAME, before, number + 1)
    told = (Said("passed-on"),)
    yield reports.late(_FRAME, before, number, said=told)
    yield reports.late(_FRAME, before, number, until=_FRAME.now, said=told)
    yield reports.late(_FRAME, after, number, until=_FRAME.now, said=told)
    yield reports.late(_FRAME, before, number + 1, said=told, void=True)
    yield reports.late(_FRAME, before, number, until=_FRAME.now, void=True)
    yield from _table_mails(reports, turn, before, player)


def _table_mails(
    reports: Reports, turn: SampleTurn, before: GameView, player: str
) -> Iterator[Rendered]:
    """Yield what the GM, the calendar and other players have a player told."""
    told, number = (Said("passed-on"),), turn.before.turn
    for why in ("outgoing", "unreached", "outage", "gm"):
        yield reports.deadline(_FRAME, before, _FRAME.now, why)
    held = replace(_FRAME, on_hold=True, hold_until=_FRAME.deadline)
    yield reports.hold(held, before, "begun")
    yield reports.hold(replace(held, hold_until=None), before, "begun")
    yield reports.hold(held, before, "protest")
    yield reports.hold(_FRAME, before, "over")
    yield reports.hold(_FRAME, before, "over", protests=1)
    yield reports.hold(replace(held, hold_until=None), before, "restored")
    if player == _READER:
        yield from _rollbacks(reports, turn, player)
    yield reports.message(_FRAME, before, "Well played.\nA: fold", alone=True)
    yield reports.message(_FRAME, before, "Well played.", alone=False)
    yield reports.abandoned(_FRAME, before, "Too few of us were left.")
    yield reports.abandoned(_FRAME, before)
    yield reports.abandoned(_FRAME, before, said=told)
    yield reports.deadline(_FRAME, before, _FRAME.now, "first")
    yield reports.deadline(_FRAME, before, _FRAME.now, "first", yours=True)
    yield reports.deadline(_FRAME, before, _FRAME.now, "zone")
    asked = [item.hand for item in before.due]
    for hands in (asked, asked[:1]):
        if hands:
            yield reports.reminder(_AWAY, before, hands)
    yield reports.zone(_AWAY, before, known=True)
    yield reports.zone(_AWAY, before, known=False)
    yield reports.deadline(_FRAME, before, _FRAME.now, "holiday")
    yield from _holidays(reports, before)
    yield reports.resign(_FRAME, before, "ask")
    yield reports.resign(_FRAME, before, "done")
    orders = tuple(order.line() for order in turn.book.of(player).values())
    past = (PastOrders(number, orders), PastOrders(number + 1, ()))
    yield reports.seat(_FRAME, before, player, player, past=past)
    yield reports.seat(_FRAME, before, "Bob", "Sue")
    yield reports.seat(_FRAME, before, "Bob", "Robot", robot=True)
    if before.arrived:
        yield reports.gift(_FRAME, before, before.arrived)


def _rollbacks(reports: Reports, turn: SampleTurn, player: str) -> Iterator[Rendered]:
    """Yield the mails that a turn is played again, to one who may change his orders or may not."""
    game, number = with_seen(turn.before, [(turn.before.turn, turn.events)]), turn.before.turn
    for may_change, last, book in (
        (True, number, turn.book),
        (False, number + 2, turn.book),
        (False, number, Book()),
    ):
        again = on_file_again(game, book, lambda *_, may=may_change: may)
        seen, filed = view(game, player, again), again.of(player)
        owed = {item.hand: item.fixed for item in seen.due}
        hands = tuple(
            OnFile(
                hand.name,
                hand.name in owed,
                filed[hand.name].line() if hand.name in filed else None,
                owed.get(hand.name, False),
                owed.get(hand.name, False),
            )
            for hand, _ in game.hands_of(player)
            if not hand.over
        )
        facts = ReceiptFacts(hands, committed(game, again, player), seen.balance)
        yield reports.rolled_back(_FRAME, seen, facts, last)
        yield reports.receipt(_FRAME, seen, facts)


def _holidays(reports: Reports, seen: GameView) -> Iterator[Rendered]:
    """Yield the answers to a player who asks for a holiday, or takes it back."""
    days = (date(2026, 12, 20), date(2027, 1, 3))
    games = [
        HolidayFact("autumn", moves=True, count=15, asked=15),
        HolidayFact("winter", moves=True, count=6, asked=15),
        HolidayFact("spring", moves=True, count=0, asked=15),
        HolidayFact("summer", moves=False, count=15, asked=15),
    ]
    yield reports.holiday(_FRAME, seen, "noted", days, games)
    yield reports.holiday(_FRAME, seen, "over", days)
    yield reports.holiday(_FRAME, seen, "long", days)
    yield reports.holiday(_FRAME, seen, "ended")
    yield reports.holiday(_FRAME, seen, "none")


def _receipts(reports: Reports, turn: SampleTurn) -> Iterator[Rendered]:
    """Yield the receipts of mails with which something was odd."""
    seen = view(turn.before, _READER)
    missing = tuple(OnFile(item.hand, due=True, line=None) for item in seen.due)
    nothing = ReceiptFacts(missing, committed=0, left=seen.balance, nothing=True, files_unread=True)
    plain = replace(nothing, said=(Said("passed-on"),))
    quiet = OnFile(seen.due[0].hand, due=False, line=None)
    odd = ReceiptFacts(
        hands=(quiet, *missing[1:]),
        committed=0,
        left=seen.balance,
        problems=_PROBLEMS,
        cut=("A: fold", "B: fold"),
        taken_back=(TakenBack("A1", "A: fold"), TakenBack("A1", "A: stay", of_the_mail=True)),
        lost=("B1",),
        replaced=("C1",),
        hold=Hold("missing", _FRAME.deadline),
        assumed=("A1",),
        said=tuple(Said(kind, ("Bob", "Cat"), 3, _FRAME.deadline) for kind in get_args(SaidKind)),
    )
    ready = replace(odd, problems=(), hold=None, ready=True)
    vain = replace(ready, ready=False, waits_in_vain=True)
    filed = tuple(OnFile(item.hand, due=True, line=item.examples[0]) for item in seen.due)
    complete = ReceiptFacts(filed, committed=0, left=seen.balance, problems=_PROBLEMS)
    waits = [replace(complete, hold=Hold(why, _FRAME.deadline)) for why in ("asked", "trouble")]
    earlier = replace(complete, hold=Hold("earlier", _FRAME.deadline), hands=(quiet,))
    by_gm = replace(complete, problems=(), by_gm=True)
    for facts in (by_gm, nothing, plain, odd, ready, vain, complete, *waits, earlier):
        yield reports.receipt(_FRAME, seen, facts)
        yield reports.orders_on_file(_PLAIN_FRAME, seen, facts)


_PROBLEMS = (
    Problem(Fault.NO_SUM, line="A: raise", number=1, instead=("A: stay",)),
    Problem(
        Fault.SECOND_ORDER,
        Figures(text="b stay"),
        ("A: fold", "B: stay"),
        "A1",
        "A fold, B stay",
        number=1,
        further=("B1",),
    ),
    Problem(Fault.FURTHER_LINES, Figures(given=3)),
    Problem(
        Fault.OVER_LIMIT,
        Figures(amount=60_000, limit=50_000, verbs=("raise", "fold")),
        ("B: raise 50000",),
        hand="B1",
        line="B: raise 60000",
        number=2,
    ),
    Problem(
        Fault.EXPOSE_NOT_NEXT,
        Figures(verb="raise"),
        hand="C1",
        line="C: raise 1 expose 2C",
        number=3,
    ),
)
