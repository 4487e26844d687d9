"""One mail: whose it is, what it orders, and the answer, in one transaction (MAIL.md)."""

from __future__ import annotations

from sqlmodel import Session

from postal.engine.view import view
from postal.mail.gate import from_ourselves, refusal
from postal.mail.imap import MAX_MAIL_BYTES
from postal.mail.incoming import Incoming, read
from postal.ordertext import Reading, read_mail
from postal.service.doubts import held_for_doubt
from postal.service.failures import note_failure
from postal.service.filing import Filing, file_orders
from postal.service.play import order_context
from postal.service.players import confirm_address
from postal.service.post import frame_of, queue_to_player
from postal.service.receipts import UNAVAILABLE, answer_commands, receipt_facts
from postal.service.senders import Seated, earlier_copy, identify
from postal.service.work import LoadedGame, Workplace, load_book, load_game
from postal.store.addresses import players_with_address
from postal.store.games import players_at
from postal.store.orders import attendance
from postal.store.rows import GameStatus, MailRow, MailStatus, TurnRow
from postal.store.turns import open_turn

UNREADABLE = {
    "tnef": "it holds its text in a winmail.dat that only Outlook can read",
    "smime": "its text is locked in an S/MIME signature",
    "encrypted": "it is encrypted",
    "attachment-only": "it holds attachments or pictures and no text",
    "too-long": "its text is too long",
    "too-complex": "it is put together from too many parts",
    "damaged": "it is damaged",
    "empty": "it is empty",
}


def answer_mail(session: Session, work: Workplace, row: MailRow, *, vouched: bool = False) -> None:
    """Do what a stored mail asks for and queue the answers; notes in ``row`` what became of it.

    Nobody is answered who might be a program (RFC 3834), and every answer goes to the
    registered address of the player whose token the mail carries. Without a token nothing is
    done. Noise is never filed under a game. ``vouched``: the GM says that the sender is real.
    """
    incoming = read(row.raw or b"")
    if incoming.report is not None:
        row.status, row.reason = note_failure(session, work, incoming)
        return
    reason = refusal(incoming, (work.identity.mailbox,))
    if reason:
        row.status, row.reason = MailStatus.IGNORED, reason
        if from_ourselves(incoming, (work.identity.mailbox,)):
            # The GM may have his reports sent to the games' mailbox: they are his to read there.
            row.target = row.folder
        return
    seated = identify(session, work, incoming)
    if seated is None:
        confirmed = confirm_address(session, work, incoming)
        if confirmed:
            row.status, row.reason = MailStatus.DONE, confirmed
        else:
            row.status, row.reason = _without_token(session, work, incoming)
        return
    row.game_id, row.player, row.turn = seated.game.id, seated.player.name, seated.turn
    row.status = MailStatus.DONE
    # First of all, or the turn could be adjudicated while its state is read.
    turn = _turn_for(session, seated, row)
    loaded = load_game(session, seated.game)
    if not vouched and held_for_doubt(session, work, loaded, seated, row, incoming):
        return
    copied = earlier_copy(session, row, incoming)
    if copied is not None:
        row.reason = f"a copy of mail {copied}"
    elif turn is None:
        row.reason = "too early" if seated.turn > loaded.game.turn else "too late"
        _answer_late(session, work, loaded, seated, incoming)
    elif row.size > MAX_MAIL_BYTES or (incoming.unreadable and not incoming.texts):
        row.status = MailStatus.REJECTED
        row.reason = "too large" if row.size > MAX_MAIL_BYTES else incoming.unreadable
        # He may have meant to change his orders: nothing of it was understood (10.6).
        attendance(session, loaded.id, seated.turn, seated.player.name).troubled = True
        _answer_unreadable(session, work, loaded, seated, incoming, large=row.reason == "too large")
    else:
        row.reason = _take_orders(session, work, loaded, seated, row, incoming)


def _turn_for(session: Session, seated: Seated, row: MailRow) -> TurnRow | None:
    """Return the open turn that the mail is in time for, held for this transaction (10.5)."""
    assert seated.game.id is not None, "a stored game has an id"
    turn = open_turn(session, seated.game.id, hold=True)
    if turn is None or turn.number != seated.turn:
        return None
    if turn.deadline is not None and row.internal_date > turn.deadline:
        return None
    return turn


