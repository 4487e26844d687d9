"""`postal player` and `postal token` from the command line."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from postal.bootstrap import open_office
from postal.cli import app
from tests.cli.cli_league import GM, SIX, make_folder, new_game, postal, refusal

WORK = "ann@work.example"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a data folder with a game."""
    make_folder(tmp_path)
    assert new_game(tmp_path).exit_code == 0
    return tmp_path


def tokens(folder: Path) -> list[str]:
    """Return the tokens that the mails in the outbox hold."""
    with open_office(folder) as office, office.work.database.reading() as session:
        from sqlmodel import select  # noqa: PLC0415 - for this alone

        from postal.store.rows import OutboxRow  # noqa: PLC0415 - for this alone

        rows = session.exec(select(OutboxRow)).all()
    return re.findall(r"postal\.([a-z2-7]{16})\.", " ".join(row.message_id for row in rows))


def test_an_address_is_asked_for(folder: Path) -> None:
    """Both addresses get a mail, and what is printed holds no token."""
    result = postal(folder, "player", "add-address", "ann", WORK)
    assert result.exit_code == 0
    assert result.output.startswith(f"smith-1: ann and {WORK} each get a mail")
    listed = postal(folder, "outbox", "list", "--json").output
    assert listed.count('"kind": "address"') == 2
    assert not [token for token in tokens(folder) if token in result.output + listed]


@pytest.mark.parametrize("address", [GM, "gm+x@example.org", "bob@example.org", "nonsense"])
def test_an_address_that_will_not_do_is_refused(folder: Path, address: str) -> None:
    """In one sentence."""
    code, sentence = refusal(postal(folder, "player", "add-address", "Ann", address))
    assert code == 2
    assert address in sentence


@pytest.mark.parametrize(
    "command", [("player", "add-address", "Zoe", WORK), ("token", "revoke", "Zoe")]
)
def test_an_unknown_player_is_refused(folder: Path, command: tuple[str, ...]) -> None:
    """And so is one that several games have, until one is named."""
    assert "player 'Zoe'" in refusal(postal(folder, *command))[1]
    assert "'nowhere'" in refusal(postal(folder, *command, "--game", "nowhere"))[1]
    assert new_game(folder, name="smith-2").exit_code == 0
    known = [part.replace("Zoe", "Ann") for part in command]
    assert "--game" in refusal(postal(folder, *known))[1]
    result = postal(folder, *known, "--game", "smith-2")
    assert result.exit_code == 0
    assert result.output.startswith("smith-2: ")


def test_tokens_are_revoked(folder: Path) -> None:
    """A report with a new one is queued, and none is printed."""
    result = postal(folder, "token", "revoke", "Ann")
    assert result.exit_code == 0
    assert result.output == (
        "smith-1: Ann's old tokens are worthless; a report with a new one is queued.\n"
    )
    assert len(set(tokens(folder))) == len(SIX) + 1


@pytest.mark.parametrize("command", [("player", "add-address"), ("token", "revoke")])
def test_each_has_help(tmp_path: Path, command: tuple[str, ...]) -> None:
    """With its usage."""
    result = postal(tmp_path, *command, "--help")
    assert result.exit_code == 0
    assert "PLAYER" in result.output


def test_everybody_is_listed_and_shown(folder: Path) -> None:
    """As tables, or as JSON; with no token."""
    assert new_game(folder, name="smith-2").exit_code == 0
    listed = postal(folder, "player", "list")
    assert listed.exit_code == 0
    assert "Ann" in listed.output
    assert "smith-1 smith-2" in " ".join(listed.output.split())
    rows = json.loads(postal(folder, "player", "list", "--json").output)
    assert [row["name"] for row in rows] == list(SIX)
    assert rows[0]["games"] == ["smith-1", "smith-2"]
    shown = postal(folder, "player", "show", "ann@example.org")
    assert shown.output.splitlines()[:2] == [
        "Ann, number 1",
        "reports to:  ann@example.org",
    ]
    facts = json.loads(postal(folder, "player", "show", "1", "--json").output)
    assert facts["addresses"][0]["address"] == "ann@example.org"
    seen = listed.output + shown.output + json.dumps([rows, facts])
    assert not [token for token in tokens(folder) if token in seen]


def test_a_league_without_people_says_how_to_begin(tmp_path: Path) -> None:
    """In a sentence."""
    result = postal(make_folder(tmp_path), "player", "list")
    assert result.output == "There is nobody yet: `postal game new` starts a game.\n"


def test_an_address_is_replaced(folder: Path) -> None:
    """Without a terminal nothing is asked."""
    result = postal(folder, "player", "set-address", "Ann", WORK)
    assert result.exit_code == 0
    assert result.output == (
        f"Ann's reports go to {WORK} from now on; the old tokens are void.\n"
        "A report with a new token is queued for smith-1.\n"
    )
    shown = postal(folder, "player", "show", "Ann").output
    assert "undelivered: mail" in shown
    assert "withdrawn" in shown
    facts = json.loads(
        postal(folder, "player", "set-address", "Ann", "a@x.example", "--json").output
    )
    assert facts == {
        "person_id": 1,
        "name": "Ann",
        "address": "a@x.example",
        "former": WORK,
        "games": ["smith-1"],
        "unreadable": [],
    }
    assert not [token for token in tokens(folder) if token in result.output + shown]


