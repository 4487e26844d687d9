"""The database that postal 0.1.0 left, what it said of it, and the league that goes on with it."""

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from postal.bootstrap import TOKEN_KEY
from postal.service.desk.overview import show_game
from postal.store.settings import setting_or
from tests.service.service_league import League, open_league

FOLDER = Path(__file__).parent / "edition1"
KEPT: dict[str, Any] = json.loads((FOLDER / "database.json").read_text("utf-8"))
OVER, RUNNING = KEPT["finished"], KEPT["running"]


def kept_league(url: str) -> League:
    """Open the league on a copy of its database, at the moment at which that was kept."""
    league = open_league(url, now=datetime.fromisoformat(KEPT["now"]), plain=True)
    with league.database.transaction() as session:
        key = bytes.fromhex(setting_or(session, TOKEN_KEY, ""))
    identity = replace(league.work.identity, authserv_id=KEPT["authserv_id"])
    league.work = replace(league.work, identity=identity, token_key=key)
    return league


def play_on(league: League) -> int:
    """Take in and send what waits and adjudicate the running game at its deadline; its turn."""
    league.poll()
    assert league.send().sent > 0
    shown = show_game(league.work, RUNNING)
    league.clock.move_to(datetime.fromisoformat(shown["deadline"]))
    league.poll()
    (done,) = league.due()
    assert done.slug == RUNNING
    return done.turn
