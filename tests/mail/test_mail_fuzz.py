"""Whatever comes as mail: nothing fails, and no order is read that its writer didn't give."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.fuzz.making import Made
from tests.fuzz.oracle import FalseReadingError, check, orders
from tests.fuzz.run import ROOT, failure, mail_of
from tests.mail.mail_strategies import anything, made

few = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
FOUND = sorted((ROOT / "tests/fuzz/seeds").glob("*.eml"))


@few
@given(anything)
def test_no_mail_makes_the_reading_fail_or_invent(raw: bytes) -> None:
    """Each order read stands in the mail's own text, unquoted."""
    check(raw)


@few
@given(made)
def test_orders_are_read_where_they_stand_and_nowhere_else(mail: Made) -> None:
    """Quoted, hidden, attached or below the answer nothing is; the writer's own are read."""
    _, readings = check(mail.raw, mail.own)
    if mail.whole:
        assert Counter(orders(readings)) == Counter(mail.own)


@pytest.mark.parametrize("file", FOUND, ids=lambda file: file.stem)
def test_what_fuzzing_found_stays_cured(file: Path) -> None:
    """In these mails every order but A: fold is another's, quoted or hidden."""
    raw = file.read_bytes()
    _, readings = check(raw, ["A: fold"])
    assert orders(readings) == ["A: fold"]


def test_the_oracle_sees_what_is_false() -> None:
    """Or the rest would be worth nothing."""
    raw = b"From: a@example.org\n\nA: fold\nB: stay\n"
    assert orders(check(raw, ["A: fold", "B: stay"])[1]) == ["A: fold", "B: stay"]
    with pytest.raises(FalseReadingError, match="nobody gave"):
        check(raw, ["A: fold"])
    assert "nobody gave" in failure(raw, ["B: stay"], whole=False)
    assert "were read" in failure(raw, ["A: fold", "B: stay", "C: stay"], whole=True)


def test_a_run_can_be_repeated() -> None:
    """The same numbers give the same mails, and the command ends well."""
    assert mail_of(3, 4) == mail_of(3, 4) != mail_of(3, 5)
    arguments = [sys.executable, "tests/fuzz/run.py", "--count", "40", "--seed", "7"]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "40 mails read, 0 of them wrongly; the slowest took " in done.stdout
    assert "--seed 7 --one " in done.stdout
