"""`postal player add-address` and `postal token revoke` from the command line."""

import re
from pathlib import Path

import pytest

from postal.bootstrap import open_office
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
