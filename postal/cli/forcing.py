"""``postal adjudicate`` forces a turn, or says what that would do."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from postal.cli import asking
from postal.cli.asking import Yes, ask
from postal.cli.mailroom import recover_alone
from postal.cli.options import Data, Json
from postal.cli.turns import GameName, Reveal

if TYPE_CHECKING:
    from postal.bootstrap import Office
    from postal.engine.events import Event
    from postal.service.outbound.delivery import Delivered
    from postal.service.turns.adjudication import Adjudicated


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(adjudicate)


def adjudicate(
    game: GameName,
    data: Data,
    turn: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", help="Only this turn: nothing is done if the game is past it."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how much would be done; change nothing.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Force a turn that was set aside too, due or not.")
    ] = False,
    reveal: Reveal = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Poll the inbox once more, then force the turn, with defaults for missing orders.

    On a terminal it asks first where somebody would be NMR. A turn that was set aside is put back
    in play with its orders, and adjudicated only if it is due.
    """
    from postal.bootstrap import open_office

    with open_office(data) as office:
        meant = _meant(office, game, turn)
        if isinstance(meant, str):
            facts: dict[str, Any] = _nothing(game, meant)
        elif dry_run:
            facts = _preview(office, game, reveal)
        else:
            facts = _done(office, game, meant, force=force, yes=yes)
    says = facts.pop("says")
    if as_json:
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False))
    else:
        typer.echo("\n".join(says))


def _meant(office: Office, game: str, turn: int | None) -> int | str:
    """Return the turn to adjudicate; where the game is past it or over, a sentence."""
    from postal.service.desk.adjudicate import turn_meant

    return turn_meant(office.work, game, turn)


def _nothing(game: str, sentence: str) -> dict[str, Any]:
    return {"game": game, "turn": None, "adjudicated": False, "says": [sentence]}


def _done(office: Office, game: str, turn: int, *, force: bool, yes: bool) -> dict[str, Any]:
    """Poll, ask where there is somebody to ask, adjudicate, and send."""
    from postal.service.desk.adjudicate import force_turn, go_on, preview, take_up

    rounds = office.rounds()
    try:
        recover_alone(office, rounds)
        # Before the poll, so that mail that was kept for it is handled by that.
        force = not take_up(office.work, game) or force
        rounds.poll()
        asks = force and not yes and asking.on_terminal()
        if asks and isinstance(_meant(office, game, turn), int):
            missing = _missing(preview(office.work, game)[2])
            if missing:
                names = "; ".join(_named(missing))
                ask(f"{game}: in turn {turn} {names} would be NMR. Adjudicate it?", yes=yes)
                # An order may have come while the question stood.
                rounds.poll()
        # A daemon may have adjudicated it meanwhile: the next turn is not to be forced.
        still = _meant(office, game, turn)
        if isinstance(still, str):
            return _nothing(game, still)
        done = (force_turn if force else go_on)(office.work, game, turn)
        sent = rounds.send()
    finally:
        rounds.close()
    return _nothing(game, done) if isinstance(done, str) else _facts(game, done, sent)


def _facts(game: str, done: Adjudicated, sent: Delivered) -> dict[str, Any]:
    from postal.reports.display import counted

    mails = counted(sent.sent, "mail")
    return {
        "game": game,
        "turn": done.turn,
        "adjudicated": True,
        "finished": done.finished,
        "nmr": _missing(done.events),
        "sent": sent.sent,
        "retried": sent.retried,
        "failed": sent.failed,
        "says": [
            f"{game}: turn {done.turn} is adjudicated{'; the game is over' * done.finished}.",
            f"{mails} sent, {sent.retried} to be tried again, {sent.failed} failed.",
        ],
    }


def _missing(events: Iterable[Event]) -> dict[str, list[str]]:
    """Return who is NMR, and at which hands."""
    from postal.engine.events import Nmr

    missing: dict[str, dict[str, None]] = {}
    for event in events:
        if isinstance(event, Nmr):
            missing.setdefault(event.player, {})[event.hand] = None
    return {player: list(hands) for player, hands in missing.items()}


def _named(missing: Mapping[str, list[str]]) -> list[str]:
    return [f"{player} ({', '.join(hands)})" for player, hands in missing.items()]


def _preview(office: Office, game: str, reveal: bool) -> dict[str, Any]:
    """Return how much would be done; who would be NMR and what would happen with ``reveal``."""
    from postal.engine.game import due
    from postal.reports.display import counted
    from postal.service.desk.adjudicate import preview
    from postal.service.desk.looks import look

    if reveal:
        says = "what a turn would come to (`postal adjudicate --dry-run --reveal`)"
        look(office.work, game, says)
    before, _, events = preview(office.work, game)
    missing, owed = _missing(events), due(before)
    hands = len({hand for _, hand in owed})
    lacking = sum(map(len, missing.values()))
    facts: dict[str, Any] = {
        "game": game,
        "turn": before.turn,
        "adjudicated": False,
        "due": len(owed),
        "hands": hands,
        "missing": lacking,
    }
    if not reveal:
        says = (
            f"{game}: turn {before.turn} would be adjudicated ({counted(len(owed), 'order')} due"
            f" at {counted(hands, 'hand')}, {lacking} missing); nothing is changed or mailed."
            " --reveal shows the rest."
        )
        return {**facts, "says": [says]}
    told = _told(events)
    return {
        **facts,
        "nmr": missing,
        "events": [{"hand": hand, "says": words} for hand, words in told],
        "says": [
            f"{game}: turn {before.turn} as its orders stand; nothing is changed or mailed.",
            f"NMR: {'; '.join(_named(missing)) or 'nobody'}",
            *(f"{hand or '-'}: {words}" for hand, words in told),
        ],
    }


def _told(events: Iterable[Event]) -> list[tuple[str, str]]:
    """Return what would happen for all to see, beside NMRs: at which hand, and in words."""
    from postal.engine.events import Nmr
    from postal.reports.events import told

    found = []
    for event in events:
        if event.seen_by(None) and not isinstance(event, Nmr):
            pieces = (
                piece if isinstance(piece, str) else " ".join(face.text for face in piece)
                for piece in told(event, None)
            )
            found.append((event.hand or "", "".join(pieces)))
    return found
