"""Robots write in the many ways people do, and each is read as precisely what they meant."""

import copy
from email import message_from_bytes
from random import Random

import pytest

from postal.mail.gate import refusal
from postal.mail.incoming import read
from postal.robots import STYLES, TEMPERS, Robot, Temper
from tests.robots.robot_league import (
    NAMES,
    Table,
    address,
    alike,
    new_table,
    ordered,
    reading_of,
    robot,
)

WATCHED = ("Mary Ann", "Dr. Wagner")
TURNS = 8
FORGETFUL = Temper("forgetful", 0.0, 0.5, 0.0, 100_000, forgets=1.0)

Stage = tuple[Table, dict[str, bytes]]


@pytest.fixture(scope="module")
def stages() -> list[Stage]:
    """Return the first turns of a game with the reports of the watched players."""
    table = new_table(3)
    robots = [robot(name) for name in NAMES]
    found: list[Stage] = []
    for _ in range(TURNS):
        reports = {one.name: table.report(one.name) for one in robots}
        found.append((copy.copy(table), {name: reports[name] for name in WATCHED}))
        for one in robots:
            for raw in one.answer(reports[one.name]):
                table.take(one.name, raw)
        table.adjudicate()
    return found


def test_the_stages_hold_every_kind_of_order(stages: list[Stage]) -> None:
    """So that the styles are tried with all of them."""
    texts = b"".join(raw for _, reports in stages for raw in reports.values())
    for words in (b": give ", b": keep ", b": raise ", b": stay", b": expose ", b": call"):
        assert words in texts


@pytest.mark.parametrize("name", [one for one, style in STYLES.items() if not style.habit])
def test_a_style_is_read_as_it_is_meant(name: str, stages: list[Stage]) -> None:
    """Every order, nothing besides, no problem, and nobody refuses to read it."""
    for table, reports in stages:
        for player, raw in reports.items():
            writer = robot(player, styles=(STYLES[name],))
            answers = writer.answer(raw)
            meant = writer.intended.get(table.game.turn, {})
            assert len(answers) == bool(meant)
            for answer in answers:
                assert refusal(read(answer), ["games@example.org"]) is None
                reading = reading_of(table.game, player, answer)
                assert not reading.problems
                assert not reading.commands
                assert alike(ordered(table.game, player, reading), meant)


@pytest.mark.parametrize(
    ("name", "commands"), [("curious", ["status", "orders"]), ("hesitant", ["wait"])]
)
def test_commands_stand_beside_the_orders(
    name: str, commands: list[str], stages: list[Stage]
) -> None:
    """Asking and waiting cost no order."""
    table, reports = stages[0]
    writer = robot("Mary Ann", styles=(STYLES[name],))
    (answer,) = writer.answer(reports["Mary Ann"])
    reading = reading_of(table.game, "Mary Ann", answer)
    assert [command.name for command in reading.commands] == commands
    assert alike(ordered(table.game, "Mary Ann", reading), writer.intended[1])


def test_who_waits_is_ready_once_his_orders_are_confirmed(stages: list[Stage]) -> None:
    """He takes back his wait (RULES.md 9.6)."""
    table, reports = copy.copy(stages[0][0]), stages[0][1]
    writer = robot("Mary Ann", styles=(STYLES["hesitant"],))
    (answer,) = writer.answer(reports["Mary Ann"])
    table.take("Mary Ann", answer)
    (second,) = writer.answer(table.receipt("Mary Ann", message_from_bytes(answer)["Message-ID"]))
    reading = reading_of(table.game, "Mary Ann", second)
    assert [command.name for command in reading.commands] == ["ready"]


def test_a_second_mail_corrects_the_first(stages: list[Stage]) -> None:
    """The hasty write twice; the last good line counts."""
    for table, reports in stages:
        writer = robot("Mary Ann", styles=(STYLES["hasty"],))
        answers = writer.answer(reports["Mary Ann"])
        if not answers:
            continue
        first, second = (reading_of(table.game, "Mary Ann", one) for one in answers)
        assert first.problems
        assert not second.problems
        meant = writer.intended[table.game.turn]
        assert alike(ordered(table.game, "Mary Ann", second), meant)


@pytest.mark.parametrize("name", ["clumsy", "scatterbrained"])
def test_a_slip_is_put_right_by_the_receipt(name: str, stages: list[Stage]) -> None:
    """What is missing or was not taken comes again in the canonical form, and then no more."""
    for stage, reports in stages:
        table = copy.copy(stage)
        writer = robot("Dr. Wagner", styles=(STYLES[name],))
        answers = writer.answer(reports["Dr. Wagner"])
        if not answers:
            continue
        table.take("Dr. Wagner", answers[0])
        meant = writer.intended[table.game.turn]
        assert not alike(dict(table.book.of("Dr. Wagner")), meant)
        told = table.receipt("Dr. Wagner", message_from_bytes(answers[0])["Message-ID"])
        (second,) = writer.answer(told)
        table.take("Dr. Wagner", second)
        assert not table.problems
        assert alike(dict(table.book.of("Dr. Wagner")), meant)
        told = table.receipt("Dr. Wagner", message_from_bytes(second)["Message-ID"])
        assert writer.answer(told) == []


def test_who_forgets_sends_an_automatic_answer_that_orders_nothing(stages: list[Stage]) -> None:
    """It looks like orders and must be refused; and he forgets no two turns in a row."""
    writer = robot("Dr. Wagner", temper=FORGETFUL)
    (away,) = writer.answer(stages[0][1]["Dr. Wagner"])
    assert refusal(read(away), ["games@example.org"]) == "it was sent automatically"
    assert reading_of(stages[0][0].game, "Dr. Wagner", away).lines
    assert writer.intended == {}
    (answer,) = writer.answer(stages[1][1]["Dr. Wagner"])
    assert refusal(read(answer), ["games@example.org"]) is None


def test_the_same_chance_gives_the_same_mails(stages: list[Stage]) -> None:
    """Byte for byte, and other chance gives others."""
    raw = stages[0][1]["Mary Ann"]

    def answers(seed: str) -> list[bytes]:
        writer = Robot("Mary Ann", address("Mary Ann"), (STYLES["gmail-web"],), Random(seed))
        return writer.answer(raw)

    assert answers("a") == answers("a")
    assert answers("a") != answers("b")


@pytest.mark.parametrize("temper", TEMPERS.values(), ids=TEMPERS)
def test_every_temper_plays_by_the_rules(temper: Temper, stages: list[Stage]) -> None:
    """Whatever his temper, no order of his is refused."""
    for stage, reports in stages:
        table = copy.copy(stage)
        for player, raw in reports.items():
            for answer in robot(player, temper=temper).answer(raw):
                if refusal(read(answer), ["games@example.org"]) is None:
                    table.take(player, answer)
                    assert not table.problems
