"""``postal demo``: whole games by mail on this machine, through the command."""

import json
import os
import re
from email import message_from_bytes
from pathlib import Path

import pytest
from typer.testing import CliRunner

from postal.cli import app
from postal.demo.folder import readable
from postal.demo.show import Demo, play
from postal.mail.imap import PROCESSED, REJECTED
from postal.robots import STYLES
from postal.robots.players import same_order
from postal.robots.styles import Rota

pytestmark = pytest.mark.slow

SEED = 42


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Play the demo for six through the command; return what it printed, and its folder."""
    folder = tmp_path_factory.mktemp("shown") / "demo"
    arguments = ["demo", "--seed", str(SEED), "--into", str(folder)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "200")
        patch.setenv("POSTAL_SMTP__HOST", "a server of the GM's that no demo may reach")
        result = CliRunner().invoke(app, arguments)
        assert "POSTAL_SMTP__HOST" in os.environ
    assert result.exit_code == 0, result.output
    return result.output, folder


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """Play the demo of the same seed once more."""
    return play(tmp_path_factory.mktemp("again") / "demo", 6, SEED)


def test_the_money_adds_up_in_the_final_table(shown: tuple[str, Path]) -> None:
    """Six players, each with a million at the start (RULES.md 8.6)."""
    rows = re.findall(r"^([1-6]) +([A-Z][\w .'-]*?) +(-?)£([\d,]+) ", shown[0], re.MULTILINE)
    assert len(rows) == 6
    money = [int(f"{minus}{pounds.replace(',', '')}") for _, _, minus, pounds in rows]
    assert sum(money) == 6_000_000
    assert money == sorted(money, reverse=True)
    assert "Together £6,000,000" in shown[0]


def test_the_record_replays_to_the_same_outcome(shown: tuple[str, Path]) -> None:
    """As `postal replay` judges it."""
    result = CliRunner().invoke(app, ["replay", str(shown[1] / "game.json"), "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["finished"]


def test_the_same_seed_gives_the_same_record(shown: tuple[str, Path], again: Demo) -> None:
    """Cards, seats and robots repeat."""
    first = (shown[1] / "game.json").read_text("utf-8")
    assert first == (again.folder / "game.json").read_text("utf-8")


def test_every_order_on_file_is_the_one_that_was_meant(again: Demo) -> None:
    """What went by mail in so many styles arrived as it was thought."""
    turns = json.loads((again.folder / "game.json").read_text("utf-8"))["turns"]
    for number, turn in enumerate(turns, 1):
        lines = [line for line in turn["lines"] if line[1][1:2] == ":"]
        for robot in again.robots:
            # A record keeps every line: of those for a table the last counts.
            last = {line[0]: line for player, line, *_ in lines if player == robot.name}
            filed = list(last.values())
            meant = [order.line() for order in robot.intended.get(number, {}).values()]
            assert len(filed) == len(meant), (number, robot.name)
            for line in meant:
                # A record keeps "discard" as it was written: what is kept follows from it.
                told = f"{line[0]}: discard" if line[3:].startswith("keep") else line
                found = (same_order(line, one) or one.startswith(told) for one in filed)
                assert any(found), (number, robot.name)


def test_every_style_was_used_and_none_was_misread(again: Demo) -> None:
    """The robots went through them all, and wrote a second time only where they meant to."""
    used: set[str] = set()
    for robot in again.robots:
        assert isinstance(robot.styles, Rota)
        used |= {style.name for style in robot.styles.had}
        twice = {"corrects", "mistypes", "leaves-out", "waits"}
        again_written = sum(style.habit in twice for style in robot.styles.had)
        mails = (again.folder / "mail" / readable(robot.name)).glob("*-sent-*")
        answers = [mail for mail in mails if b"\r\nAuto-Submitted:" not in mail.read_bytes()]
        forged = robot is again.robots[-1]
        assert len(answers) - forged <= len(robot.intended) + again_written, robot.name
    assert used == set(STYLES)


def test_the_game_goes_through_everything(again: Demo) -> None:
    """Long enough to be worth watching, with every kind of order and end."""
    record = json.loads((again.folder / "game.json").read_text("utf-8"))
    assert 9 <= len(record["turns"]) <= 25
    lines = " ".join(line for turn in record["turns"] for _, line, *_ in turn["lines"])
    for verb in ("give", "keep", "raise", "stay", "expose", "check", "call", "fold"):
        assert f": {verb}" in lines
    hands = record["outcome"]["hands"]
    assert any(hand["end"] == "call" for hand in hands)
    assert any(hand.get("iou") for hand in hands)
    folded_early = [hand for hand in hands if max(map(len, hand["shown"].values())) < 4]
    assert len(folded_early) < len(hands) / 2


def test_each_player_has_one_report_a_turn(shown: tuple[str, Path]) -> None:
    """Every mail is a file, in order, and can be read as a mail."""
    record = json.loads((shown[1] / "game.json").read_text("utf-8"))
    for name in ("joe", "puke", "mary-ann", "jean-luc", "dr-wagner", "o-hara"):
        files = sorted((shown[1] / "mail" / name).iterdir())
        assert [int(file.name[:3]) for file in files] == [*range(1, len(files) + 1)]
        mails = [message_from_bytes(file.read_bytes()) for file in files]
        assert all(file.suffix == ".eml" for file in files)
        reports = [mail["Subject"] for mail in mails if mail["Auto-Submitted"] == "auto-generated"]
        assert len(reports) == len(record["turns"]) + 1
        assert "welcome" in reports[0]
        for number, subject in enumerate(reports[1:], 1):
            assert re.search(rf"\bturn {number}\b", subject)


def test_automatic_and_forged_mail_is_put_aside(shown: tuple[str, Path]) -> None:
    """Out-of-office answers and mails without a token are rejected, all else is processed."""
    files = list((shown[1] / "mail" / "games").iterdir())
    mails = {file.name: message_from_bytes(file.read_bytes()) for file in files}
    rejected = {name: mail for name, mail in mails.items() if f"-{REJECTED.lower()}-" in name}
    assert any(mail["Subject"] == "My orders" for mail in rejected.values())
    for name, mail in mails.items():
        harmless = mail["Auto-Submitted"] or mail["Subject"] == "My orders"
        assert (name in rejected) == bool(harmless)
        assert f"-{REJECTED.lower()}-" in name or f"-{PROCESSED.lower()}-" in name


def test_eight_players_play_to_the_end(tmp_path: Path) -> None:
    """At four tables."""
    demo = play(tmp_path, 8, 3)
    assert demo.finished
    assert sum(player["balance"] for player in demo.facts["players"]) == 8_000_000
    result = CliRunner().invoke(app, ["replay", str(tmp_path / "game.json")])
    assert result.exit_code == 0, result.output
