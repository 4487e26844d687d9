"""A fixed sample of what ``make faults`` tries: each kind of fault at some step of a turn."""

import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).parent / "run.py"


@pytest.mark.slow
@pytest.mark.timeout(900)  # under a minute, but for a machine that has much to do
@pytest.mark.parametrize("sample", [("--only", ", once", "--sample", "24", "--seed", "9")])
def test_a_fault_at_some_step_ends_well(sample: tuple[str, ...]) -> None:
    """No order lost, nobody ruled absent wrongly, each mail once, the GM told."""
    # A process of its own: it forks, which one with threads must not do.
    done = subprocess.run(
        [sys.executable, str(RUN), "--jobs", "1", "--log", *sample],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert " faults: " in done.stdout
