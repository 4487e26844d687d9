"""A mail of somebody who held a seat and doesn't any more: he is told so, and nothing is done."""

from __future__ import annotations

from postal.mail.tokens import candidates
from postal.service.inbound.case import Case
from postal.service.inbound.outcome import Outcome
from postal.service.loading import load_game
from postal.service.outbound.kinds import LetterKind
from postal.store.holders import seats_left
from postal.store.people import addresses_of, people_at, seats_held
from postal.store.rows import GameRow, GameStatus, MailStatus, PersonRow, SeatRow
from postal.store.turns import turns_done

_SERIALS = 50
"""So many serials of a seat, from its first on and up to its last, are looked through."""


def from_former_holder(case: Case) -> Outcome | None:
    """Answer a mail for a seat that its sender has lost; None where it is none.

    It bears a token that the seat had before; or any mail will do, where he plays in no game any
    more. The answer goes to the address of his own reports, as every answer does.
    """
    for person in people_at(case.session, case.incoming.senders[0]):
        left = seats_left(case.session, person.id or 0)
        found = next(((seat, game) for seat, game in left if _bears(case, seat, game)), None)
        if found is None and left and not _plays(case, person):
            found = left[0]
        if found is not None:
            return _answered(case, person, *found)
    return None


def _answered(case: Case, person: PersonRow, seat: SeatRow, game: GameRow) -> Outcome:
    rows = addresses_of(case.session, [person.id or 0])
    address = next((row.address for row in rows if row.reports), "")
    if address:
        loaded, letters = load_game(case.session, game), case.letters
        frame = letters.frame(loaded)
        rendered = case.work.reports.gone(frame, person.name, seat.name, wrote=True)
        letters.to_person(loaded, address, person.name, rendered, LetterKind.FORMER, case.incoming)
    reason = f"from a former holder of the seat of {seat.name} in {game.slug}"
    return Outcome(MailStatus.REJECTED, reason)


def _bears(case: Case, seat: SeatRow, game: GameRow) -> bool:
    """Whether a mail bears a token that the seat had before its tokens were last revoked.

    None of them is stored any more: they are made once more to be compared. After a restore the
    serials go on far above, so that not all between can be.
    """
    found = set(candidates(case.incoming))
    turns = turns_done(case.session, [game.id or 0]).get(game.id or 0, 0)
    serials = range(seat.token_serial)
    for serial in dict.fromkeys((*serials[-_SERIALS:], *serials[:_SERIALS])):
        before = SeatRow(**{**seat.model_dump(), "token_serial": serial})
        if any(case.work.token(game, turn, before) in found for turn in range(turns + 3)):
            return True
    return False


def _plays(case: Case, person: PersonRow) -> bool:
    held = seats_held(case.session, person.id or 0)
    return any(game.status is GameStatus.RUNNING for _, game in held)
