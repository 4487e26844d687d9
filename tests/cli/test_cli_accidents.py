"""Accidents on the command line: backup and restore."""

import json
from pathlib import Path

import pytest

from postal.clock import SystemClock
from postal.demo.servers import MailServers
from postal.store.lock import only_one
from tests.cli.cli_league import GM, PASSWORD, make_folder, new_game, postal, refusal

GAME = "smith-1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a data folder with a game at turn 1."""
    make_folder(tmp_path)
    assert new_game(tmp_path).exit_code == 0
    return tmp_path


def test_a_backup_is_put_back(tmp_path: Path) -> None:
    """What was replaced is kept beside it; a game begun since is named."""
    with MailServers({GM: PASSWORD}, SystemClock().now) as servers:
        folder = make_folder(tmp_path, servers)
        assert new_game(folder).exit_code == 0
        file = tmp_path / "safe.db"
        assert "is copied to" in postal(folder, "backup", str(file)).stdout
        assert refusal(postal(folder, "backup", str(file)))[0] == 2
        assert new_game(folder, name="smith-2").exit_code == 0
        done = json.loads(postal(folder, "restore", str(file), "--yes", "--json").stdout)
        assert done["held"] == []
        assert done["missing_games"] == ["smith-2"]
        assert done["mails"] == 0
        assert Path(done["replaced"]).exists()
        held = postal(folder, "restore", "--yes").stdout
        assert "on hold until `postal resume smith-1`" in held
        seen = json.loads(postal(folder, "resume", GAME, "--json").stdout)["seen"]
        assert "isn't known" in seen[0]
        assert json.loads(postal(folder, "game", "list", "--json").stdout)[0]["game"] == GAME


def test_game_new_echoes_the_players_and_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal, where 'no' starts nothing; a wrong address is told before it asks."""
    folder = make_folder(tmp_path)
    monkeypatch.setattr("postal.cli.asking.on_terminal", lambda: True)
    asked: list[str] = []

    def confirm(question: str, *, err: bool) -> bool:
        asked.append(question)
        return not err

    monkeypatch.setattr("typer.confirm", confirm)
    refused = new_game(folder)
    assert str(refused.exception) == "Nothing was changed."
    assert "ann@example.org" in refused.stdout
    assert json.loads(postal(folder, "game", "list", "--json").stdout) == []
    assert refusal(new_game(folder, players=("Ann", "Bob", "end", "Dan", "Eve", "Fay")))[0] == 2
    assert len(asked) == 1
    begun = json.loads(new_game(folder, "--yes", "--json").stdout)
    assert begun["players"]["Ann"] == "ann@example.org"


def test_orders_are_amended_and_turns_taken_back(folder: Path) -> None:
    """Each says what it did, and wrong use gets a sentence."""
    cards = json.loads(postal(folder, "game", "show", GAME, "--reveal", "--json").stdout)
    assert cards["turn"] == 1
    code, sentence = refusal(postal(folder, "amend", GAME, "A: fold", "--player", "Ann"))
    assert (code, "Nothing was done" in sentence) == (2, True)
    assert refusal(postal(folder, "amend", GAME, "cancel A", "--player", "Zoe"))[0] == 1
    done = json.loads(
        postal(folder, "amend", GAME, "cancel all", "--player", "Ann", "--json").stdout
    )
    assert (done["player"], done["filed"], done["cancelled"]) == ("Ann", [], [])
    assert "For Ann: nothing changed." in (
        postal(folder, "amend", GAME, "cancel all", "--player", "Ann").stdout
    )
    code, sentence = refusal(postal(folder, "rollback", GAME, "--to-turn", "1"))
    assert (code, "none" in sentence) == (2, True)


def test_a_turn_is_taken_back(tmp_path: Path) -> None:
    """What was shown to whom since is told, and who may change what."""
    with MailServers({GM: PASSWORD}, SystemClock().now) as servers:
        folder = make_folder(tmp_path, servers)
        assert new_game(folder).exit_code == 0
        assert postal(folder, "adjudicate", GAME, "--yes").exit_code == 0
        said = postal(folder, "rollback", GAME, "--to-turn", "1", "--open", "Ann:A").stdout
    assert "got 2 of" in said
    assert "The reports of turn 1 were written to Ann" in said
    assert "smith-1 is at turn 1 again." in said
    assert "May change their orders: Ann (A" in said
    rows = json.loads(postal(folder, "log", GAME, "--json").stdout)
    assert [one["more"] for one in rows if one["what"] == "adjudicated"] == ["forced, void by now"]
    assert "1 turn" in postal(folder, "verify", GAME).stdout


def test_a_restore_waits_for_no_daemon(folder: Path) -> None:
    """While `postal run` works on it nothing is replaced."""
    file = folder / "safe.db"
    assert postal(folder, "backup", str(file)).exit_code == 0
    with only_one(f"sqlite:///{folder / 'postal.sqlite3'}", folder):
        code, sentence = refusal(postal(folder, "restore", str(file), "--yes"))
    assert (code, "stop that one first" in sentence) == (1, True)
    assert refusal(postal(folder, "restore", str(folder / "no.db"), "--yes"))[0] == 2
