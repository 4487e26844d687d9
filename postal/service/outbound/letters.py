"""The one builder of letters: threaded, with the receiver's token, for the transaction to queue."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from sqlmodel import Session

from postal.mail.calendar import DeadlineEvent, calendar_text
from postal.mail.incoming import Incoming
from postal.mail.message import Outgoing, build
from postal.mail.tokens import message_id, plus_address, subject_tag
from postal.reports import Rendered, shown_name
from postal.service.loading import LoadedGame
from postal.service.outbound.frames import Frames
from postal.service.outbound.kinds import MOST_ANSWERS, REPORTS, LetterKind
from postal.service.outbound.mistakes import template_sentence, template_trouble
from postal.service.overtaken import OvertakenError
from postal.service.workplace import Workplace
from postal.store.outbox import count_messages, queue_messages, threads
from postal.store.rows import OutboxRow, TokenRow, TroubleRow, fold
from postal.store.seats import HeldSeat, token_serials
from postal.store.tokens import (
    issue,
    token_for_address,
    token_for_person,
    token_for_resigning,
    token_for_seat,
)
from postal.store.troubles import begin_telling

LOG = logging.getLogger("postal")

NAME_LENGTH = 20

TIME_TO_CONFIRM = timedelta(days=7)
"""How long an answer confirms that a player gives his seat up."""

TEMPLATE_FAILS = "one of your templates fails"
"""The subject of the notice about a mistake in a template."""


@dataclass(frozen=True, slots=True)
class Letter:
    """What a player is to be told, and of which turn.

    ``orders_for`` is the turn that an answer to it orders for, the one in play where it is left
    out: its token goes into Reply-To or Subject, and into the Message-ID. ``answers`` is the
    mail that it answers, if it does. It is not sent before ``send_at`` (aware UTC). ``resigns``: an
    answer to it confirms that he gives his seat up.
    """

    kind: LetterKind
    rendered: Rendered = field(repr=False)
    turn: int
    orders_for: int | None = None
    answers: Incoming | None = field(default=None, repr=False)
    send_at: datetime | None = None
    resigns: bool = False


class Letters(Frames):
    """Builds the letters of one use case and keeps them until its transaction queues them.

    Everything that is looked up is looked up through the session it is given, which only reads.
    """

    def __init__(self, session: Session, work: Workplace) -> None:
        """Take the session to read in."""
        super().__init__(work)
        self.session = session
        self._threads: dict[tuple[int, int], dict[int, list[str]]] = {}
        self._messages: list[OutboxRow] = []
        self._tokens: list[TokenRow] = []
        self._mistakes: set[str] = set()
        self._notices: list[tuple[TroubleRow, OutboxRow]] = []
        self._serials: dict[int, int] = {}

    def to_player(self, loaded: LoadedGame, seat: HeldSeat, letter: Letter) -> bool:
        """Write to a seat's holder, never to the From of a mail; False where that can't be now.

        An answer goes to a further address of his, once that is confirmed, where he wrote from it.
        """
        work, identity, turn = self.work, self.work.identity, letter.turn
        recipient = recipient_of(seat, letter.answers)
        if not recipient:
            LOG.info("no %s to seat %s: no address is known", letter.kind, seat.id)
            return False
        if letter.answers is not None and self._enough(recipient, letter.kind):
            LOG.info("no %s to seat %s: enough for now", letter.kind, seat.id)
            return False
        orders_for = loaded.game.turn if letter.orders_for is None else letter.orders_for
        make = work.resigning_token if letter.resigns else work.token
        token = make(loaded.row, orders_for, seat.seat)
        earlier = self._thread(loaded, seat, turn)
        subject, answered = letter.rendered.subject, letter.answers
        outgoing = self._outgoing(
            recipient,
            shown_name(seat.name, loaded.holders),
            letter.rendered,
            subject if identity.plus else f"{subject} {subject_tag(token)}",
            message_id(token, work.new_name(NAME_LENGTH), identity.domain),
        )
        outgoing = replace(
            outgoing,
            sender_name=identity.gm_name,
            reply_to=plus_address(identity.mailbox, token) if identity.plus else identity.mailbox,
            in_reply_to=answered.message_id if answered else (earlier[-1] if earlier else ""),
            references=(*earlier, *((answered.message_id,) if answered else ())),
            list_id=f"{loaded.row.slug} <{loaded.row.slug}.{identity.domain}>",
            automatic=letter.kind.automatic,
            calendar=self._calendar(loaded) if letter.kind.has_calendar else "",
        )
        self._keep(outgoing, letter.kind, letter.rendered, loaded, turn, seat)
        self._messages[-1].next_try_at = letter.send_at
        self._tokens.append(self._token(letter, token, seat, orders_for))
        self._serials[seat.id] = seat.seat.token_serial
        return True

    def _token(self, letter: Letter, token: str, seat: HeldSeat, orders_for: int) -> TokenRow:
        now = self.work.clock.now()
        if letter.resigns:
            return token_for_resigning(token, seat.id, orders_for, now, now + TIME_TO_CONFIRM)
        return token_for_seat(token, seat.id, orders_for, now)

    def to_address(  # noqa: PLR0913 - each is a part of the mail
        self,
        loaded: LoadedGame,
        seat: HeldSeat,
        address: str,
        address_id: int,
        rendered: Rendered,
        token: str,
    ) -> None:
        """Write to an address that is asked to be a person's too, or just became so.

        ``token`` confirms the address and orders nothing; the seat's own stands nowhere in it.
        """
        work, identity = self.work, self.work.identity
        outgoing = self._outgoing(
            address,
            "",
            rendered,
            rendered.subject if identity.plus else f"{rendered.subject} {subject_tag(token)}",
            message_id(token, work.new_name(NAME_LENGTH), identity.domain),
        )
        outgoing = replace(
            outgoing,
            sender_name=identity.gm_name,
            reply_to=plus_address(identity.mailbox, token) if identity.plus else identity.mailbox,
        )
        self._keep(outgoing, LetterKind.ADDRESS, rendered, loaded, loaded.game.turn, seat)
        self._tokens.append(token_for_address(token, address_id, work.clock.now()))

    def to_person(  # noqa: PLR0913 - each is a part of the mail
        self,
        loaded: LoadedGame,
        address: str,
        name: str,
        rendered: Rendered,
        kind: LetterKind,
        answers: Incoming | None = None,
        asks: tuple[str, int] | None = None,
    ) -> bool:
        """Write to somebody who holds no seat of the game: no token of one stands in it.

        ``asks`` is the token that an answer of his has, and the person's id. False where it is an
        answer and he has had enough of them for now.
        """
        if answers is not None and self._enough(address, kind):
            return False
        identity = self.work.identity
        unique, token = self.work.new_name(NAME_LENGTH), asks[0] if asks else ""
        identifier = f"<postal-note.{unique}@{identity.domain}>"
        if token:
            identifier = message_id(token, unique, identity.domain)
        plus = identity.plus or not token
        subject = rendered.subject if plus else f"{rendered.subject} {subject_tag(token)}"
        outgoing = self._outgoing(address, name, rendered, subject, identifier)
        outgoing = replace(
            outgoing,
            sender_name=identity.gm_name,
            in_reply_to=answers.message_id if answers else "",
            references=(answers.message_id,) if answers and answers.message_id else (),
            automatic=kind.automatic,
        )
        if asks is not None:
            box = identity.mailbox
            outgoing = replace(outgoing, reply_to=plus_address(box, token) if plus else box)
            self._tokens.append(token_for_person(*asks, self.work.clock.now()))
        self._keep(outgoing, kind, rendered, loaded, loaded.game.turn, None)
        return True

    def to_gm(
        self,
        rendered: Rendered,
        loaded: LoadedGame | None = None,
        turn: int | None = None,
        *,
        once: str | None = None,
        answer_to: tuple[str, str] = ("", ""),
    ) -> None:
        """Write to the GM's own address; an answer to it orders nothing.

        What has the same ``once`` is written once, however often it is met with. An answer goes to
        ``answer_to``, a name and an address, where it is given.
        """
        identity = self.work.identity
        name = f"<postal-gm.{self.work.new_name(NAME_LENGTH)}@{identity.domain}>"
        outgoing = self._outgoing(
            identity.gm_address, identity.gm_name, rendered, rendered.subject, name
        )
        who, reply_to = answer_to
        outgoing = replace(outgoing, sender_name=who or "postal", reply_to=reply_to)
        self._keep(outgoing, LetterKind.GM, rendered, loaded, turn, None, once)

    def notify_gm(  # noqa: PLR0913 - each is a part of the notice, named at the call
        self,
        subject: str,
        sentences: Sequence[str],
        loaded: LoadedGame | None = None,
        turn: int | None = None,
        *,
        once: str | None = None,
        words: str = "",
        answer_to: tuple[str, str] = ("", ""),
    ) -> None:
        """Write a notice to the GM; ``sentences`` and another's ``words`` hold no secret."""
        frame = self.frame(loaded) if loaded else self.frame_of_none()
        rendered = self.work.reports.gm_notice(frame, subject, sentences, words)
        self.to_gm(rendered, loaded, turn, once=once, answer_to=answer_to)

    def queue(self, session: Session) -> Sequence[OutboxRow]:
        """Queue all that was written, in the transaction of the use case; return what is new.

        OvertakenError where a seat's tokens were revoked since: a letter would give them out
        again, and perhaps at an address that is no longer the holder's.
        """
        if token_serials(session, self._serials, "issue") != self._serials:
            raise OvertakenError
        issue(session, self._tokens)
        known = {id(notice) for of, notice in self._notices if not begin_telling(session, of)}
        return queue_messages(session, [one for one in self._messages if id(one) not in known])

    def _outgoing(
        self, recipient: str, name: str, rendered: Rendered, subject: str, identifier: str
    ) -> Outgoing:
        return Outgoing(
            sender=self.work.identity.mailbox,
            recipient=recipient,
            recipient_name=name,
            subject=subject,
            text=rendered.text,
            html=rendered.html,
            message_id=identifier,
            date=self.work.clock.now(),
        )

    def _calendar(self, loaded: LoadedGame) -> str:
        """Return a game's deadline as a calendar file, empty where there is none.

        It is one event from the first turn to the last, so that it never stands there twice. Once
        the game is over it is taken out.
        """
        row, turn, now = loaded.row, loaded.turn, self.work.clock.now()
        deadline = turn.deadline if turn else now
        if deadline is None:
            return ""
        event = DeadlineEvent(
            uid=f"{row.slug}.{row.commitment[:16]}@{self.work.identity.domain}",
            # Seconds, since a count of what changed would tell of others' orders.
            sequence=int((now - row.created_at).total_seconds()),
            summary=f"{row.slug}: {f'turn {turn.number} ends' if turn else 'the game is over'}",
            at=deadline,
            stamp=now,
            over=turn is None,
        )
        return calendar_text(event)

    def _keep(  # noqa: PLR0913 - each is a column of the row
        self,
        outgoing: Outgoing,
        kind: LetterKind,
        rendered: Rendered,
        loaded: LoadedGame | None,
        turn: int | None,
        seat: HeldSeat | None,
        once: str | None = None,
    ) -> None:
        if loaded is not None and seat is not None and turn is not None:
            once = kind.once_key(loaded.id, turn, seat.id)
        self._messages.append(
            OutboxRow(
                created_at=outgoing.date,
                game_id=loaded.id if loaded else None,
                turn=turn,
                seat_id=seat.id if seat else None,
                recipient=outgoing.recipient,
                kind=kind,
                subject=rendered.subject,
                message_id=outgoing.message_id,
                once_key=once,
                raw=build(outgoing),
            )
        )
        for mistake in rendered.mistakes:
            self._tell_mistake(mistake)

    def _tell_mistake(self, mistake: str) -> None:
        """Tell the GM of a mistake in a template of his, unless he was told and it lasts.

        His template of notices may be the one: it is told of in its own notice, and no further.
        """
        if mistake in self._mistakes:
            return
        self._mistakes.add(mistake)
        sentence = template_sentence(mistake)
        sentences = (
            sentence,
            "The mail was made from postal's own templates, text and HTML, so nothing is held up.",
            "Correct the file, then run `postal check`: it tries out all your templates.",
        )
        notice = len(self._messages)
        self.notify_gm(TEMPLATE_FAILS, sentences)
        trouble = template_trouble(self.work, sentence)
        self._notices.append((trouble, self._messages[notice]))

    def _enough(self, recipient: str, kind: LetterKind) -> bool:
        """Whether an address has been answered enough for now, this use case's letters too."""
        now = self.work.clock.now()
        mine = [message.kind for message in self._messages if message.recipient == recipient]
        if kind.pause is not None and (
            kind in mine or count_messages(self.session, recipient, now - kind.pause, (kind,))
        ):
            return True
        lately = count_messages(self.session, recipient, now - timedelta(days=1))
        return lately + len(mine) >= MOST_ANSWERS

    def _thread(self, loaded: LoadedGame, seat: HeldSeat, turn: int) -> list[str]:
        """Return the Message-IDs of the first and the last report before, for References.

        One statement serves every seat of the game.
        """
        key = (loaded.id, turn)
        if key not in self._threads:
            found: dict[int, list[str]] = {}
            before = sorted({0, turn - 1} - {-1})
            rows = threads(self.session, loaded.id, before, REPORTS)
            for number in before:
                for seat_id, of_turn, name in rows:
                    if of_turn == number:
                        found.setdefault(seat_id, []).append(name)
            self._threads[key] = found
        return self._threads[key].get(seat.id, [])


def recipient_of(seat: HeldSeat, answers: Incoming | None) -> str:
    """Return where reports go, or the confirmed address that is answered."""
    if answers is None or len(answers.senders) != 1:
        return seat.address
    return next(
        (one for one in seat.addresses if fold(one) == fold(answers.senders[0])), seat.address
    )
