"""Nobody learns from any byte of his mails, or the log, what he may not know (RULES.md 10.3)."""

import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from postal.engine.view import view
from postal.resources import templates_path
from postal.store.rows import TurnRow
from postal.store.turns import last_turns
from tests.service.conftest import opened
from tests.service.service_league import HOUR, SECRET, League, ViewersReports, parsed

CARD = re.compile(r"\b(?:10|[2-9JQKA])[CDHS]\b|JKR")
Stages = Mapping[str, tuple[Path, datetime]]


def for_viewer(league: League, viewer: str) -> League:
    """Return the league with real mails for one player: those of others are nothing to him."""
    mails = ViewersReports(templates_path(Path("nowhere")))
    mails.viewer = viewer
    return replace(league, work=replace(league.work, reports=mails))


def disguise(league: League, viewer: str) -> None:
    """Deal anew what lies face down before others and in the packs, as the viewer can't know."""
    loaded = league.loaded()
    with league.database.transaction() as session:
        turn, _ = last_turns(session, loaded.id)
        assert turn is not None
        state = json.loads(turn.state or "")
        for table in state["tables"]:
            seats = [
                seat
                for hand in state["hands"]
                if hand["table"] == table["letter"]
                for seat in hand["seats"]
                if seat["player"] != viewer
            ]
            dealt_anew(table, seats, viewer)
        turn.state = json.dumps(state)


def dealt_anew(table: dict[str, Any], seats: list[dict[str, Any]], viewer: str) -> None:
    """Turn the unknown cards of a table round by five places, gifts to the viewer kept."""
    places = [(seat, key) for seat in seats for key in ("hidden", "discarded")]
    held = [card for seat, key in places for card in seat[key]] + table["stock"]
    turned = held[5:] + held[:5]
    assert turned != held
    for seat, key in places:
        seat[key], turned = turned[: len(seat[key])], turned[len(seat[key]) :]
        seat["gave"] = [gift for gift in seat["gave"] if gift["player"] == viewer]
        seat["got"] = [gift for gift in seat["got"] if gift["player"] == viewer]
        seat["dealt"] = [*seat["hidden"], *seat["shown"]]
    table["stock"] = turned


def bets(league: League, viewer: str, *, other: bool) -> None:
    """Let everybody bet: the same bets, but others name other cards to expose and err otherwise."""
    game = league.game
    for player in league.players:
        lines = []
        for item in view(game, player).due:
            verb = "raise 5000" if "raise" in item.verbs and game.turn < 5 else "fold"
            hidden = next(
                seat.hidden or ()
                for _, hand, seat in view(game, player).mine()
                if hand.name == item.hand
            )
            named = (
                f" expose {hidden[0 if other or player == viewer else 1]}" if game.turn < 5 else ""
            )
            lines.append(f"{item.table}: {verb}{named}")
        if player != viewer:
            lines.append("Z: fold" if other else "A: raise 7, please")
        league.write(player, "\n".join(lines) + "\n")


def betting_mails(stages: Stages, folder: Path, viewer: str, *, other: bool) -> list[bytes]:
    """Play a stage from the first bets to the folds; return every mail to the viewer."""
    folder.mkdir()
    league = for_viewer(opened(stages["betting"], folder), viewer)
    if other:
        disguise(league, viewer)
    before = len(league.outbox())
    league.write(viewer, "status\nresend\norders\nrules\n")
    league.poll()
    for _ in range(3):
        bets(league, viewer, other=other)
        league.poll()
        league.write(viewer, "status\n")
        league.clock.advance(HOUR * 24 * 8)
        league.poll()
        assert len(league.due()) == 1
    mails = [row for row in league.outbox()[before:] if row.player == viewer]
    assert mails[-1].kind == "final"
    # The last opens every card (10.4).
    found = [row.raw or b"" for row in mails[:-1]]
    league.database.close()
    return found


def test_no_byte_tells_of_cards_face_down(stages: Stages, tmp_path: Path) -> None:
    """Others' hidden cards, discards, gifts, packs and named cards, and their mistakes."""
    viewer = "Dan"
    one = betting_mails(stages, tmp_path / "one", viewer, other=False)
    two = betting_mails(stages, tmp_path / "two", viewer, other=True)
    assert len(one) > 6
    assert one == two


