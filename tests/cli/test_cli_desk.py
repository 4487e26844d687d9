"""The GM's desk on the command line: status, hold, resume, extend, deadline, message, log."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.cli_league import make_folder, new_game, postal, refusal

GAME = "smith-1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a data folder with a game at turn 1."""
    make_folder(tmp_path)
    assert new_game(tmp_path).exit_code == 0
    return tmp_path


def facts(folder: Path, *arguments: str) -> Any:
    """Return what a command prints as JSON."""
    result = postal(folder, *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_status_shows_the_games_and_what_is_wrong(folder: Path) -> None:
    """Nobody polls here, which is a problem: exit status 1 for a monitor."""
    shown = postal(folder, "status").stdout
    assert GAME in shown
    assert "Fay" in shown
    checked = postal(folder, "status", "--check")
    assert checked.exit_code == 1
    assert "is `postal run` at work?" in checked.stdout
    assert facts(folder, "status")["games"][0]["turn"] == 1


def test_hold_and_resume(folder: Path) -> None:
    """Each says what it did; the second time it is refused."""
    assert "`postal resume smith-1` ends that" in postal(folder, "hold", GAME).stdout
    assert refusal(postal(folder, "hold", GAME))[0] == 1
    assert facts(folder, "status")["games"][0]["state"] == "on hold"
    assert "goes on; its deadline is" in postal(folder, "resume", GAME).stdout
    assert refusal(postal(folder, "resume", GAME))[0] == 1
    assert facts(folder, "hold", GAME, "--until", "3d")["hold_until"]
    code, sentence = refusal(postal(folder, "hold", GAME, "--until", "soon"))
    assert (code, "write 2d" in sentence) == (2, True)


def test_deadlines(folder: Path) -> None:
    """Later, earlier, and what is no moment."""
    before = facts(folder, "status")["games"][0]["deadline"]
    assert facts(folder, "extend", GAME, "--by", "2d")["deadline"] > before
    assert facts(folder, "deadline", GAME, "1d")["deadline"] < before
    for wrong in ("1999-01-01", "tomorrow-ish", "0d"):
        assert refusal(postal(folder, "deadline", GAME, wrong))[0] == 2
    assert refusal(postal(folder, "extend", "nowhere", "--by", "2d"))[0] == 1


def test_messages(folder: Path) -> None:
    """To all, to one; not to somebody who isn't there."""
    assert "6 mails in the outbox" in postal(folder, "message", GAME, "Hello").stdout
    assert facts(folder, "message", GAME, "Hello", "--player", "Ann")["mails"] == 1
    assert refusal(postal(folder, "message", GAME, "Hello", "--player", "Zoe"))[0] == 1


def test_words_for_the_next_report(folder: Path) -> None:
    """They are taken back while it isn't written; wrong use gets one sentence."""
    said = postal(folder, "message", GAME, "Back on Monday.", "--with-report").stdout
    assert "It will stand in the next report" in said
    assert refusal(postal(folder, "message", GAME, "x" * 2_000, "--with-report"))[0] == 2
    assert refusal(postal(folder, "message", GAME, "--with-report"))[0] == 2
    assert refusal(postal(folder, "message", GAME, "Oh", "--cancel"))[0] == 2
    assert facts(folder, "message", GAME, "--cancel")["taken_back"] == 1
    assert facts(folder, "message", GAME, "--cancel")["taken_back"] == 0
    assert [one["what"] for one in facts(folder, "log", GAME)][1:] == ["message", "message"]


def test_without_a_protest_there_is_nothing_to_show(folder: Path) -> None:
    """And no look is noted for it."""
    assert facts(folder, "protest", "list", GAME) == []
    assert "Nobody has protested" in postal(folder, "protest", "list", GAME).stdout
    assert refusal(postal(folder, "protest", "show", GAME, "A1"))[0] == 1
    assert refusal(postal(folder, "protest", "list", "nowhere"))[0] == 1
    assert not [one for one in facts(folder, "log", GAME) if one["what"] == "look"]


def test_looks_at_hidden_things_stand_in_the_log(folder: Path) -> None:
    """However they were had; what is public is no look."""
    for arguments in (
        ("game", "show", GAME),
        ("game", "show", GAME, "--reveal"),
        ("orders", GAME),
        ("orders", GAME, "--reveal"),
        ("adjudicate", GAME, "--dry-run", "--reveal"),
        ("export", GAME, "--sealed"),
        ("log", GAME, "--reveal"),
    ):
        assert postal(folder, *arguments).exit_code == 0
    looks = [one for one in facts(folder, "log", GAME) if one["what"] == "look"]
    assert len(looks) == 5


def test_a_game_that_is_given_up_is_listed_as_such(folder: Path) -> None:
    """And is in play no more."""
    assert "given up" in postal(folder, "game", "abandon", GAME, "--text", "Sorry.").stdout
    assert facts(folder, "game", "list")[0]["status"] == "abandoned"
    assert facts(folder, "status")["games"] == []
    assert refusal(postal(folder, "game", "abandon", GAME))[0] == 1


def test_observers(folder: Path) -> None:
    """Listed, shown and taken off again; wrong use gets one sentence."""
    said = postal(folder, "observer", "add", GAME, "Zoe <zoe@example.org>").stdout
    assert "Zoe gets the public reports" in said
    assert [one["name"] for one in facts(folder, "observer", "list", GAME)] == ["Zoe"]
    assert refusal(postal(folder, "observer", "add", GAME, "Zoe <zoe@example.org>"))[0] == 1
    assert refusal(postal(folder, "observer", "add", GAME, "Zoe"))[0] == 2
    assert facts(folder, "observer", "remove", GAME, "Zoe")["name"] == "Zoe"
    assert refusal(postal(folder, "observer", "remove", GAME, "Zoe"))[0] == 1
    assert "Nobody looks on" in postal(folder, "observer", "list", GAME).stdout


@pytest.mark.parametrize("who", ["observer", "standby"])
def test_a_person_without_an_address_is_refused_by_that_word(folder: Path, who: str) -> None:
    """No option is named that the command hasn't."""
    code, sentence = refusal(postal(folder, who, "add", "smith-1", "Gus", "--yes"))
    assert (code, sentence) == (2, "'Gus': write 'Name <name@example.org>'.")
