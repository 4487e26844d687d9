"""The command ``observe GAME``: for those whom the GM lists, by the address that they write from.

It orders nothing and shows what is public, so that an address is enough; the answer goes to it.
"""

from __future__ import annotations

from sqlmodel import Session

from postal.engine.view import view
from postal.mail.authentication import doubt
from postal.ordertext import Context, own_words, read_mail
from postal.reports import Said
from postal.service.inbound.case import Case
from postal.service.inbound.outcome import Outcome
from postal.service.inbound.passing import Change
from postal.service.loading import load_game
from postal.service.outbound.kinds import LetterKind
from postal.service.overtaken import OvertakenError
from postal.store.observers import observed_by, stop_observing
from postal.store.people import people_at
from postal.store.rows import JournalRow, MailStatus, PersonRow


def observing(case: Case) -> Outcome | None:
    """Do what a mail without a token asks for whom the GM lists; None for any other mail."""
    wishes = _wishes(case)
    if not wishes or doubt(case.incoming, case.work.identity.authserv_id) is not None:
        return None
    sender = case.incoming.senders[0]
    changes: list[Change] = []
    for person in people_at(case.session, sender):
        listed = {game.slug: game for _, game in observed_by(case.session, person.id or 0)}
        for wish in wishes:
            said, more = observe(case, person, wish)
            if said.kind == "observe-none":
                continue
            changes += more
            loaded = load_game(case.session, listed[said.names[0]])
            rendered = case.work.reports.observer(
                case.letters.frame(loaded),
                view(loaded.game, None),
                person.name,
                "begun" if said.kind == "observe" else "off",
            )
            kind = LetterKind.OBSERVER_ANSWER
            case.letters.to_person(loaded, sender, person.name, rendered, kind, case.incoming)
    if not changes:
        return None
    return Outcome(MailStatus.DONE, "an observer's", changes=tuple(changes))


def observe(case: Case, person: PersonRow, wish: str) -> tuple[Said, tuple[Change, ...]]:
    """Return what becomes of a wish, ``autumn`` or ``autumn off``, and what is to be written."""
    slug, _, off = wish.partition(" ")
    found = observed_by(case.session, person.id or 0)
    row, game = next(((row, game) for row, game in found if game.slug == slug), (None, None))
    if row is None or game is None:
        return Said("observe-none"), ()
    now, row_id, game_id = case.work.clock.now(), row.id or 0, game.id

    def change(session: Session) -> None:
        if not stop_observing(session, row_id, now if off else None):
            raise OvertakenError
        said = f"{person.name} wants {'no reports' if off else 'the reports'}."
        session.add(JournalRow(at=now, game_id=game_id, what="observer", sentence=said))

    return Said("observe-off" if off else "observe", (slug,)), (change,)


def _wishes(case: Case) -> tuple[str, ...]:
    """Return what ``observe`` stands before, above all quoting, the last one of a game alone."""
    for text in case.incoming.texts:
        commands = read_mail(own_words(text), Context({}, {})).commands
        wishes = [one.argument for one in commands if one.name == "observe"]
        if wishes:
            return tuple({wish.partition(" ")[0]: wish for wish in wishes}.values())
    return ()