def give_mails(stages: Stages, folder: Path, viewer: str, *, other: bool) -> list[bytes]:
    """Play turn 1; with ``other`` the cards of all who are no neighbours are others."""
    folder.mkdir()
    league = for_viewer(opened(stages["dealt"], folder), viewer)
    if other:
        with league.database.transaction() as session:
            turn = session.get(TurnRow, 1)
            assert turn is not None
            state = json.loads(turn.state or "")
            for place, table in enumerate(league.game.tables):
                near = {viewer, table.neighbour(viewer, 1), table.neighbour(viewer, -1)}
                seats = [
                    seat
                    for hand in state["hands"]
                    if hand["table"] == table.letter
                    for seat in hand["seats"]
                    if seat["player"] not in near
                ]
                held = [card for seat in seats for card in seat["hidden"]]
                held += state["tables"][place]["stock"]
                turned = held[9:] + held[:9]
                for seat in seats:
                    seat["hidden"] = seat["dealt"] = turned[:7]
                    turned = turned[7:]
                state["tables"][place]["stock"] = turned
            turn.state = json.dumps(state)
    league.order_all()
    league.poll()
    league.write(viewer, "status\n")
    league.poll()
    league.clock.advance(HOUR)
    assert len(league.due()) == 1
    found = [row.raw or b"" for row in league.outbox(viewer)]
    league.database.close()
    return found


def test_no_byte_tells_of_gifts_between_others(stages: Stages, tmp_path: Path) -> None:
    """2.5: nobody else knows them."""
    one = give_mails(stages, tmp_path / "one", "Cat", other=False)
    assert one == give_mails(stages, tmp_path / "two", "Cat", other=True)
    assert len(one) == 4


def before_the_turn(stages: Stages, folder: Path, others: Callable[[str], str]) -> list[bytes]:
    """Return Ann's mails when the others have written what they have."""
    folder.mkdir()
    league = for_viewer(opened(stages["dealt"], folder), "Ann")
    for player in league.players[1:]:
        league.write(player, others(view(league.game, player).due[0].examples[0]))
    league.write("Ann", "status\norders\n")
    league.poll()
    found = [row.raw or b"" for row in league.outbox("Ann")]
    league.database.close()
    return found


def test_no_byte_tells_who_has_ordered(stages: Stages, tmp_path: Path) -> None:
    """10.3."""
    ordered = before_the_turn(stages, tmp_path / "ordered", lambda line: line)
    assert ordered == before_the_turn(stages, tmp_path / "not", lambda _: "A: fold")
    assert ordered == before_the_turn(stages, tmp_path / "wait", lambda _: "wait")


def test_the_log_holds_no_card_and_no_token(
    dealt: League, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor do the reprs of what is handed about."""
    with caplog.at_level(logging.DEBUG):
        dealt.order_all("Fay")
        dealt.write("Fay", "A: give AS AS next, AS previous\nA: raise to 60000\n")
        dealt.poll()
        dealt.clock.advance(HOUR * 24 * 8)
        dealt.poll()
        (done,) = dealt.due()
        dealt.send()
    seen = caplog.text + repr(done) + repr(dealt.loaded()) + repr(dealt.work)
    seen += repr(dealt.mails()) + repr(dealt.outbox()) + repr(dealt.turns())
    tokens = [dealt.token(player, turn) for player in dealt.players for turn in (1, 2)]
    assert not [token for token in tokens if token in seen.lower()]
    assert not CARD.findall(seen)
    assert SECRET.hex() not in seen
    assert repr(bytes(32)) not in seen
    assert "mail in" in caplog.text


def test_no_subject_holds_a_card(betting: League) -> None:
    """Of any mail."""
    subjects = " ".join(str(parsed(row.raw)["Subject"]) for row in betting.outbox())
    assert not CARD.findall(subjects)


def test_the_gms_reports_hold_no_hidden_card(betting: League) -> None:
    """The GM may play too: what is face down is shown to him on demand alone."""
    (report,) = [row for row in betting.outbox("", "gm") if row.turn == 2]
    shown = {str(card) for hand in betting.game.hands for seat in hand.seats for card in seat.shown}
    assert set(CARD.findall((report.raw or b"").decode())) <= shown
