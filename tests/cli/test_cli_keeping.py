"""`postal purge` and `postal player forget` from the command line, years after a game's end."""

import atexit
import json
import shutil
import tempfile
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest

from postal.bootstrap import open_office
from postal.clock import ManualClock
from postal.resources import CRASH
from postal.service.desk.adjudicate import force_turn
from tests.cli.cli_league import make_folder, new_game, postal, refusal
from tests.service.service_league import START, League, Post

YEARS_AGO = START.replace(year=2020)
NEW = "Player One"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a data folder with a game of years ago, which is over, and a crash of that time."""
    shutil.copytree(made(), tmp_path, dirs_exist_ok=True)
    return tmp_path


@cache
def made() -> Path:
    """Return such a folder that is to be copied: to play a game takes a while."""
    folder = Path(tempfile.mkdtemp(prefix="postal-over-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    make_folder(folder)
    clock = ManualClock(YEARS_AGO)
    with open_office(folder, clock) as office:
        league = League(office.work, clock, Post(clock))
        league.begin()
        league.order_all()
        league.poll()
        while not league.game.finished:
            clock.advance(timedelta(days=7))
            force_turn(office.work, "smith-1")
        league.send()
        (folder / f"{clock.now().strftime(CRASH)}x.txt").write_text("where it happened")
    return folder


def purged(folder: Path, *more: str) -> list[dict[str, object]]:
    """Return what `postal purge --json` prints."""
    result = postal(folder, "purge", "--json", *more)
    assert result.exit_code == 0, result.output
    rows: list[dict[str, object]] = json.loads(result.output)
    return rows


def test_purge_says_what_would_go_and_lets_it_go(folder: Path) -> None:
    """By kind and game, with its size; nothing unless told to."""
    told = purged(folder, "--dry-run")
    assert [(row["kind"], row["game"]) for row in told] == [
        ("mails that came", "smith-1"),
        ("bodies of letters", "smith-1"),
        ("files about crashes", ""),
    ]
    assert [row["count"] for row in told[::2]] == [6, 1]
    assert all(isinstance(row["size"], int) and row["size"] > 0 for row in told)
    shown = postal(folder, "purge")
    assert "That would go; nothing is changed. `postal purge --yes`" in shown.output
    assert str(told[1]["size"]) in shown.output
    assert purged(folder, "--dry-run", "--yes") == purged(folder) == told
    done = postal(folder, "purge", "--yes")
    assert done.output.endswith("That is gone.\n")
    assert purged(folder) == []
    assert postal(folder, "purge").output == "There is nothing that is no longer to be kept.\n"
    assert not list(folder.glob("crash-*"))


def test_the_config_says_how_long(folder: Path) -> None:
    """0 is for ever; less than 30 days is refused."""
    file = folder / "config.toml"
    text = file.read_text("utf-8")
    file.write_text(f"{text}[keep]\nraw_mail = 0\nlogs = 0\n", "utf-8")
    assert [row["kind"] for row in purged(folder)] == ["bodies of letters"]
    file.write_text(f"{text}[keep]\nletters = 29\n", "utf-8")
    assert refusal(postal(folder, "purge"))[1].endswith(
        "keep.letters must be 0, which is for ever, or at least 30 days."
    )


def test_after_a_purge_the_game_is_as_it_was(folder: Path) -> None:
    """It verifies, and its record replays; a mail that is gone says so."""
    before = postal(folder, "export", "smith-1").output
    assert postal(folder, "purge", "--yes").exit_code == 0
    assert postal(folder, "verify", "smith-1").exit_code == 0
    record = folder / "record.json"
    assert postal(folder, "export", "smith-1", "--to", str(record)).exit_code == 0
    assert record.read_text("utf-8") == before
    assert postal(folder, "replay", str(record)).exit_code == 0
    shown = postal(folder, "inbox", "show", "1", "--reveal")
    assert shown.output.endswith("Mail 1 can't be shown: its text is no longer kept.\n")
    assert "was handled" in refusal(postal(folder, "inbox", "reparse", "1"))[1]
    assert "not waiting" in refusal(postal(folder, "outbox", "retry", "1"))[1]


def test_a_person_is_forgotten(folder: Path) -> None:
    """Only with --yes; it says what it can't reach."""
    told = postal(folder, "player", "forget", "Ann", "--as", NEW)
    assert told.exit_code == 0, told.output
    assert told.output.endswith("Nothing is changed. With --yes it is done, and can't be undone.\n")
    assert '"Ann"' in postal(folder, "export", "smith-1").output
    done = postal(folder, "player", "forget", "Ann", "--as", NEW, "--yes")
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"Ann is {NEW} now: 1 address, 1 mail from him and ")
    for words in ("mails that went out", "pages that were published", "records", "backups"):
        assert words in done.output
    record = postal(folder, "export", "smith-1").output
    assert NEW in record
    assert '"Ann"' not in record
    assert postal(folder, "verify", "smith-1").exit_code == 0
    (folder / "record.json").write_text(record, "utf-8")
    assert postal(folder, "replay", str(folder / "record.json")).exit_code == 0
    assert refusal(postal(folder, "player", "forget", "Ann", "--as", "X Y"))[0] == 1


def test_forgetting_prints_json(folder: Path) -> None:
    """With what would go, or has gone, and what is out of reach."""
    facts = json.loads(postal(folder, "player", "forget", "Ann", "--as", NEW, "--json").output)
    assert (facts["done"], facts["name"], facts["games"]) == (False, NEW, ["smith-1"])
    assert len(facts["out_of_reach"]) == 5
    command = ("player", "forget", "#1", "--as", NEW, "--json", "--yes")
    done = json.loads(postal(folder, *command).output)
    assert done == facts | {"done": True}


def test_who_plays_is_not_forgotten(folder: Path) -> None:
    """Nor does anybody get a name that is no name."""
    assert new_game(folder, name="smith-2").exit_code == 0
    code, sentence = refusal(postal(folder, "player", "forget", "Ann", "--as", NEW, "--yes"))
    assert (code, "smith-2, still in play" in sentence) == (1, True)
    assert refusal(postal(folder, "player", "forget", "Ann", "--as", "raise"))[0] == 2
    assert refusal(postal(folder, "player", "forget", "Zoe", "--as", NEW))[0] == 1


@pytest.mark.parametrize("command", [("purge",), ("player", "forget")])
def test_each_has_help(tmp_path: Path, command: tuple[str, ...]) -> None:
    """With its options."""
    result = postal(tmp_path, *command, "--help")
    assert result.exit_code == 0
    assert "--yes" in result.output
