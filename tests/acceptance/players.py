"""The acceptance tests' players: they read over IMAP and answer over SMTP, each his own way."""

import email
import random
import re
import smtplib
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage, Message
from email.policy import SMTP
from email.utils import parseaddr
from itertools import count

from imapclient import IMAPClient

READY = re.compile(r"^:: ([A-Z]): (.+)$", re.MULTILINE)
"""A ready line of a report: its table and the order."""

LONG = 5
"""From this turn on players end their hands, so that a test's game doesn't go on for ever."""

SUITS = str.maketrans({"C": "♣", "D": "♦", "H": "♥", "S": "♠"})


def text_of(mail: Message, kind: str = "text/plain") -> str:
    """Return a mail's text of a kind, decoded."""
    for part in mail.walk():
        if part.get_content_type() == kind:
            payload = part.get_payload(decode=True)
            assert isinstance(payload, bytes)
            return payload.decode(part.get_content_charset("utf-8")).replace("\r\n", "\n")
    raise AssertionError(f"no {kind} in {mail['Subject']}")


def decide(seed: str, player: str, turn: int, report: str) -> list[str]:
    """Return a player's orders: the same for the same seed, player, turn and report."""
    chance = random.Random(f"{seed}/{player}/{turn}")
    ready: dict[str, list[str]] = {}
    for table, order in READY.findall(report):
        ready.setdefault(table, []).append(order)
    return [f"{table}: {_one_of(ready[table], turn, chance)}" for table in sorted(ready)]


def _one_of(orders: Sequence[str], turn: int, chance: random.Random) -> str:
    """Choose among the ready orders of a hand, each of which can be paid."""
    by_verb = {order.split()[0]: order for order in orders if " expose " not in order}
    if "fold" not in by_verb:
        return chance.choice(orders)
    ending = [verb for verb in ("call", "stay", "check") if verb in by_verb]
    if turn >= LONG:
        return ending[0] if ending else "fold"
    verbs = [verb for verb in by_verb for _ in range({"fold": 1, "raise": 4}.get(verb, 3))]
    verb = chance.choice(verbs)
    if verb != "raise":
        named = [order for order in orders if order.startswith(f"{verb} expose ")]
        return chance.choice([*named, by_verb[verb]])
    return by_verb["raise"]


@dataclass
class Player:
    """A player with a mailbox, who writes in a ``style`` of his own."""

    name: str
    address: str
    password: str = field(repr=False)
    imap_port: int
    smtp_port: int
    trusted: ssl.SSLContext = field(repr=False)
    style: int = 0
    _fetched: dict[int, Message] = field(default_factory=dict, repr=False)
    _numbers: "count[int]" = field(default_factory=count, repr=False)

    def __post_init__(self) -> None:
        """Open the mailbox."""
        self._imap = IMAPClient(
            "127.0.0.1", self.imap_port, ssl=True, ssl_context=self.trusted, timeout=30
        )
        self._imap.login(self.address, self.password)

    def close(self) -> None:
        """Log out."""
        self._imap.logout()

    def mails(self) -> list[Message]:
        """Return every mail of the inbox, in the order of arrival."""
        self._imap.select_folder("INBOX", readonly=True)
        new = [number for number in self._imap.search("ALL") if number not in self._fetched]
        found = self._imap.fetch(new, ["BODY.PEEK[]"]) if new else {}
        for number, one in sorted(found.items()):
            self._fetched[number] = email.message_from_bytes(one[b"BODY[]"])
        return list(self._fetched.values())

    def answer(self, mail: Message, lines: Sequence[str]) -> None:
        """Answer a mail with orders, as people's programs do."""
        answer = EmailMessage(policy=SMTP)
        answer["From"] = f"{self.name} <{self.address}>"
        answer["To"] = mail["Reply-To"] or mail["From"]
        answer["Subject"] = f"Re: {mail['Subject']}"
        answer["Message-ID"] = f"<{self.name.lower()}-{next(self._numbers)}@players.example>"
        answer["In-Reply-To"] = mail["Message-ID"]
        STYLES[self.style % len(STYLES)](answer, list(lines), text_of(mail))
        self.send(answer)

    def send(self, mail: EmailMessage) -> None:
        """Hand a mail in, over STARTTLS and with a login."""
        with smtplib.SMTP("127.0.0.1", self.smtp_port, "localhost", timeout=30) as smtp:
            smtp.starttls(context=self.trusted)
            smtp.login(self.address, self.password)
            smtp.sendmail(self.address, [parseaddr(str(mail["To"]))[1]], mail.as_bytes())


def _quoted(text: str) -> str:
    return "On Sunday the GM wrote:\n" + "".join(f"> {line}\n" for line in text.splitlines())


def _plain(mail: EmailMessage, lines: list[str], _report: str) -> None:
    mail.set_content("\n".join(lines) + "\n")


def _above_the_report(mail: EmailMessage, lines: list[str], report: str) -> None:
    orders = "\n".join(line.lower() for line in lines)
    mail.set_content(f"Hello,\n\nhere are my orders.\n\n{orders}\n\nCheers\n\n{_quoted(report)}")


def _on_one_line(mail: EmailMessage, lines: list[str], _report: str) -> None:
    mail.set_content("; ".join(lines) + "\n-- \nSent from my phone\n", cte="quoted-printable")


def _html_alone(mail: EmailMessage, lines: list[str], report: str) -> None:
    orders = "".join(f"<div>{line}</div>" for line in lines)
    quote = "<br>".join(report.splitlines())
    body = f"<html><body>{orders}<div class='gmail_quote'><blockquote>{quote}</blockquote></div>"
    mail.set_content(f"{body}</body></html>", subtype="html", cte="quoted-printable")


def _below_the_report(mail: EmailMessage, lines: list[str], report: str) -> None:
    mail.set_content(_quoted(report) + "\n" + "\n".join(lines) + "\n", cte="base64")


def _in_money_and_bullets(mail: EmailMessage, lines: list[str], _report: str) -> None:
    orders = [re.sub(r"raise (\d+)000\b", r"raise by £\1k", line) for line in lines]
    mail.set_content("".join(f"- {line}\n" for line in orders), charset="cp1252")


def _with_suits(mail: EmailMessage, lines: list[str], _report: str) -> None:
    def suits(card: re.Match[str]) -> str:
        return card[0].translate(SUITS)

    orders = [re.sub(r"\b(?:10|[2-9JQKA])[CDHS]\b", suits, line) for line in lines]
    mail.set_content("".join(f"*Table {line}*\n" for line in orders))


STYLES: tuple[Callable[[EmailMessage, list[str], str], None], ...] = (
    _plain,
    _above_the_report,
    _on_one_line,
    _html_alone,
    _below_the_report,
    _in_money_and_bullets,
    _with_suits,
)
