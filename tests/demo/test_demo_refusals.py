"""``postal demo``: what it will not touch, and what it needs."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from postal.cli import app
from postal.demo.folder import MailFiles, clear_folder, take_folder
from postal.errors import PostalError, UsageError


def test_a_folder_with_other_things_in_it_is_refused(tmp_path: Path) -> None:
    """And so is a file."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").write_text("years of work")
    for into in (other, other / "thesis.tex"):
        result = CliRunner().invoke(app, ["demo", "--into", str(into)])
        assert isinstance(result.exception, UsageError)
        assert "name another with --into" in str(result.exception)
    assert [path.name for path in other.iterdir()] == ["thesis.tex"]


def test_seven_players_are_refused(tmp_path: Path) -> None:
    """As in any game (RULES.md 1.1)."""
    result = CliRunner().invoke(app, ["demo", "--players", "7", "--into", str(tmp_path / "x")])
    assert isinstance(result.exception, UsageError)
    assert not (tmp_path / "x").exists()


def test_a_missing_extra_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to install."""
    for name in [name for name in sys.modules if name.startswith("postal.demo")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "aiosmtpd.smtp", None)
    result = CliRunner().invoke(app, ["demo"])
    assert isinstance(result.exception, PostalError)
    assert "pip install 'postal-anaconda[demo]'" in str(result.exception)


def test_an_earlier_demo_is_replaced_and_nothing_else_is_touched(tmp_path: Path) -> None:
    """What somebody put beside it stays."""
    take_folder(tmp_path)
    clear_folder(tmp_path)
    old = MailFiles(tmp_path).keep("Mary Ann", "sent", b"Subject: Re: demo: turn 1\r\n\r\n")
    assert old.relative_to(tmp_path).as_posix() == "mail/mary-ann/001-sent-re-demo-turn-1.eml"
    (tmp_path / "notes.txt").write_text("mine")
    take_folder(tmp_path)
    clear_folder(tmp_path)
    assert not old.exists()
    assert (tmp_path / "notes.txt").read_text() == "mine"
