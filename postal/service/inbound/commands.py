"""The answers to what a mail asks for: help, status, orders, resend, rules; and gifts by post."""

from __future__ import annotations

from postal.engine.rulefile import option_choices
from postal.engine.rules import STANDARD_WORDS
from postal.engine.state import Passed
from postal.engine.view import view
from postal.reports import OptionFact, Rendered
from postal.service.inbound.case import SeatCase
from postal.service.inbound.filing import Filing
from postal.service.inbound.holidays import holiday_answer
from postal.service.inbound.receipts import receipt_facts
from postal.service.inbound.resigning import ask_back
from postal.service.inbound.zones import names_a_zone
from postal.service.loading import LoadedGame
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter, Letters
from postal.service.turns.reports import write_report_again


def answer_commands(case: SeatCase, filing: Filing) -> None:
    """Write the answer to each command of a mail, once each."""
    for name in dict.fromkeys(command.name for command in filing.reading.commands):
        if name == "resend":
            write_report_again(case.letters, case.loaded, case.seat, case.incoming)
            continue
        if name == "resign":
            ask_back(case)
            continue
        rendered = (
            holiday_answer(case, filing.reading)
            if name == "holiday"
            else _answer(case, filing, name)
        )
        if rendered is not None:
            kind, turn = LetterKind(name), case.loaded.game.turn
            letter = Letter(kind, rendered, turn, answers=case.incoming)
            case.letters.to_player(case.loaded, case.seat, letter)


def send_gifts(letters: Letters, loaded: LoadedGame, filing: Filing) -> None:
    """Write to each player who is sent cards by post because of some orders (RULES.md 2.4)."""
    for receiver in dict.fromkeys(gift.receiver for gift in filing.gifts):
        gifts = [
            (gift.table, Passed(gift.giver, gift.cards))
            for gift in filing.gifts
            if gift.receiver == receiver
        ]
        seat = loaded.seat(receiver)
        seen = view(loaded.game, receiver, filing.book)
        rendered = letters.work.reports.gift(letters.frame(loaded, seat), seen, gifts)
        letter = Letter(LetterKind.GIFT, rendered, loaded.game.turn)
        letters.to_player(loaded, seat, letter)


def option_facts(loaded: LoadedGame) -> tuple[OptionFact, ...]:
    """Return each option of the game with its value and what the game file says of it."""
    said = option_choices(loaded.rules.source)
    return tuple(
        OptionFact(name, value, str(said.get(name, {}).get("says", STANDARD_WORDS.get(name, ""))))
        for name, value in loaded.rules.told_options.items()
    )


def _answer(case: SeatCase, filing: Filing, name: str) -> Rendered | None:
    loaded, reports = case.loaded, case.work.reports
    frame = case.letters.frame(loaded, case.seat)
    seen = view(loaded.game, filing.player, filing.book)
    match name:
        case "help":
            return reports.help(frame)
        case "status":
            return reports.status(frame, seen)
        case "orders":
            return reports.orders_on_file(
                frame, seen, receipt_facts(loaded, filing, case.work.clock.now())
            )
        case "rules":
            return reports.rules(frame, option_facts(loaded), loaded.rules.rulings)
        case "zone":
            return reports.zone(frame, seen, known=names_a_zone(filing.reading))
        case _:
            return None
