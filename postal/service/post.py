"""Turns what was rendered into mails in the outbox: one person each, threaded, with his token."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from sqlmodel import Session

from postal.mail.incoming import Incoming
from postal.mail.message import Automatic, Outgoing, build
from postal.mail.tokens import message_id, plus_address, subject_tag
from postal.reports import Frame, Rendered
from postal.service.work import LoadedGame, Workplace
from postal.store.addresses import confirmed_address
from postal.store.outbox import count_messages, messages_of_turn, queue_message
from postal.store.rows import OutboxRow, PlayerRow

LOG = logging.getLogger("postal")

REPORTS = ("welcome", "report", "final")
"""The kinds of which each player gets one a turn; the rest are answers and notices."""

NAME_LENGTH = 20

PAUSES = {
    "late": timedelta(minutes=5),
    "unreadable": timedelta(minutes=5),
    "hint": timedelta(hours=6),
    "held": timedelta(hours=6),
}
"""How long after one answer of a kind an address gets no other of it (RFC 3834, 2)."""

MOST_ANSWERS = 100
"""The most answers that an address gets in a day, whatever it sends: no loop runs on for ever."""


def frame_of(
    work: Workplace, loaded: LoadedGame, player: str = "", *, orders_for: int | None = None
) -> Frame:
    """Return what a mail of a game says beside the play: who, where to, and until when.

    For a ``player`` the address that he answers to holds his token for turn ``orders_for``, the
    turn in play where it is left out.
    """
    mailbox, tag, turn = work.identity.mailbox, "", loaded.turn
    if player:
        serial = loaded.player(player).token_serial
        token = work.token(loaded.row, orders_for or loaded.game.turn, player, serial)
        mailbox = plus_address(mailbox, token) if work.identity.plus else mailbox
        tag = "" if work.identity.plus else f"{loaded.row.slug} {subject_tag(token)}"
    return Frame(
        slug=loaded.row.slug,
        title=loaded.rules.name,
        gm=work.identity.gm_name,
        mailbox=mailbox,
        deadline=turn.deadline if turn else None,
        zone=turn.zone if turn else loaded.row.zone,
        commitment=loaded.row.commitment,
        now=work.clock.now(),
        reply_subject=tag,
    )


def notify_gm(  # noqa: PLR0913 - each is a part of the notice, named at the call
    session: Session,
    work: Workplace,
    subject: str,
    sentences: Sequence[str],
    *,
    loaded: LoadedGame | None = None,
    turn: int | None = None,
) -> OutboxRow:
    """Queue a notice to the GM; ``sentences`` hold no card, token or password."""
    frame = frame_of(work, loaded) if loaded else _frame_of_none(work)
    rendered = work.reports.gm_notice(frame, subject, sentences)
    return queue_to_gm(session, work, rendered, loaded=loaded, turn=turn)


def _frame_of_none(work: Workplace) -> Frame:
    return Frame(
        slug="postal",
        title="postal",
        gm=work.identity.gm_name,
        mailbox=work.identity.mailbox,
        deadline=None,
        zone="UTC",
        commitment="",
        now=work.clock.now(),
    )


def queue_to_player(  # noqa: PLR0913 - each is a part of the mail, named at the call
    session: Session,
    work: Workplace,
    loaded: LoadedGame,
    player: PlayerRow,
    *,
    kind: str,
    rendered: Rendered,
    turn: int,
    orders_for: int | None = None,
    answers: Incoming | None = None,
) -> OutboxRow | None:
    """Queue a mail to a player's registered address, never to From; None where it must wait.

    An answer goes to a second address of his, once that is confirmed, where he wrote from it.

    ``turn`` is the turn that the mail tells of, ``orders_for`` the turn that an answer to it
    orders for: its token goes into Reply-To or Subject, and into the Message-ID. ``answers`` is
    the mail that it answers.
    """
    orders_for = orders_for if orders_for is not None else loaded.game.turn
    token = work.token(loaded.row, orders_for, player.name, player.token_serial)
    recipient = _recipient(session, player, answers)
    if answers is not None and _enough(session, work, recipient, kind):
        LOG.info("no %s to player %s: enough for now", kind, player.id)
        return None
    mailbox = work.identity.mailbox
    subject = rendered.subject
    if not work.identity.plus:
        subject = f"{subject} {subject_tag(token)}"
    identifier = message_id(token, work.new_name(NAME_LENGTH), mailbox.rpartition("@")[2])
    earlier = _thread(session, loaded, player, turn)
    reports = (*REPORTS, "resend")
    automatic: Automatic = "auto-generated" if kind in reports else "auto-replied"
    raw = build(
        Outgoing(
            sender=mailbox,
            sender_name=work.identity.gm_name,
            recipient=recipient,
            recipient_name=player.name,
            subject=subject,
            text=rendered.text,
            html=rendered.html,
            message_id=identifier,
            date=work.clock.now(),
            reply_to=plus_address(mailbox, token) if work.identity.plus else mailbox,
            in_reply_to=answers.message_id if answers else (earlier[-1] if earlier else ""),
            references=(*earlier, *((answers.message_id,) if answers else ())),
            list_id=f"{loaded.row.slug} <{loaded.row.slug}.{mailbox.rpartition('@')[2]}>",
            automatic=automatic,
        )
    )
    message = OutboxRow(
        created_at=work.clock.now(),
        game_id=loaded.id,
        turn=turn,
        player=player.name,
        recipient=recipient,
        kind=kind,
        subject=rendered.subject,
        message_id=identifier,
        raw=raw,
    )
    return queue_message(session, message)[0]


def queue_to_address(  # noqa: PLR0913 - each is a part of the mail
    session: Session,
    work: Workplace,
    loaded: LoadedGame,
    player: PlayerRow,
    address: str,
    rendered: Rendered,
    token: str,
) -> OutboxRow:
    """Queue a mail to an address that is asked to be a player's second, or just became so.

    ``token`` confirms the address and orders nothing; the player's own stands nowhere in it.
    """
    mailbox = work.identity.mailbox
    identifier = message_id(token, work.new_name(NAME_LENGTH), mailbox.rpartition("@")[2])
    tag = "" if work.identity.plus else f" {subject_tag(token)}"
    raw = build(
        Outgoing(
            sender=mailbox,
            sender_name=work.identity.gm_name,
            recipient=address,
            subject=f"{rendered.subject}{tag}",
            text=rendered.text,
            html=rendered.html,
            message_id=identifier,
            date=work.clock.now(),
            reply_to=plus_address(mailbox, token) if work.identity.plus else mailbox,
        )
    )
    message = OutboxRow(
        created_at=work.clock.now(),
        game_id=loaded.id,
        turn=loaded.game.turn,
        player=player.name,
        recipient=address,
        kind="address",
        subject=rendered.subject,
        message_id=identifier,
        raw=raw,
    )
    return queue_message(session, message)[0]


def address_frame(work: Workplace, loaded: LoadedGame, token: str) -> Frame:
    """Return what a mail to a second address says beside its text; it answers with ``token``."""
    mailbox = work.identity.mailbox
    return replace(
        frame_of(work, loaded),
        mailbox=plus_address(mailbox, token) if work.identity.plus else mailbox,
        reply_subject="" if work.identity.plus else f"{loaded.row.slug} {subject_tag(token)}",
    )


def queue_to_gm(
    session: Session,
    work: Workplace,
    rendered: Rendered,
    *,
    loaded: LoadedGame | None = None,
    turn: int | None = None,
) -> OutboxRow:
    """Queue a mail to the GM's own address; an answer to it orders nothing."""
    mailbox = work.identity.mailbox
    identifier = f"<postal-gm.{work.new_name(NAME_LENGTH)}@{mailbox.rpartition('@')[2]}>"
    raw = build(
        Outgoing(
            sender=mailbox,
            sender_name="postal",
            recipient=work.identity.gm_address,
            recipient_name=work.identity.gm_name,
            subject=rendered.subject,
            text=rendered.text,
            html=rendered.html,
            message_id=identifier,
            date=work.clock.now(),
        )
    )
    message = OutboxRow(
        created_at=work.clock.now(),
        game_id=loaded.id if loaded else None,
        turn=turn,
        recipient=work.identity.gm_address,
        kind="gm",
        subject=rendered.subject,
        message_id=identifier,
        raw=raw,
    )
    return queue_message(session, message)[0]


def _enough(session: Session, work: Workplace, recipient: str, kind: str) -> bool:
    """Whether an address has been answered enough for now."""
    now = work.clock.now()
    if kind in PAUSES and count_messages(session, recipient, now - PAUSES[kind], (kind,)):
        return True
    return count_messages(session, recipient, now - timedelta(days=1)) >= MOST_ANSWERS


def _recipient(session: Session, player: PlayerRow, answers: Incoming | None) -> str:
    """Return the registered address, or the confirmed second one that is answered."""
    if answers is None or len(answers.senders) != 1 or player.id is None:
        return player.address
    return confirmed_address(session, player.id, answers.senders[0]) or player.address


def _thread(session: Session, loaded: LoadedGame, player: PlayerRow, turn: int) -> list[str]:
    """Return the Message-IDs of the first and the last report before, for References."""
    found: list[str] = []
    for number in dict.fromkeys((0, turn - 1)):
        reports = messages_of_turn(session, loaded.id, number, REPORTS) if number >= 0 else ()
        found += [row.message_id for row in reports if row.player == player.name]
    return found
