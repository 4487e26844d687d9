"""A league for the acceptance tests: mail servers, a data folder and the command."""

import contextlib
import email
import json
import re
import smtplib
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import Any

from tests.acceptance.installed import Installed, Running
from tests.acceptance.players import Player
from tests.servers import Certificate, Dovecot, dovecot, submission

GM, MAILBOX = "gm@home.example", "games@example.org"
NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve", "Fay", "Guy", "Hal")
WAIT_SECONDS = 60
"""How long mail that must come may take until the test gives up."""

START = 1_000_000
SLUG = "league-1"

_REPORT = re.compile(
    rf"{SLUG}: (?:welcome|turn (?P<turn>\d+) report|final report, turn (?P<last>\d+))"
)


@dataclass(frozen=True)
class Arrived:
    """A mail that was handed over: to whom, and what."""

    recipient: str
    raw: bytes = field(repr=False)

    @property
    def mail(self) -> Message:
        """The mail, parsed."""
        return email.message_from_bytes(self.raw)

    @property
    def subject(self) -> str:
        """Its subject."""
        return str(self.mail["Subject"])


class Arrivals:
    """Every mail that was handed over, in order, and a way to wait for more."""

    def __init__(self) -> None:
        """Begin with none."""
        self._changed = threading.Condition()
        self._all: list[Arrived] = []
        self.before: Callable[[str], bool] = lambda _: True
        """Asked with its recipient before a mail is handed over: whether it is taken at all."""
        self.after: Callable[[], None] = lambda: None
        """Called when a mail has been handed over, before its sender is told so."""

    def add(self, recipient: str, raw: bytes) -> None:
        """Note a mail and wake whoever waits."""
        with self._changed:
            self._all.append(Arrived(recipient, raw))
            self._changed.notify_all()

    def all(self) -> list[Arrived]:
        """Return what has come so far."""
        with self._changed:
            return list(self._all)

    def wait_for(self, wanted: Callable[[list[Arrived]], bool], what: str) -> list[Arrived]:
        """Return what has come as soon as ``wanted`` is content with it; fail in the end."""
        with self._changed:
            came = self._changed.wait_for(lambda: wanted(self._all), WAIT_SECONDS)
            subjects = [f"{one.recipient}: {one.subject}" for one in self._all[-20:]]
            assert came, f"{what} never came; the last mails: {subjects}"
            return list(self._all)


@dataclass(frozen=True)
class Watched(Dovecot):
    """A Dovecot that notes what is handed over to it."""

    arrivals: Arrivals = field(default_factory=Arrivals)

    def deliver(self, raw: bytes, recipient: str, envelope_from: str = "") -> None:
        """Hand a mail over by LMTP and note it."""
        if not self.arrivals.before(recipient):
            raise smtplib.SMTPRecipientsRefused({recipient: (451, b"4.3.0 lost on the way")})
        super().deliver(raw, recipient, envelope_from)
        self.arrivals.add(recipient, raw)
        self.arrivals.after()


@dataclass(frozen=True)
class PostOffice:
    """The running mail servers: accounts, ports, the certificate to trust, what has arrived."""

    passwords: dict[str, str] = field(repr=False)
    imap_port: int
    smtp_port: int
    certificate: Certificate
    arrivals: Arrivals = field(default_factory=Arrivals)

    @property
    def trusted(self) -> ssl.SSLContext:
        """A client's TLS settings that trust the servers."""
        return ssl.create_default_context(cafile=str(self.certificate.cert))


@contextlib.contextmanager
def post_office(names: Sequence[str] = NAMES) -> Iterator[PostOffice]:
    """Run Dovecot and a submission server with mailboxes for the GM, the games and the players."""
    accounts = (GM, MAILBOX, *map(address_of, names))
    passwords = {address: f"{address[:3]} and a secret" for address in accounts}
    with dovecot(passwords) as running:
        watched = Watched(**vars(running))
        with submission(watched) as port:
            ports = (watched.imaps_port, port)
            yield PostOffice(passwords, *ports, watched.certificate, watched.arrivals)


def address_of(name: str) -> str:
    """Return a player's address."""
    return f"{name.lower()}@example.org"


