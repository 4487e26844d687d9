"""What a player may have seen, table by table, and which cards his mails show him."""

import html
import re
from collections import defaultdict
from email.message import Message
from typing import Any

from tests.acceptance.players import text_of

CARD_OR_TABLE = re.compile(
    r"\b(?:[Hh]and|[Tt]able)\s+(?P<hand>[A-D])(?:\d|\b)"
    r"|^\W*(?P<line>[A-D]):"
    r"|\b(?P<card>JKR|(?:10|[2-9JQKA])[CDHS])\b",
    re.MULTILINE,
)

LETTERS = str.maketrans({"♣": "C", "♦": "D", "♥": "H", "♠": "S", "\ufe0e": None, "\u2060": None})


def cards_in(text: str) -> dict[str, set[str]]:
    """Return the cards that a text names, by the table that it names before them."""
    found: dict[str, set[str]] = defaultdict(set)
    table = ""
    for match in CARD_OR_TABLE.finditer(text.translate(LETTERS)):
        if match["card"]:
            found[table].add(match["card"])
        else:
            table = match["hand"] or match["line"]
    return found


def cards_of(mail: Message) -> dict[str, set[str]]:
    """Return the cards that a mail names in its subject, its text or its HTML."""
    page = re.sub(
        r"<style.*?</style>|<title.*?</title>", " ", text_of(mail, "text/html"), flags=re.DOTALL
    )
    page = re.sub(r"</?(?:p|div|h\d|t[hdr]|table)\b[^>]*>", "\n", page)
    page = html.unescape(re.sub(r"<[^>]*>", "", page))
    page = page.replace("Joker", "JKR")
    found = cards_in(str(mail["Subject"]))
    for text in (text_of(mail), page):
        for table, cards in cards_in(text).items():
            found[table] |= cards
    return found


class Eyes:
    """What each player has been able to see of each table so far, and what has been hidden."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._seen: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._own: dict[tuple[str, str], set[str]] = {}
        self._there: dict[str, set[str]] = defaultdict(set)

    def learn(self, facts: Any) -> None:
        """Take in what ``game show --reveal --json`` tells: his own cards, and all face up."""
        players = [player["name"] for player in facts["players"]]
        for hand in facts["hands"]:
            table = hand["hand"][0]
            for seat in hand["seats"]:
                shown, hidden = set(seat["shown"].split()), set(seat.get("hidden", "").split())
                own = shown | hidden | set(seat.get("discarded", "").split())
                self._own[seat["player"], table] = shown | hidden
                self._seen[seat["player"], table] |= own
                self._there[table] |= own
                for player in players:
                    self._seen[player, table] |= shown

    def check(self, player: str, mail: Message) -> None:
        """Fail where a mail to a player shows a card that he can't have seen (10.3)."""
        told = cards_of(mail)
        for table, there in self._there.items():
            assert there - self._seen[player, table], "nothing is hidden, so nothing is checked"
            leaked = told[table] - self._seen[player, table]
            assert not leaked, f"{mail['Subject']} shows {player} {leaked} of table {table}"
        assert not told[""], f"{mail['Subject']} shows {player} {told['']} of no table"

    def check_own(self, player: str, mail: Message) -> None:
        """Fail where a report doesn't show a player all that he holds."""
        told = cards_of(mail)
        for table in self._there:
            missing = self._own[player, table] - told[table]
            assert not missing, f"{mail['Subject']} lacks {missing} of table {table}"

    def check_opened(self, mail: Message) -> None:
        """Fail where a final report doesn't open every card that was dealt (10.4)."""
        told = cards_of(mail)
        for table, there in self._there.items():
            assert there <= told[table]
