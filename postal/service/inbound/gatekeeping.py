"""Mail that may never be answered, and the one word to a player whose own it seems to be."""

from __future__ import annotations

from postal.mail.gate import Slip, from_ourselves, refusal, slip
from postal.ordertext import own_words, read_mail, read_subject
from postal.service.inbound.case import Case, SeatCase, seated
from postal.service.inbound.doubts import doubt_of
from postal.service.inbound.outcome import Outcome
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter
from postal.service.records.play import order_context
from postal.store.outbox import last_message
from postal.store.rows import MailStatus


def refused(case: Case) -> Outcome | None:
    """Leave alone what may never be answered (RFC 3834).

    But a mail with a good token which a person may have written is for the GM to see. Where it
    orders something above all quoting, the player is told so at his registered address, once a
    day at most, and his turn waits as for any line of his that was not taken (MAIL.md). Where its
    sender is doubtful besides, that word is all: it is no sign of life and holds nothing up, for
    whoever has got hold of a token could keep a player from being dropped with it.
    """
    ours = (case.work.identity.mailbox,)
    reason = refusal(case.incoming, ours)
    if not reason:
        return None
    what = slip(case.incoming, ours)
    whose = seated(case) if what else None
    if what is None or whose is None:
        # The GM may have his reports sent to the games' mailbox: they are his to read there.
        target = case.work.folder if from_ourselves(case.incoming, ours) else ""
        return Outcome(MailStatus.IGNORED, reason, target=target)
    reason = f"{reason}; it has the token of {whose.seat.name} in {whose.loaded.row.slug}"
    if whose.loaded.turn is None or not _orders_something(whose):
        return Outcome(MailStatus.REJECTED, reason)
    _tell(whose, what)
    reason = f"{reason} and orders something"
    found = doubt_of(whose)
    if found is not None:
        return Outcome(MailStatus.REJECTED, f"{reason}, but its sender is doubtful: {found.why}")
    return Outcome(MailStatus.REJECTED, reason, turn=whose.troubled(his=True))


def _orders_something(case: SeatCase) -> bool:
    context = order_context(case.loaded.game, case.seat.name)
    readings = [read_mail(own_words(text), context) for text in case.incoming.texts]
    readings.append(read_subject(case.incoming.subject, context, case.loaded.row.slug))
    return any(reading.lines or reading.commands for reading in readings)


def _tell(case: SeatCase, what: Slip) -> None:
    kind, now = LetterKind.REFUSED, case.work.clock.now()
    pause = kind.pause
    assert pause is not None, "refused mails are told with a pause"
    last = last_message(case.session, case.seat.id, kind)
    if last is not None and last.created_at > now - pause:
        return
    rendered = case.work.reports.refused(case.letters.frame(case.loaded, case.seat), what)
    # To where his reports go, whatever the mail says that it comes from.
    case.letters.to_player(case.loaded, case.seat, Letter(kind, rendered, case.loaded.game.turn))
