"""`postal orders` and `postal adjudicate` over mail servers in memory."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from postal.bootstrap import open_office
from postal.cli import app
from postal.clock import SystemClock
from postal.demo.servers import MailServers
from postal.engine.game import due
from postal.engine.view import view
from postal.ordertext import read_mail
from postal.service.loading import find_game, load_game
from postal.service.records.play import order_context
from postal.store.codec import encode_order
from postal.store.rows import OrderRow, TurnStatus
from tests.cli.cli_league import GM, PASSWORD, SIX, make_folder, new_game, postal, refusal

CARD = re.compile(r"\b(?:10|[2-9JQKA])[CDHS]\b|JKR")


@pytest.fixture
def servers() -> Iterator[MailServers]:
    """Give an IMAP and an SMTP server that know the GM and the players."""
    people = {f"{name.lower()}@example.org": PASSWORD for name in SIX}
    with MailServers({GM: PASSWORD, **people}, SystemClock().now) as servers:
        yield servers


@pytest.fixture
def folder(tmp_path: Path, servers: MailServers) -> Path:
    """Return a data folder with a game."""
    make_folder(tmp_path, servers)
    assert new_game(tmp_path).exit_code == 0
    return tmp_path


def test_orders_tells_who_is_in(folder: Path) -> None:
    """And no card."""
    facts = json.loads(postal(folder, "orders", "smith-1", "--json").stdout)
    assert (facts["turn"], facts["complete"]) == (1, False)
    assert [len(player["missing"]) for player in facts["players"]] == [3] * 6
    text = postal(folder, "orders", "smith-1").output
    assert "orders are missing" in text
    assert not CARD.findall(text)


def test_a_dry_run_changes_nothing(folder: Path) -> None:
    """Asked to, it tells who would be NMR."""
    result = postal(folder, "adjudicate", "smith-1", "--dry-run", "--reveal")
    assert result.exit_code == 0, result.output
    assert "nothing is changed" in result.output
    assert all(name in result.output for name in SIX)
    assert not CARD.findall(result.output)
    assert json.loads(postal(folder, "game", "show", "smith-1", "--json").stdout)["turn"] == 1


def file_examples(folder: Path, most: int) -> None:
    """File what the reports offer as examples, for so many of the hands that are due."""
    with open_office(folder) as office, office.work.database.transaction() as session:
        loaded = load_game(session, find_game(session, "smith-1"))
        turn = loaded.turn
        assert turn is not None
        assert turn.id is not None
        for player, hand in due(loaded.game)[:most]:
            items = view(loaded.game, player).due
            line = next(item.examples[0] for item in items if item.hand == hand)
            (read,) = read_mail(line, order_context(loaded.game, player)).lines
            session.add(
                OrderRow(
                    turn_id=turn.id,
                    seat_id=loaded.seat(player).id,
                    hand=hand,
                    line=read.order.line(),
                    order_json=encode_order(read.order),  # type: ignore[arg-type]  # no example cancels
                    filed_at=office.work.clock.now(),
                )
            )


def test_a_dry_run_tells_no_order_unasked(folder: Path) -> None:
    """Nor who has sent one: only how much there is to do."""
    for _ in range(2):
        file_examples(folder, 18)
        assert postal(folder, "adjudicate", "smith-1").exit_code == 0
    file_examples(folder, 1)
    said = postal(folder, "adjudicate", "smith-1", "--dry-run").output
    assert said == (
        "smith-1: turn 3 would be adjudicated (9 orders due at 9 hands, 8 missing);"
        " nothing is changed or mailed. --reveal shows the rest.\n"
    )
    revealed = postal(folder, "adjudicate", "smith-1", "--dry-run", "--reveal").output
    assert "raise" in revealed


def test_adjudicate_polls_forces_and_sends(folder: Path) -> None:
    """Only the turn meant: the second time it does nothing and says so."""
    result = postal(folder, "adjudicate", "smith-1", "--turn", "1")
    assert result.exit_code == 0, result.output
    assert "turn 1 is adjudicated" in result.output
    assert "14 mails sent" in result.output
    again = postal(folder, "adjudicate", "smith-1", "--turn", "1")
    assert again.exit_code == 0
    assert again.output == "smith-1 is past turn 1, at turn 2: nothing was done.\n"
    code, sentence = refusal(postal(folder, "adjudicate", "smith-1", "--turn", "7"))
    assert (code, "only at turn 2" in sentence) == (1, True)
    assert json.loads(postal(folder, "outbox", "list", "--json").stdout) == []


def test_without_a_mailbox_nothing_is_forced(tmp_path: Path) -> None:
    """10.5: an order may lie there."""
    make_folder(tmp_path)
    assert new_game(tmp_path).exit_code == 0
    code, _ = refusal(postal(tmp_path, "adjudicate", "smith-1"))
    assert code == 1
    assert json.loads(postal(tmp_path, "game", "show", "smith-1", "--json").stdout)["turn"] == 1


def test_a_game_that_is_over_is_left_alone(folder: Path) -> None:
    """Played out by force; its export replays to the same."""
    for _ in range(4):
        result = postal(folder, "adjudicate", "smith-1")
        assert result.exit_code == 0, result.output
        if "is over" in result.output:
            break
    assert "the game is over" in result.output
    again = postal(folder, "adjudicate", "smith-1")
    assert again.output == "smith-1 is over: nothing was done.\n"
    assert postal(folder, "export", "smith-1", "--to", str(folder / "r.json")).exit_code == 0
    assert postal(folder, "replay", str(folder / "r.json")).exit_code == 0


@pytest.mark.parametrize("more", [(), ("--force",)])
def test_a_turn_set_aside_is_put_back_in_play(folder: Path, more: tuple[str, ...]) -> None:
    """And adjudicated before its deadline only where that is asked for, at once or later."""
    with open_office(folder) as office, office.work.database.transaction() as session:
        turn = load_game(session, find_game(session, "smith-1")).turn
        assert turn is not None
        turn.status = TurnStatus.SET_ASIDE
    result = postal(folder, "adjudicate", "smith-1", *more)
    assert result.exit_code == 0, result.output
    assert ("turn 1 is back in play, with its orders." in result.output) == (not more)
    assert ("turn 1 is adjudicated" in result.output) == bool(more)
    if not more:
        assert "turn 1 is adjudicated" in postal(folder, "adjudicate", "smith-1").output


@pytest.mark.parametrize(("answer", "turn"), [("n\n", 1), ("y\n", 2)])
def test_on_a_terminal_it_is_asked_where_somebody_would_be_nmr(
    folder: Path, monkeypatch: pytest.MonkeyPatch, answer: str, turn: int
) -> None:
    """By name; the answer no leaves the turn as it is."""
    file_examples(folder, 16)
    asked = postal(folder, "adjudicate", "smith-1", "--json", "--dry-run", "--reveal")
    names = [f"{name} ({', '.join(at)})" for name, at in json.loads(asked.stdout)["nmr"].items()]
    monkeypatch.setattr("postal.cli.asking.on_terminal", lambda: True)
    command = ["adjudicate", "smith-1", "--data", str(folder)]
    result = CliRunner().invoke(app, command, input=answer)
    assert f"smith-1: in turn 1 {'; '.join(names)} would be NMR. Adj" in result.stderr
    assert result.exit_code == (0 if turn == 2 else 1)
    assert json.loads(postal(folder, "game", "show", "smith-1", "--json").stdout)["turn"] == turn


@pytest.mark.parametrize(("orders", "more"), [(18, []), (0, ["--yes"])])
def test_on_a_terminal_nothing_is_asked_without_need(
    folder: Path, monkeypatch: pytest.MonkeyPatch, orders: int, more: list[str]
) -> None:
    """Where all orders are in, or it is said beforehand."""
    file_examples(folder, orders)
    monkeypatch.setattr("postal.cli.asking.on_terminal", lambda: True)
    result = postal(folder, "adjudicate", "smith-1", *more)
    assert (result.exit_code, result.stderr) == (0, "")


def test_adjudicate_tells_a_program_too(folder: Path) -> None:
    """What would be done, what was done, and that nothing was."""

    def facts(*more: str) -> dict[str, object]:
        result = postal(folder, "adjudicate", "smith-1", "--json", *more)
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)
        assert isinstance(found, dict)
        return found

    file_examples(folder, 15)
    before = facts("--dry-run")
    assert (before["due"], before["hands"], before["missing"]) == (18, 9, 3)
    assert "nmr" not in before
    revealed = facts("--dry-run", "--reveal")
    nmr = revealed["nmr"]
    assert isinstance(nmr, dict)
    assert sum(map(len, nmr.values())) == 3
    done = facts("--turn", "1")
    assert (done["adjudicated"], done["turn"], done["finished"]) == (True, 1, False)
    assert done["nmr"] == nmr
    assert (done["sent"], done["retried"], done["failed"]) == (14, 0, 0)
    assert facts("--turn", "1") == {"game": "smith-1", "turn": None, "adjudicated": False}
