"""A fixed sample of what ``make faults`` tries: faults at a step of a turn, and such as last."""

import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).parent / "run.py"


@pytest.mark.slow
@pytest.mark.timeout(900)  # under a minute, but for a machine that has much to do
def test_a_fault_ends_well() -> None:
    """No order lost, nobody ruled absent wrongly, each mail once, the GM told."""
    # A process of its own: it forks, which one with threads must not do.
    done = subprocess.run(
        [sys.executable, str(RUN), "--jobs", "1", "--log", "--sample", "20", "--seed", "46"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert " faults: " in done.stdout