def write_config(data: Path, office: PostOffice, database: str = "") -> None:
    """Fill in the config of a data folder as a GM would, for the servers of the test."""
    certificate = office.certificate.cert
    text = f"""
[gm]
name = "Gemma"
address = "{GM}"
[imap]
host = "localhost"
port = {office.imap_port}
security = "tls"
user = "{MAILBOX}"
password = "{office.passwords[MAILBOX]}"
ca_file = "{certificate}"
[smtp]
host = "localhost"
port = {office.smtp_port}
security = "starttls"
user = "{MAILBOX}"
password = "{office.passwords[MAILBOX]}"
from = "{MAILBOX}"
ca_file = "{certificate}"
[mail]
plus_addressing = true
[database]
url = "{database}"
"""
    (data / "config.toml").write_text(text, "utf-8")


@dataclass
class League:
    """One game, its players and the command that runs it."""

    postal: Installed
    data: Path
    office: PostOffice
    players: list[Player]

    def command(self, *arguments: str) -> Any:
        """Run a command on the data folder; it must go well."""
        return self.postal.run(*arguments, "--data", str(self.data)).well()

    def facts(self, *arguments: str) -> Any:
        """Run a command on the data folder and return its JSON."""
        return self.postal.run(*arguments, "--json", "--data", str(self.data)).json()

    def daemon(self, heard: Callable[[str], None] = lambda _: None) -> Running:
        """Start ``postal run``, a round a second."""
        arguments = ("run", "--poll-seconds", "1", "--data", str(self.data))
        return self.postal.start(*arguments, heard=heard)

    def new_game(self, secret: str, *options: str) -> None:
        """Start the game, its cards dealt from a secret of 64 hex digits."""
        file = self.data / "secret"
        file.write_text(secret, "ascii")
        people = [f"--player={player.name} <{player.address}>" for player in self.players]
        self.command("game", "new", SLUG, *people, "--secret-file", str(file), *options)

    def wait_for_reports(self, turn: int) -> bool:
        """Return when everybody has the report of a turn; whether it is the final one."""
        everybody = {player.address for player in self.players}
        came = self.office.arrivals.wait_for(
            lambda arrived: (
                everybody <= {one.recipient for one in arrived if tells_of(one.subject) == turn}
            ),
            f"everybody's report of turn {turn}",
        )
        return any("final report" in one.subject for one in came)

    def report(self, player: Player, turn: int) -> Message:
        """Return a player's report of a turn from his mailbox; any more are that one again."""
        found = [mail for mail in player.mails() if tells_of(str(mail["Subject"])) == turn]
        names = {mail["Message-ID"] for mail in found}
        assert len(names) == 1, f"{player.name} has {len(names)} reports of turn {turn}"
        return found[0]

    def outcome(self, *sealed: str) -> Any:
        """Return what the record of the finished game says came out of it."""
        text = self.command("export", SLUG, *sealed).out
        return json.loads(text)["outcome"]

    def check_money(self) -> Any:
        """Return ``game show --reveal`` as JSON; its balances and pots add up (8.6)."""
        facts = self.facts("game", "show", SLUG, "--reveal")
        pots = sum(hand["pot"] for hand in facts["hands"] if hand["end"] is None)
        balances = sum(player["balance"] for player in facts["players"])
        assert balances + pots == START * len(self.players)
        return facts


def tells_of(subject: str) -> int | None:
    """Return the turn whose report a subject announces, 0 for a welcome, None for other mail."""
    found = _REPORT.match(subject)
    return int(found["turn"] or found["last"] or 0) if found else None


@contextlib.contextmanager
def league(
    postal: Installed, data: Path, names: Sequence[str], database: str = ""
) -> Iterator[League]:
    """Set up a data folder with ``postal init``, mail servers and players, without a game yet."""
    with post_office(names) as office, contextlib.ExitStack() as stack:
        postal.run("init", "--data", str(data)).well()
        write_config(data, office, database)
        players = []
        for style, name in enumerate(names):
            address = address_of(name)
            ports = (office.imap_port, office.smtp_port)
            password = office.passwords[address]
            player = Player(name, address, password, *ports, office.trusted, style)
            stack.callback(player.close)
            players.append(player)
        yield League(postal, data, office, players)
