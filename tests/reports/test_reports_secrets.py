"""No byte of a mail depends on what its reader may not know (RULES.md 10.3)."""

from dataclasses import replace
from typing import Any

import pytest

from postal.engine.cards import Card, full_pack
from postal.engine.events import Event
from postal.engine.state import Game, Hand, Seat
from postal.engine.view import view
from postal.reports import Rendered, Reports
from tests.reports.playing import EIGHT, FRAME, SECRET, SIX, deal, play, player_mails, reports

MAIL = reports()


def other(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return as many other cards."""
    pack = full_pack(0)
    return tuple(pack[(card.index + 7) % len(pack)] for card in cards)


def with_other_secrets(game: Game, viewer: str, *, pair_only: bool) -> Game:
    """Return the game with all changed that the viewer may not see, packs included."""

    def seat(hand: Hand, held: Seat) -> Seat:
        if held.player == viewer:
            return held
        changed = replace(
            held,
            dealt=other(held.dealt),
            hidden=other(held.hidden),
            discarded=other(held.discarded),
            gave=(),
            got=(),
            named=None if held.named is None else other(held.named),
        )
        foreign = hand.index_of(viewer) is None
        return replace(changed, shown=other(held.shown)) if pair_only and foreign else changed

    hands = tuple(
        replace(hand, seats=tuple(seat(hand, held) for held in hand.seats)) for hand in game.hands
    )
    tables = tuple(replace(table, stock=other(table.stock)) for table in game.tables)
    return replace(game, hands=hands, tables=tables)


def with_other_events(events: tuple[Event, ...], viewer: str) -> tuple[Event, ...]:
    """Return the events without those that the viewer may not know of."""
    return tuple(event for event in events if event.seen_by(viewer))


def every_byte(mail: Rendered) -> tuple[str, str, str]:
    """Return all that is sent."""
    return mail.subject, mail.text, mail.html


@pytest.mark.parametrize(
    ("names", "options"),
    [(SIX, {}), (EIGHT, {"exposed_to": "opponent"}), (SIX, {"reveal": "never"})],
    ids=["all", "opponent", "never opened"],
)
def test_what_a_player_may_not_see_changes_no_byte_of_his_mail(
    names: tuple[str, ...], options: dict[str, Any]
) -> None:
    """Other cards in other hands give the same subject, text and HTML."""
    pair_only = options.get("exposed_to") == "opponent"
    for number, turn in enumerate(play(deal(names, **options), seed=7)):
        viewer = names[number % len(names)]
        opened = turn.after.finished and turn.after.rules.choice("reveal") == "end"
        changed = replace(
            turn,
            before=with_other_secrets(turn.before, viewer, pair_only=pair_only),
            after=turn.after
            if opened
            else with_other_secrets(turn.after, viewer, pair_only=pair_only),
            events=with_other_events(turn.events, viewer),
        )
        mails = zip(
            player_mails(MAIL, turn, viewer), player_mails(MAIL, changed, viewer), strict=True
        )
        for (name, mail), (_, same) in mails:
            assert every_byte(mail) == every_byte(same), name


def test_the_gm_sees_public_facts_alone() -> None:
    """The GM may play in another game or know the players: hidden cards stay out of his mail."""
    for turn in play(deal(), seed=7):
        if turn.after.finished:
            break
        changed = with_other_secrets(turn.after, "nobody", pair_only=False)
        public = tuple(event for event in turn.events if event.seen_by(None))
        mail = MAIL.gm_turn(FRAME, view(turn.after, None), turn.events)
        same = MAIL.gm_turn(FRAME, view(changed, None), public)
        assert every_byte(mail) == every_byte(same)


def test_the_gm_report_refuses_a_players_view() -> None:
    """A player's view would put his cards into the GM's mail."""
    with pytest.raises(ValueError, match="onlooker"):
        MAIL.gm_turn(FRAME, view(deal(), "Joe"), ())


def test_the_secret_is_printed_at_the_end_alone() -> None:
    """Before the end, and where cards are never opened, it stays out though it is handed in."""
    choices: tuple[dict[str, Any], ...] = ({}, {"reveal": "never"})
    for options in choices:
        for turn in play(deal(**options), seed=11):
            mail = MAIL.report(FRAME, view(turn.after, "Joe"), turn.events, secret=SECRET.hex())
            shown = turn.after.finished and not options
            assert (SECRET.hex() in mail.text) is shown
            assert (SECRET.hex() in mail.html) is shown


def test_subjects_are_the_same_for_everybody() -> None:
    """A subject tells no card, and not who owes orders."""
    for turn in play(deal(), seed=3):
        subjects = {
            MAIL.report(FRAME, view(turn.after, player), turn.events).subject for player in SIX
        }
        assert len(subjects) == 1


def test_cards_and_tokens_stay_out_of_reprs() -> None:
    """What lands in a log by mistake holds no secret."""
    turn = next(play(deal(), seed=1))
    mail = Reports.report(MAIL, FRAME, view(turn.after, "Joe"), turn.events)
    assert "Joe" not in repr(mail)
    assert "abcdefghijklmnop" not in repr(FRAME)
