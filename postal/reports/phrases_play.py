"""The words for orders that the rules or the state of the game don't allow (RULES.md)."""

from __future__ import annotations

from postal.engine.problems import Fault
from postal.reports.phrases import Phrase

_EXAMPLE = "Write for example"
_BETS = "You may {any_verb}."
_WITH_THAT = "You may {any_verb} with that{elsewhere}."
_RAISE = "Write for example (you may: {verbs})"
_STANDS = "your {verb} stands, but {dropped_cards} dropped:"


def _of_hand(said: str, lead: str = "", advice: str = "") -> Phrase:
    return Phrase(said, lead, advice, of_hand=True)


PLAY_PHRASES: dict[Fault, Phrase] = {
    Fault.NO_SUCH_TABLE: Phrase("There is no table {table} in this game."),
    Fault.HAND_OVER: Phrase("{hand} is over.", advice="Nothing is due there."),
    Fault.OTHER_KIND_DUE: _of_hand("now you have to {doing}.", _EXAMPLE, "{may}"),
    Fault.OTHER_KIND_DUE_FROM_OTHERS: _of_hand("now it is {players}'s move, to {doing}."),
    Fault.KEEP_MISSING: _of_hand("that is what you expose; what you keep is missing.", _EXAMPLE),
    Fault.OTHERS_MOVE: _of_hand("it is {players}'s move."),
    Fault.NO_BET_STAGE: Phrase("No bet is due from you at any table."),
    Fault.NO_BET_DUE: Phrase("No bet is due from you at any table."),
    Fault.GIFTS_SENT: _of_hand(
        "your gifts at table {table} are already on their way.",
        advice="They can no longer be changed.",
    ),
    Fault.LATER_STANDS: _of_hand(
        "a later mail of yours was handled before this one, and what it says there stands."
    ),
    Fault.STANDS_AS_IT_WAS: _of_hand(
        "what you ordered in the turn that was taken back stands.",
        advice="The GM has not opened it for you, or cards of it were seen.",
    ),
    Fault.WRONG_GIFTS: _of_hand("you must give {gifts}.", _EXAMPLE),
    Fault.WRONG_NUMBER: _of_hand("you must {verb} {needed_cards}, not {given}.", _EXAMPLE),
    Fault.WRONG_EXPOSURE: _of_hand("you must expose {needed_cards}, not {given}.", _EXAMPLE),
    Fault.EXPOSURE_SEEN: _of_hand(
        "you must expose {cards} again, as in the turn that was taken back.", _EXAMPLE
    ),
    Fault.NOT_HELD: _of_hand("you do not hold {cards}; face down you hold {held}.", _EXAMPLE),
    Fault.EXPOSED_NOT_KEPT: _of_hand(
        "you can expose only cards that you keep, and you keep {held}.", _EXAMPLE
    ),
    Fault.RAISE_CAP: _of_hand("there {were_raises}, the most in one stage.", advice=_BETS),
    Fault.NOTHING_TO_EQUAL: _of_hand(
        "there is nothing to equal, so you cannot stay.", advice=_BETS
    ),
    Fault.BEHIND_OPPONENT: _of_hand(
        "your opponent is {amount} ahead, so you cannot check.", advice=_BETS
    ),
    Fault.CALL_FIRST: _of_hand("the first bet cannot be a call.", advice=_BETS),
    Fault.BET_BARRED: _of_hand("you cannot {verb} now.", advice=_BETS),
    Fault.OVER_LIMIT: _of_hand("a raise of {amount} is over the limit of {limit}.", _RAISE, _BETS),
    Fault.UNDER_LIMIT: _of_hand(
        "a raise of {amount} is below the least of {limit}.", _RAISE, _BETS
    ),
    Fault.NOT_COVERED: _of_hand(
        "that needs {amount} and you have {limit} left.",
        f"{_WITH_THAT} {_EXAMPLE}",
        _WITH_THAT,
    ),
    Fault.EXPOSE_NOT_NEXT: _of_hand(f"{_STANDS} no card is exposed after this."),
    Fault.EXPOSE_NOT_WITH_BET: _of_hand(f"{_STANDS} only a raise or a stay can name one."),
    Fault.EXPOSE_WRONG_NUMBER: _of_hand(f"{_STANDS} name {{needed_cards}}."),
    Fault.EXPOSE_NOT_HELD: _of_hand(f"{_STANDS} you do not hold {{it}} face down."),
    Fault.EXPOSE_SEEN: _of_hand(
        f"{_STANDS} after a stay you must expose {{cards}} again, as in the turn that was taken"
        " back."
    ),
}
