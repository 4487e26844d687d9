"""Compare what a whole turn of eight players takes with the least that its mails could take.

Run it from the repository with ``python tests/bench/bench_turn.py``. Turns of a game are measured,
each beside the bare work for the same mails:

- postal: one look for a turn that is due, which finds this one: it is claimed and adjudicated, and
  what each player may see of it is rendered, built into mails and committed with the new state.
- bare: Jinja fills in the same templates from contexts that are ready, css-inline puts their styles
  into the tags, the library's EmailMessage is given the same fields and texts and makes the bytes,
  and one commit of SQLite's stores the same rows. Templates are loaded and compiled before.

Both are this process's CPU time; the time in all is printed too and decides nothing, since it is
the disk's. The exit status is 1 where postal takes more than twice as long.
"""

from __future__ import annotations

import logging
import random
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import css_inline
import jinja2
from sqlmodel import col, select

from postal.reports import Reports
from postal.reports.environment import HTML_ENDING, LONGEST, Templates
from postal.resources import templates_path
from postal.store.rows import OutboxRow, TokenRow, TurnRow
from tests.bench.league_rows import SETTLED, order
from tests.bench.say import say
from tests.service.service_league import EIGHT, SLUG, League, open_league

AGE, TURNS = 4, 8
LIMIT = 2.0
POLICY = SMTP.clone(max_line_length=998)

Page = tuple[str, Mapping[str, Any]]
"""A template's name and what it is given."""


class Noting(Templates):
    """Templates that note what they are given."""

    pages: list[Page]

    def _filled_in(self, template: jinja2.Template, values: Mapping[str, Any]) -> str:
        self.pages.append((template.name or "", values))
        return super()._filled_in(template, values)


@dataclass(frozen=True)
class Letter:
    """What is ready before the bare work for a mail begins."""

    fields: list[tuple[str, str]]
    text: str
    html: str
    boundary: str


@dataclass
class Took:
    """What turns took, in seconds."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def time(self, work: Callable[[], object]) -> object:
        """Do some work and note what it took."""
        wall, cpu = perf_counter(), process_time()
        done = work()
        self.cpu.append(process_time() - cpu)
        self.wall.append(perf_counter() - wall)
        return done


def letter(raw: bytes) -> Letter:
    """Return what a mail is made of."""
    message = message_from_bytes(raw, policy=POLICY)
    text, html = (part.get_content() for part in message.iter_parts())
    own = ("MIME-Version", "Content-Type", "Content-Transfer-Encoding")
    fields = [(name, str(value)) for name, value in message.items() if name not in own]
    return Letter(fields, text, html, message.get_boundary() or "")


def build(made: Letter) -> bytes:
    """Return a mail as the library makes it."""
    message = EmailMessage(policy=POLICY)
    for name, value in made.fields:
        message[name] = value
    message.set_content(made.text, charset="utf-8", cte="quoted-printable")
    message.add_alternative(made.html, subtype="html", charset="utf-8", cte="quoted-printable")
    message.set_boundary(made.boundary)
    return message.as_bytes()


class Bare:
    """The least that the mails of a turn could take."""

    def __init__(self, file: Path, templates: Templates) -> None:
        """Take a file for the rows, and the templates."""
        self._templates = templates._environment
        self._inliner = css_inline.CSSInliner(load_remote_stylesheets=False)
        self._base = sqlite3.connect(file, isolation_level=None)
        self._base.execute("PRAGMA journal_mode = WAL")
        self._base.execute("PRAGMA synchronous = FULL")

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def make_tables(self, rows: list[dict[str, Any]]) -> None:
        """Make a table for each kind of row."""
        for row in rows:
            names = ", ".join(name for name in row if name != "table")
            self._base.execute(f"CREATE TABLE IF NOT EXISTS {row['table']} ({names})")

    def work(self, pages: list[Page], letters: list[Letter], rows: list[dict[str, Any]]) -> None:
        """Render, build and commit."""
        for name, values in pages:
            page = self._templates.get_template(name).render(values)
            if name.endswith(HTML_ENDING):
                self._inliner.inline(page)
        raws = [build(one) for one in letters]
        self._base.execute("BEGIN IMMEDIATE")
        for row in rows:
            stored = [value for name, value in row.items() if name != "table"]
            marks = ", ".join("?" * len(stored))
            self._base.execute(f"INSERT INTO {row['table']} VALUES ({marks})", stored)
        self._base.execute("COMMIT")
        assert [row["raw"] for row in rows if row["table"] == "outbox"] == raws, "the same mails"


def new_rows(league: League, after: int) -> list[dict[str, Any]]:
    """Return what a turn stored: the turn itself, its tokens, and the mails behind ``after``."""
    with league.database.reading() as session:
        mails = session.exec(
            select(OutboxRow).where(col(OutboxRow.id) > after).order_by(col(OutboxRow.id))
        ).all()
        turn = session.exec(
            select(TurnRow).where(TurnRow.status == "done").order_by(col(TurnRow.id).desc())
        ).first()
        tokens = session.exec(
            select(TokenRow).where(TokenRow.turn == (turn.number + 1 if turn else 0))
        ).all()
        assert turn is not None
        rows: list[OutboxRow | TurnRow | TokenRow] = [turn, *tokens, *mails]
        return [
            {"table": row.__tablename__}
            | {
                name: value if isinstance(value, bytes | int | None) else str(value)
                for name, value in row.model_dump().items()
            }
            for row in rows
        ]


def main(turns: int = TURNS) -> int:
    """Play, time both by turns and print what they took."""
    logging.getLogger("postal").setLevel(logging.ERROR)
    pick = random.Random(1)
    ours, theirs = Took(), Took()
    mails = size = 0
    with tempfile.TemporaryDirectory() as name:
        league = open_league(f"sqlite:///{Path(name) / 'postal.db'}", plain=True)
        league.players = EIGHT
        folders = templates_path(Path("nowhere"))
        reports, noting = Reports(folders), Noting(folders, LONGEST)
        reports._layout._own = noting
        league.begin()
        with closing(league.database), closing(Bare(Path(name) / "bare.db", noting)) as bare:
            for number in range(AGE + 1 + turns):
                plain = number < AGE
                work = league.work
                order(league, SLUG, pick, EIGHT)
                league.poll()
                league.send()
                league.clock.advance(SETTLED)
                if plain:
                    league.due()
                    continue
                noting.pages = []
                after = len(league.outbox())
                league.work = replace(work, reports=reports)
                ours.time(league.due)
                league.work = work
                rows = new_rows(league, after)
                letters = [letter(row["raw"]) for row in rows if row["table"] == "outbox"]
                bare.make_tables(rows)
                theirs.time(partial(bare.work, noting.pages, letters, rows))
                mails, size = len(letters), sum(len(row.get("raw") or b"") for row in rows)
    ratio = 0.0
    say(f"{'a turn of eight players':26}{'postal':>12}{'bare':>12}   postal/bare")
    for what, mine, bare_ in (
        ("ms CPU", ours.cpu, theirs.cpu),
        ("ms in all", ours.wall, theirs.wall),
    ):
        # The first has the templates to compile.
        times = list(zip(mine[1:], bare_[1:], strict=True))
        one = median(a / b for a, b in times)
        ratio = ratio or one
        a, b = (1000 * median(column) for column in zip(*times, strict=True))
        say(f"{what:26}{a:12.1f}{b:12.1f}{one:14.2f}")
    say(f"{turns} turns, the last of {mails} mails with {size / 1024:.0f} kB in all")
    return int(ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