def best_reading(incoming: Incoming, loaded: LoadedGame, player: str) -> Reading:
    """Return the reading of the first text that gives orders or commands (MAIL.md, In 4)."""
    context = order_context(loaded.game, player)
    readings: list[Reading] = []
    for text in incoming.texts:
        reading = read_mail(text, context)
        if reading.lines or reading.commands:
            return reading
        readings.append(reading)
    return max(readings, key=lambda reading: (len(reading.problems), len(reading.cut)))


def _take_orders(  # noqa: PLR0913 - the whole of a mail's circumstances
    session: Session,
    work: Workplace,
    loaded: LoadedGame,
    seated: Seated,
    row: MailRow,
    incoming: Incoming,
) -> str:
    """File what the mail orders, queue the receipt and what its commands ask for."""
    player = seated.player.name
    reading = best_reading(incoming, loaded, player)
    before = load_book(session, loaded.id, seated.turn)
    filing = file_orders(session, work, loaded, row, Filing(player, reading, before))
    named = {command.name for command in reading.commands}
    told_there = named & {"wait", "ready", *UNAVAILABLE}
    if reading.lines or reading.problems or told_there or not named:
        facts = receipt_facts(session, loaded, filing, player)
        frame = frame_of(work, loaded, player)
        after = view(loaded.game, player, filing.book)
        rendered = work.reports.receipt(frame, after, facts)
        queue_to_player(
            session,
            work,
            loaded,
            seated.player,
            kind="receipt",
            rendered=rendered,
            turn=seated.turn,
            answers=incoming,
        )
    answer_commands(session, work, loaded, filing, seated.player, incoming)
    counts = (len(filing.taken.accepted), len(filing.problems))
    return f"{counts[0]} orders on file, {counts[1]} lines refused"


def _answer_late(
    session: Session, work: Workplace, loaded: LoadedGame, seated: Seated, incoming: Incoming
) -> None:
    player = seated.player.name
    now = view(loaded.game, player, load_book(session, loaded.id, loaded.game.turn))
    # At its deadline a turn may not be adjudicated yet: an answer to this is for the next.
    open_still = seated.turn == loaded.game.turn
    following = max(loaded.game.turn, seated.turn) + open_still
    frame = frame_of(work, loaded, player, orders_for=following)
    queue_to_player(
        session,
        work,
        loaded,
        seated.player,
        kind="late",
        rendered=work.reports.late(frame, now, seated.turn),
        turn=loaded.game.turn,
        orders_for=following,
        answers=incoming,
    )


def _answer_unreadable(  # noqa: PLR0913 - the whole of a mail's circumstances
    session: Session,
    work: Workplace,
    loaded: LoadedGame,
    seated: Seated,
    incoming: Incoming,
    *,
    large: bool,
) -> None:
    frame = frame_of(work, loaded, seated.player.name)
    why = UNREADABLE.get(incoming.unreadable, "it could not be read")
    too_long = large or incoming.unreadable == "too-long"
    rendered = (
        work.reports.too_long(frame)
        if too_long
        else work.reports.unreadable(frame, f"Your mail could not be read: {why}.")
    )
    queue_to_player(
        session,
        work,
        loaded,
        seated.player,
        kind="unreadable",
        rendered=rendered,
        turn=seated.turn,
        answers=incoming,
    )


def _without_token(session: Session, work: Workplace, incoming: Incoming) -> tuple[MailStatus, str]:
    """Do nothing; tell a registered address, now and then, how to answer (MAIL.md)."""
    sender = incoming.senders[0]
    known = (*players_with_address(session, sender), *players_at(session, sender))
    for game, player in reversed(known):
        if game.status != GameStatus.RUNNING:
            continue
        loaded = load_game(session, game)
        rendered = work.reports.hint(frame_of(work, loaded, player.name))
        sent = queue_to_player(
            session,
            work,
            loaded,
            player,
            kind="hint",
            rendered=rendered,
            turn=loaded.game.turn,
            answers=incoming,
        )
        return MailStatus.REJECTED, f"no token; a hint was sent{'' if sent else ' lately'}"
    return MailStatus.REJECTED, "no token, and nobody we know"