def test_two_are_merged(folder: Path) -> None:
    """Into the one named first."""
    others = ("Annie", "Gus", "Hal", "Ida", "Jim", "Kim")
    assert new_game(folder, name="smith-2", players=others).exit_code == 0
    result = postal(folder, "player", "merge", "Ann", "annie@example.org")
    assert result.exit_code == 0
    assert result.output == (
        "Ann (number 1) is one person now in smith-1, smith-2.\n"
        "Ann and Annie will get a mail about it at the next round.\n"
    )
    assert "running:     smith-2, as Annie" in postal(folder, "player", "show", "Ann").output
    code, sentence = refusal(postal(folder, "player", "merge", "Bob", "Ann"))
    assert (code, sentence) == (1, "Bob and Ann both play in smith-1: they are two people.")


def test_on_a_terminal_it_is_asked_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless --yes is given; who doesn't agree has changed nothing."""
    monkeypatch.setattr("postal.cli.asking.on_terminal", lambda: True)
    command = ["player", "set-address", "Ann", WORK, "--data", str(folder)]
    result = CliRunner().invoke(app, command, input="n\n")
    assert str(result.exception) == "Nothing was changed."
    question = (
        f"Send the reports of Ann (number 1, ann@example.org, in smith-1) to {WORK} from now on?"
    )
    assert question in result.output
    assert "reports to:  ann@example.org" in postal(folder, "player", "show", "Ann").output
    assert CliRunner().invoke(app, command, input="y\n").exit_code == 0
    assert f"reports to:  {WORK}" in postal(folder, "player", "show", "Ann").output
    assert postal(folder, "player", "set-address", "Ann", "a@x.example", "--yes").exit_code == 0
    merging = ["player", "merge", "Ann", "Zoe", "--data", str(folder)]
    assert "nobody called 'Zoe'" in str(CliRunner().invoke(app, merging).exception)


@pytest.mark.parametrize(
    "command",
    [("show", "Zoe"), ("set-address", "Zoe", WORK), ("merge", "Ann", "Zoe"), ("merge", "Zoe", "1")],
)
def test_nobody_is_told_so(folder: Path, command: tuple[str, ...]) -> None:
    """In one sentence."""
    _, sentence = refusal(postal(folder, "player", *command))
    assert sentence == "There is nobody called 'Zoe': see `postal player list`."


def test_a_seat_goes_to_somebody_else_and_to_a_robot(folder: Path) -> None:
    """Each says what was done; what won't do is refused in one sentence."""
    replaced = postal(folder, "player", "replace", "smith-1", "Ann", "Sue <sue@x.example>")
    assert replaced.output == "Sue plays for Ann in smith-1 now; all get a mail about it.\n"
    assert "smith-1, as Ann" in postal(folder, "player", "show", "Sue").output
    shown = postal(folder, "player", "robot", "smith-1", "Sue", "--json")
    facts = {"game": "smith-1", "seat": "Ann", "former": "Sue", "holder": "Robot"}
    assert json.loads(shown.stdout) == facts
    assert "A robot plays for Bob" in postal(folder, "player", "robot", "smith-1", "Bob").output
    code, sentence = refusal(postal(folder, "player", "replace", "smith-1", "Cat", "Sue"))
    assert (code, sentence) == (2, "'Sue': write 'Name <name@example.org>'.")
    again = refusal(postal(folder, "player", "replace", "smith-1", "Cat", "Ann <ann@example.org>"))
    assert again == (1, "Ann holds or has held another seat in smith-1, and gets no second one.")


def test_a_holiday_is_noted_and_taken_back(folder: Path) -> None:
    """The deadline moves at once; wrong use gets one sentence."""
    today = datetime.now(UTC).date()
    first, last = str(today), str(today + timedelta(days=9))
    shown = json.loads(postal(folder, "player", "holiday", "Ann", first, last, "--json").stdout)
    assert (shown["name"], shown["moved"], shown["games"][0]["count"]) == ("Ann", 1, 10)
    told = postal(folder, "player", "holiday", "Ann", "--cancel").output
    assert told == "Ann is no longer on holiday and gets a mail about it.\n"
    for wrong in (("Ann",), ("Ann", first), ("Ann", first, last, "--cancel"), ("Ann", last, first)):
        assert refusal(postal(folder, "player", "holiday", *wrong))[0] == 2
    assert refusal(postal(folder, "player", "holiday", "Zoe", first, last))[0] == 1


def test_standbys_are_listed(folder: Path) -> None:
    """And taken off again; what won't do is refused in one sentence."""
    nobody = postal(folder, "standby", "list", "smith-1").output
    assert "has no standbys" in nobody
    added = postal(folder, "standby", "add", "smith-1", "Gus <gus@x.example>")
    assert added.output == "Gus is a standby of smith-1 once they have answered the mail.\n"
    assert "gus@x.example" in postal(folder, "standby", "list", "smith-1").output
    (row,) = json.loads(postal(folder, "standby", "list", "smith-1", "--json").stdout)
    assert (row["name"], row["signed_up"], row["seat"]) == ("Gus", None, "")
    again = refusal(postal(folder, "standby", "add", "smith-1", "Gus <gus@x.example>"))
    assert again == (1, "Gus is a standby of smith-1 already.")
    assert refusal(postal(folder, "standby", "add", "smith-1", "Gus"))[0] == 2
    assert postal(folder, "standby", "remove", "smith-1", "Gus").exit_code == 0
    assert refusal(postal(folder, "standby", "remove", "smith-1", "Gus"))[0] == 1
