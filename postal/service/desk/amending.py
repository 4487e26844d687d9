"""The GM puts orders in for a player, or takes some back (``postal amend``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from postal.engine.problems import Problem
from postal.engine.view import view
from postal.errors import PostalError, UsageError
from postal.ordertext import Reading, read_record_line
from postal.reports import problem_sentence
from postal.reports.display import listed
from postal.service.inbound.commands import send_gifts
from postal.service.inbound.filing import take, turn_change
from postal.service.inbound.receipts import receipt_facts
from postal.service.loading import LoadedGame, find_game, load_game, load_turn_file
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter, Letters
from postal.service.overtaken import until_written
from postal.service.records.play import order_context
from postal.service.workplace import Workplace
from postal.store.rows import GameStatus, JournalRow, TurnStatus
from postal.store.seats import HeldSeat


@dataclass(frozen=True, slots=True)
class Amended:
    """What was done for a player: hands whose orders were put in, taken back, or pushed out."""

    player: str
    turn: int
    filed: tuple[str, ...]
    cancelled: tuple[str, ...]
    lost: tuple[str, ...]


def amend(work: Workplace, slug: str, player: str, lines: Sequence[str]) -> Amended:
    """Put a player's orders on file, or take some back, as lines of his own would.

    He gets a receipt that says so, and can change them as ever. It is no sign of life of his (9.4).
    All or nothing: PostalError or UsageError for the first line that won't do.
    """
    return until_written(lambda: _amend(work, slug, player, lines))


def _amend(work: Workplace, slug: str, player: str, lines: Sequence[str]) -> Amended:
    now = work.clock.now()
    with work.database.reading() as session:
        loaded = load_game(session, find_game(session, slug))
        turn = loaded.turn
        if loaded.row.status is not GameStatus.RUNNING or turn is None:
            raise PostalError(f"{slug} is over: nothing was done.")
        if turn.status is not TurnStatus.OPEN:
            raise PostalError(f"Turn {turn.number} of {slug} is not open: nothing was done.")
        seat, file = _seat(loaded, player), load_turn_file(session, loaded)
        filing = take(loaded, file, seat.name, _reading(loaded, seat, lines), now)
        _refuse(filing.taken.problems)
        heard = file.of(seat.name).heard
        filing = replace(filing, file=filing.file.with_presence(seat.name, heard=heard))
        letters = Letters(session, work)
        facts = replace(receipt_facts(loaded, filing, now), by_gm=True)
        seen = view(loaded.game, seat.name, filing.book)
        rendered = work.reports.receipt(letters.frame(loaded, seat), seen, facts)
        letters.to_player(loaded, seat, Letter(LetterKind.AMENDED, rendered, loaded.game.turn))
        send_gifts(letters, loaded, filing)
    done = Amended(
        seat.name,
        turn.number,
        tuple(entry.hand for entry in filing.taken.accepted),
        filing.taken.cancelled,
        filing.taken.lost,
    )
    with work.database.transaction() as session:
        turn_change(loaded, seat, None, filing, now).write(session)
        session.add(
            JournalRow(
                at=now,
                game_id=loaded.id,
                turn=turn.number,
                who="GM",
                what="amend",
                sentence=said_of(done),
            )
        )
        letters.queue(session)
    return done


def _seat(loaded: LoadedGame, named: str) -> HeldSeat:
    seat = loaded.seat_meant(named)
    if seat is None:
        slug = loaded.row.slug
        raise PostalError(f"There is no player {named!r} in {slug}: see `postal game show {slug}`.")
    return seat


def _reading(loaded: LoadedGame, seat: HeldSeat, texts: Sequence[str]) -> Reading:
    """Return what lines order; UsageError where one is no order."""
    context, lines = order_context(loaded.game, seat.name), []
    for number, text in enumerate(texts, 1):
        reading = read_record_line(text, context)
        _refuse(reading.problems)
        if not reading.lines:
            raise UsageError(f"{text!r} is no order: nothing was done.")
        lines += [replace(line, text=text, number=number) for line in reading.lines]
    if not lines:
        raise UsageError("There is no order: write lines as the player would, such as 'A: fold'.")
    return Reading(tuple(lines), (), (), ())


def _refuse(problems: Sequence[Problem]) -> None:
    for problem in problems:
        raise UsageError(f"{problem.line}: {problem_sentence(problem)} Nothing was done.")


def said_of(done: Amended) -> str:
    """Return what was done as a sentence, without what the orders say."""
    said = []
    if done.filed:
        said.append(f"put orders in for {listed(done.filed)}")
    if done.cancelled:
        said.append(f"took back those for {listed(done.cancelled)}")
    if done.lost:
        said.append(f"pushed out those for {listed(done.lost)}, which were no longer covered")
    return f"For {done.player}: {listed(said or ['nothing changed'])}."
