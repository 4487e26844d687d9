"""`postal game`: starting a game, and everything that is refused in a sentence, storing nothing."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.cli_league import GM, SIX, make_folder, new_game, postal, refusal

CARD = re.compile(r"\b(?:10|[2-9JQKA])[CDHS]\b|JKR")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a data folder with a config."""
    return make_folder(tmp_path)


def games(folder: Path) -> list[dict[str, object]]:
    """Return the games there are."""
    result = postal(folder, "game", "list", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert isinstance(found, list)
    return found


def test_a_game_is_started_listed_and_shown(folder: Path) -> None:
    """Hidden cards only with --reveal."""
    assert "no game yet" in postal(folder, "game", "list").output
    result = new_game(folder, "--option", "check_limit=6", "--turn-length", "3", "--hour", "9")
    assert result.exit_code == 0, result.output
    assert "begun with 6 players" in result.output
    (game,) = games(folder)
    assert (game["game"], game["status"], game["turn"]) == ("smith-1", "running", 1)
    assert "smith-1" in postal(folder, "game", "list").output
    shown = postal(folder, "game", "show", "smith-1", "--json")
    facts = json.loads(shown.stdout)
    assert facts["options"]["check_limit"] == 6
    assert [player["name"] for player in facts["players"]] == list(SIX)
    assert len(facts["hands"]) == 9
    assert not CARD.findall(shown.output + postal(folder, "game", "show", "smith-1").output)
    revealed = json.loads(postal(folder, "game", "show", "smith-1", "--json", "--reveal").stdout)
    assert all(len(CARD.findall(s["hidden"])) == 7 for h in revealed["hands"] for s in h["seats"])
    assert CARD.findall(postal(folder, "game", "show", "smith-1", "--reveal").output)


def test_a_game_has_the_calendar_that_is_asked_for(folder: Path) -> None:
    """By options, each over the config's own; it is echoed and shown."""
    with (folder / "config.toml").open("a") as config:
        config.write('[game]\nevery = "tue,fri"\nquiet = "12-25"\nmin_hours = 6\n')
    result = new_game(
        folder, "--turn-length", "7,7,3", "--minute", "30", "--grace", "2", "--remind", "48"
    )
    assert result.exit_code == 0, result.output
    told = "after 7, 7, 3 days by stage at 20:30 (Europe/London), 6 hours or more after the report"
    assert f"Turns end {told}, not on 12-25." in result.output
    facts = json.loads(postal(folder, "game", "show", "smith-1", "--json").stdout)
    assert facts["options"]["grace"] == 2
    assert facts["calendar"] == f"{told}, not on 12-25"
    assert "7, 7, 3 days" in postal(folder, "game", "show", "smith-1").output


def test_a_secret_decides_seats_and_cards(folder: Path) -> None:
    """The same secret and name give the same game."""
    (folder / "secret").write_text("07" * 32 + "\n")
    shows = []
    for place in ("one", "two"):
        (folder / place).mkdir()
        make_folder(folder / place)
        assert new_game(folder / place, "--secret-file", str(folder / "secret")).exit_code == 0
        shows.append(postal(folder / place, "game", "show", "smith-1", "--json", "--reveal").stdout)
    facts = [json.loads(show)["hands"] for show in shows]
    assert facts[0] == facts[1]


def with_players(*people: str) -> Callable[[Path], object]:
    """Return the start of a game for these."""
    return lambda folder: postal(
        folder, "game", "new", "g", *[part for one in people for part in ("--player", one)]
    )


FIVE = [f"{name} <{name.lower()}@example.org>" for name in SIX[:5]]
REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "seven players": (lambda f: new_game(f, players=(*SIX, "Gus")), "6 or 8"),
    "one player": (with_players(FIVE[0]), "6 or 8"),
    "an address twice": (with_players(*FIVE, "Fay <ANN@example.org>"), "twice"),
    "a name twice": (with_players(*FIVE, "ANN <f@example.org>"), "two players"),
    "a name twice but for spaces": (
        with_players(*FIVE[:4], "Jo X <g@example.org>", "Jo  X <h@example.org>"),
        "two players",
    ),
    "a player called next": (with_players(*FIVE, "next <f@example.org>"), "next"),
    "a player called All": (with_players(*FIVE, "All <f@example.org>"), "All"),
    "a name with a mark": (with_players(*FIVE, "f:fold <f@example.org>"), "f:fold"),
    "a name without end": (with_players(*FIVE, f"{'f' * 31} <f@example.org>"), "30"),
    "an address that is none": (with_players(*FIVE, "Fay <f at example.org>"), "no mail address"),
    "no address": (with_players(*FIVE, "Fay"), "Name <name@example.org>"),
    "the games' own mailbox": (with_players(*FIVE, f"Fay <{GM}>"), "own mailbox"),
    "the mailbox with a plus": (with_players(*FIVE, "Fay <GM+f@example.org>"), "own mailbox"),
    "an unknown option": (lambda f: new_game(f, "--option", "nonsense=1"), "nonsense"),
    "an option without a value": (lambda f: new_game(f, "--option", "ante"), "KEY=VALUE"),
    "an option's word": (lambda f: new_game(f, "--option", "iou=never"), "iou"),
    "an option's figure": (lambda f: new_game(f, "--option", "check_limit=1"), "check_limit"),
    "too little money": (lambda f: new_game(f, "--option", "start_money=59999"), "start_money"),
    "no such rules": (lambda f: new_game(f, "--rules", "nonsense"), "there are: smith"),
    "rules elsewhere": (lambda f: new_game(f, "--rules", "../games/smith"), "no game file"),
    "an option given twice": (
        lambda f: new_game(f, "--option", "ante=1", "--option", "ante=2"),
        "ante is given twice",
    ),
    "a bad name": (lambda f: new_game(f, name="Smith 1"), "no name for a game"),
    "an hour too late": (lambda f: new_game(f, "--hour", "24"), "--hour must be at most 23"),
    "a turn of no length": (lambda f: new_game(f, "--turn-length", "0"), "--turn-length"),
    "a length beside weekdays": (
        lambda f: new_game(f, "--turn-length", "3", "--every", "fri"),
        "--turn-length or --every, not both",
    ),
    "no such weekday": (
        lambda f: new_game(f, "--every", "payday"),
        "--every must be a number of days, or weekdays such as tue,fri",
    ),
    "quiet days alone": (
        lambda f: new_game(f, "--every", "sun", "--quiet", "sun"),
        "The quiet days leave no day for a deadline",
    ),
    "too long a grace": (lambda f: new_game(f, "--grace", "337"), "--grace must be at most 336"),
    "no such zone": (
        lambda f: new_game(f, "--zone", "Europe/Nowhere"),
        "--zone must be a time zone",
    ),
    "no such secret": (lambda f: new_game(f, "--secret-file", str(f / "none")), "64 hex digits"),
    "a folder as secret": (lambda f: new_game(f, "--secret-file", str(f)), "64 hex digits"),
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_what_is_refused_stores_nothing(folder: Path, name: str) -> None:
    """One sentence, exit code 2, no traceback."""
    command, words = REFUSED[name]
    code, sentence = refusal(command(folder))  # type: ignore[arg-type]  # a result
    assert code == 2
    assert words in sentence
    assert games(folder) == []
    assert json.loads(postal(folder, "outbox", "list", "--json").stdout) == []


@pytest.mark.parametrize("text", ["", "zz" * 32, "07" * 31, "07" * 33])
def test_a_bad_secret_is_refused_and_not_shown(folder: Path, text: str) -> None:
    """It has 32 bytes."""
    (folder / "secret").write_text(text)
    code, sentence = refusal(new_game(folder, "--secret-file", str(folder / "secret")))
    assert code == 2
    assert not text or text not in sentence
    assert games(folder) == []


def test_a_name_is_taken_once(folder: Path) -> None:
    """The second is refused, and the first is as it was."""
    assert new_game(folder).exit_code == 0
    code, sentence = refusal(new_game(folder))
    assert (code, "already" in sentence) == (2, True)
    assert len(games(folder)) == 1


@pytest.mark.parametrize(
    "command",
    [
        ("game", "list"),
        ("game", "show", "g"),
        ("orders", "g"),
        ("adjudicate", "g"),
        ("export", "g"),
        ("outbox", "list"),
        ("outbox", "retry"),
        ("poll",),
        ("run",),
    ],
    ids=" ".join,
)
def test_without_a_config_every_command_says_so(tmp_path: Path, command: tuple[str, ...]) -> None:
    """In one sentence; nothing is made in that folder."""
    _, sentence = refusal(postal(tmp_path, *command))
    assert "postal init" in sentence
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command", [("game", "show"), ("orders",), ("adjudicate",), ("export",)], ids=" ".join
)
def test_an_unknown_game_is_told(folder: Path, command: tuple[str, ...]) -> None:
    """With how to see those there are."""
    code, sentence = refusal(postal(folder, *command, "nonsense"))
    assert code == 1
    assert "There is no game 'nonsense'" in sentence


def test_a_broken_config_is_told(folder: Path) -> None:
    """With the key that is wrong, never a password."""
    with (folder / "config.toml").open("a") as file:
        file.write("nonsense = 1\n")
    code, sentence = refusal(postal(folder, "game", "list"))
    assert (code, "nonsense" in sentence, "hunter2" in sentence) == (1, True, False)
