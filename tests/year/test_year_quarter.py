"""A quarter of the simulated year, with every kind of accident once: all laws hold."""

from pathlib import Path

import pytest

from tests.year.run import DAYS, play
from tests.year.year_accidents import ACCIDENTS
from tests.year.year_laws import broken, counts


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_laws_hold_over_a_quarter(tmp_path: Path) -> None:
    """Three games, their robots' mail, outages, restarts, silence, wrong addresses, holidays."""
    world = play(tmp_path, days=DAYS // 4, times=1, seed=1)
    try:
        assert broken(world) == []
        assert set(ACCIDENTS) <= set(world.happened)
        found = counts(world)
        assert found["turns"] >= 20
        assert found["mails in"] >= 130
        for kind in ("machine", "mailbox"):
            assert found[f"outages ({kind})"]
    finally:
        world.league.database.close()
