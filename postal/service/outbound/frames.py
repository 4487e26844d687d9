"""What a mail says beside the play: who runs the game, where an answer goes, and until when."""

from __future__ import annotations

from dataclasses import replace

from postal.clock import zone_called
from postal.mail.tokens import plus_address, subject_tag
from postal.reports import Frame
from postal.service.loading import LoadedGame
from postal.service.workplace import Workplace
from postal.store.seats import HeldSeat


class Frames:
    """Makes the frames of mails."""

    def __init__(self, work: Workplace) -> None:
        """Take the workplace that the mails go out from."""
        self.work = work

    def frame(
        self, loaded: LoadedGame, seat: HeldSeat | None = None, *, orders_for: int | None = None
    ) -> Frame:
        """Return what a mail of a game says beside the play: who, where to, and until when.

        For a ``seat`` the address that is answered to holds its token for turn ``orders_for``, the
        turn in play where it is left out.
        """
        identity, turn = self.work.identity, loaded.turn
        mailbox, tag = identity.mailbox, ""
        if seat is not None:
            token = self.work.token(loaded.row, orders_for or loaded.game.turn, seat.seat)
            mailbox = plus_address(mailbox, token) if identity.plus else mailbox
            tag = "" if identity.plus else f"{loaded.row.slug} {subject_tag(token)}"
        return Frame(
            slug=loaded.row.slug,
            title=loaded.rules.name,
            gm=identity.gm_name,
            gm_address=identity.gm_address,
            mailbox=mailbox,
            deadline=turn.deadline if turn else None,
            zone=turn.zone if turn else loaded.row.zone,
            commitment=loaded.row.commitment,
            now=self.work.clock.now(),
            reply_subject=tag,
            holders=loaded.holders,
            on_hold=loaded.row.hold_since is not None,
            hold_until=loaded.row.hold_until,
            own_zone=_zone(seat),
            settle=loaded.row.settle if turn else None,
            grace=loaded.rules.number("grace"),
        )

    def resigning_frame(self, loaded: LoadedGame, seat: HeldSeat) -> Frame:
        """Return the frame of a mail that asks a seat's holder whether he gives it up."""
        token = self.work.resigning_token(loaded.row, loaded.game.turn, seat.seat)
        return replace(self.address_frame(loaded, token), own_zone=_zone(seat))

    def address_frame(self, loaded: LoadedGame, token: str) -> Frame:
        """Return the frame of a mail to an address that is answered with ``token``."""
        mailbox, plus = self.work.identity.mailbox, self.work.identity.plus
        return replace(
            self.frame(loaded),
            mailbox=plus_address(mailbox, token) if plus else mailbox,
            reply_subject="" if plus else f"{loaded.row.slug} {subject_tag(token)}",
        )

    def frame_of_none(self) -> Frame:
        """Return the frame of a notice that is about no game."""
        return Frame(
            slug="postal",
            title="postal",
            gm=self.work.identity.gm_name,
            gm_address=self.work.identity.gm_address,
            mailbox=self.work.identity.mailbox,
            deadline=None,
            zone="UTC",
            commitment="",
            now=self.work.clock.now(),
        )


def _zone(seat: HeldSeat | None) -> str:
    """Return the zone of a holder's clocks, empty where it isn't known, or not known any more."""
    named = seat.person.zone if seat else None
    return (zone_called(named) or "") if named else ""
