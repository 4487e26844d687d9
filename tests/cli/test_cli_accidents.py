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


def test_a_restore_waits_for_no_daemon(folder: Path) -> None:
    """While `postal run` works on it nothing is replaced."""
    file = folder / "safe.db"
    assert postal(folder, "backup", str(file)).exit_code == 0
    with only_one(f"sqlite:///{folder / 'postal.sqlite3'}", folder):
        code, sentence = refusal(postal(folder, "restore", str(file), "--yes"))
    assert (code, "stop that one first" in sentence) == (1, True)
    assert refusal(postal(folder, "restore", str(folder / "no.db"), "--yes"))[0] == 2
