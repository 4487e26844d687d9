"""Robots are worth playing: a sample of the games that ``tests/bench/bench_robots.py`` plays."""

import pytest

from postal.service.deciding.tempers import TEMPERS, Temper
from tests.bench.bench_robots import CHEAPEST, STAYING, compete


@pytest.mark.parametrize("temper", TEMPERS.values(), ids=TEMPERS)
def test_each_temper_beats_a_player_without_thought(temper: Temper) -> None:
    """Whether he always sends the cheapest line, or stays in as cheaply as he can."""
    for verbs in (CHEAPEST, STAYING):
        result = compete(temper, verbs, 4)
        assert result.robots > result.others
