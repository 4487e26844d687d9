"""The league of the first edition on a server, whose migration was killed and made again."""

import subprocess
import sys
from pathlib import Path

import pytest

from postal.service.records.verify import verify_game
from postal.store.migrate import revisions
from tests.cli.cli_league import make_folder, postal
from tests.postgresql import Cluster, postgresql_cluster
from tests.records.kept import KEPT, OVER, RUNNING, kept_league, play_on
from tests.store.earlier import content, earlier_database, revision, shape, upgraded

__all__ = ["postgresql_cluster"]

ROOT = Path(__file__).parents[2]

KILLED = """
import os, sys
from sqlalchemy import Engine, event
from postal.cli import app
from tests.store.earlier import content, shape
url, folder = sys.argv[1:]

def kill_at(number):
    left = [number]
    def count(*_):
        left[0] -= 1
        if not left[0]:
            os._exit(9)
    event.listen(Engine, "before_cursor_execute", count)

before, tables = content(url), shape(url)
app(["migrate", "--data", folder], standalone_mode=False)  # imports what each child needs
number, ended = -10, False
while not ended:
    number += 11
    child = os.fork()
    if not child:
        kill_at(number)
        app(["migrate", "--yes", "--data", folder], standalone_mode=False)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, 9), status
    ended = status == 0
    assert ended or content(url) == before, number
    assert ended or number % 3 != 1 or shape(url) == tables, number
print(number // 11)
"""
"""Runs ``postal migrate --yes``, killed at the first statement, the twelfth and so on, to the end.

It is the same database each time, whose rows must be as they were, and now and then its tables are
looked at too. How often it was killed is printed.
"""


@pytest.mark.slow
@pytest.mark.postgresql
def test_a_killed_migration_of_a_server_s_database_is_made_again(
    postgresql_cluster: Cluster, tmp_path: Path
) -> None:
    """Whatever statement it was killed at nothing has changed; then both games verify and go on."""
    whole = earlier_database(postgresql_cluster.new_database())
    name = whole.partition("@/")[2].partition("?")[0]
    url = postgresql_cluster.new_database(template=name)
    upgraded(whole)
    folder = make_folder(tmp_path)
    with (folder / "config.toml").open("a", encoding="utf-8") as config:
        config.write(f'[database]\nurl = "{url}"\n')
    command = [sys.executable, "-c", KILLED, url, str(folder)]
    killed = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    assert killed.returncode == 0, killed.stderr
    assert int(killed.stdout.splitlines()[-1]) > 15
    assert revision(url) == revisions()[-1]
    assert (content(url), shape(url)) == (content(whole), shape(whole))
    assert "nothing to do" in postal(folder, "migrate", "--yes").stdout
    league = kept_league(url)
    for slug in (OVER, RUNNING):
        turns, found = verify_game(league.work, slug)
        assert (turns, found) == (KEPT["games"][slug]["verify"]["turns"], ())
    turn = play_on(league)
    assert turn == KEPT["games"][RUNNING]["turn"]
    assert verify_game(league.work, RUNNING) == (turn, ())
    league.database.close()
