"""Plays a golden conversation: each step of its script done, and all that comes of it written down.

Everything goes through the outermost doors: mails over IMAP and SMTP, the daemon's rounds, and the
GM's commands as he types them, on a data folder whose clock and chance are fixed.
"""

import logging
import random
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from postal import __version__
from postal.bootstrap import open_office
from postal.cli import app
from postal.clock import ManualClock
from postal.demo.servers import HOST
from postal.errors import PostalError
from tests.golden.golden_labels import Labels
from tests.golden.golden_mails import filled, printed, written
from tests.golden.golden_postroom import GM_BOX, PASSWORD, PostRoom, Sent
from tests.golden.golden_script import Step, read_script

CONVERSATIONS = Path(__file__).parent / "conversations"
CORPUS = Path(__file__).parents[1] / "mail" / "corpus"
SECRET = bytes(range(32))
DATA = "DATA"
"""What stands for the data folder in a script and in what is expected."""

CONFIG = """\
[gm]
name = "Grace"
address = "grace@example.org"
[imap]
host = "{host}"
port = {imap}
security = "plain"
user = "{box}"
password = "{password}"
[smtp]
host = "{host}"
port = {smtp}
security = "plain"
[daemon]
outage_after = 0
"""
_LISTS = re.compile(r"^( *(?:\"[^\"]+\": )?)(\[\n[^\[\]{}]*\])", re.MULTILINE)
"""Lists of words or figures in JSON, which are printed on one line each."""

_UNITS = {"minute": 60, "hour": 3600, "day": 86400}


def play(folder: Path, data: Path) -> dict[str, str]:
    """Return what comes of a conversation, by the names of its pages; ``data`` is empty."""
    with ExitStack() as stack:
        stage = Conversation(folder, data, stack)
        result: dict[str, str] = {}
        for page in read_script(folder):
            lines = [line for step in page.steps for line in stage.take(step)]
            if page.name:
                result[page.name] = "\n".join(lines).strip("\n") + "\n"
        return result


class _Notes(logging.Handler):
    """Keeps the warnings that a daemon's log would have: a round swallows what fails in it."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one."""
        self.texts.append(f"log: {record.getMessage()}")


class Conversation:
    """The games' mailbox, the data folder and the time of one conversation."""

    def __init__(self, folder: Path, data: Path, stack: ExitStack) -> None:
        """Set the stage; what is opened is closed at the end of ``stack``."""
        self.folder, self.data = folder, data
        self.clock = ManualClock(datetime(2026, 3, 2, 12, tzinfo=UTC))
        self.room = stack.enter_context(PostRoom({GM_BOX: PASSWORD}, self.clock.now))
        self.labels = Labels()
        self._stack, self._runner, self._notes = stack, CliRunner(), _Notes()
        self._daemon: Callable[[], None] | None = None
        self._shown: set[str] = set()
        self._told = self._written = 0
        self._last = b""
        self._still(stack.enter_context(pytest.MonkeyPatch.context()))
        self._config("")
        (data / "secret").write_text(SECRET.hex(), "ascii")
        log = logging.getLogger("postal")
        log.addHandler(self._notes)
        stack.callback(log.removeHandler, self._notes)

    def _still(self, patch: pytest.MonkeyPatch) -> None:
        """Fix time and chance, each in the one place that it comes from."""
        patch.setattr("postal.clock.SystemClock.now", lambda _self: self.clock.now())
        patch.setattr("postal.clock.SystemClock.steady", lambda _self: self.clock.steady())
        # The mail server in memory dates by this machine's clock what is put into it.
        patch.setattr("postal.mail.imap.Mailbox.server_time", lambda _self: self.clock.now())
        chance = random.Random(1)
        patch.setattr("postal.entropy.secrets.choice", chance.choice)
        patch.setattr("postal.entropy.secrets.token_bytes", chance.randbytes)
        patch.setenv("COLUMNS", "150")

    def take(self, step: Step) -> Iterator[str]:
        """Do a step; yield it and all that comes of it."""
        if step.line.startswith("#"):
            yield from ("", step.line)
            return
        yield from ("", f"[{self.clock.now():%Y-%m-%d %H:%M}]")
        yield from step.echo()
        if step.line.startswith("$"):
            yield from self._command(step.line.removeprefix("$ "))
        else:
            verb, *words = step.words
            yield from getattr(self, f"_do_{verb}")(words, step.body)
        yield from self._outcome()

    def _outcome(self) -> Iterator[str]:
        """Yield what was logged and sent since it was last asked."""
        yield from map(self._plain, self._notes.texts)
        self._notes.texts.clear()
        new = self.room.sent[self._told :]
        for sent in new:
            self.labels.learn(sent.message)
        for number, sent in enumerate(new, self._told + 1):
            for line in printed(sent, self.labels, number, self._shown):
                yield self._plain(line)
        self._told += len(new)
        if new:
            yield "-" * 100

    def _plain(self, text: str) -> str:
        """Return a text without what differs from one run to the next."""
        for port in (self.room.imap_port, self.room.smtp_port):
            text = text.replace(f"{HOST}:{port}", f"{HOST}:PORT")
        text = text.replace(f'"{__version__}"', '"VERSION"').replace(str(self.data), DATA)
        return self.labels.put(text)

    def _command(self, line: str) -> Iterator[str]:
        words = [word.replace(DATA, str(self.data)) for word in shlex.split(line)]
        result = self._runner.invoke(app, [*words, "--data", str(self.data)])
        output = _LISTS.sub(lambda found: found[1] + " ".join(found[2].split()), result.output)
        yield from (self._plain(text).rstrip() for text in output.splitlines())
        if isinstance(result.exception, PostalError):
            yield f"exit {result.exception.exit_code}: {self._plain(str(result.exception))}"
        elif isinstance(result.exception, SystemExit):
            yield f"exit {result.exit_code}"
        elif result.exception is not None:
            raise result.exception

    def _config(self, more: str) -> None:
        text = CONFIG.format(
            host=HOST,
            box=GM_BOX,
            password=PASSWORD,
            imap=self.room.imap_port,
            smtp=self.room.smtp_port,
        )
        (self.data / "config.toml").write_text(text + more, "utf-8")

    def _do_config(self, _words: list[str], body: list[str]) -> Iterator[str]:
        """``config``: further lines of the config."""
        self._config("\n".join(body) + "\n")
        yield from ()

    def _do_html(self, words: list[str], _body: list[str]) -> Iterator[str]:
        """``html ADDRESS…``: print the HTML of the mails to these, not its hash alone."""
        self._shown |= set(words)
        yield from ()

    def _do_at(self, words: list[str], _body: list[str]) -> Iterator[str]:
        """``at DATE TIME``: it is then, UTC."""
        self.clock.move_to(_moment(" ".join(words)))
        yield from ()

    def _do_after(self, words: list[str], _body: list[str]) -> Iterator[str]:
        """``after 30 minutes``: so long passes."""
        self.clock.advance(timedelta(seconds=int(words[0]) * _UNITS[words[1].rstrip("s")]))
        yield from ()

    def _do_round(self, _words: list[str], _body: list[str]) -> Iterator[str]:
        """``round``: the daemon makes a round."""
        if self._daemon is None:
            office = self._stack.enter_context(open_office(self.data))
            rounds = office.rounds()
            self._stack.callback(rounds.close)
            rounds.begin()
            self._daemon = rounds.round
        self._daemon()
        yield from ()

    def _do_mail(self, words: list[str], body: list[str]) -> Iterator[str]:
        """``mail from NAME``: a mail comes in, by default an answer to the last that NAME got.

        ``by ADDRESS`` (his usual one), ``answering nothing`` or ``answering "words of a
        Subject"``, ``read-at ADDRESS`` (where the mail answered went, his usual one),
        ``arrived "DATE TIME"`` (now), ``unthreaded`` (no In-Reply-To).
        """
        name = words[1]
        usual = f"{name.lower()}@example.org"
        address = _after(words, "by") or usual
        self._written += 1
        raw = written(
            name,
            address,
            body,
            number=self._written,
            date=self.clock.now(),
            answered=self._answered(words, usual),
            threaded="unthreaded" not in words,
        )
        self._deliver(raw, words)
        head = raw.partition(b"\r\n\r\n")[0].decode()
        yield from (f"    | {self._plain(line)}" for line in head.split("\r\n"))

    def _do_file(self, words: list[str], _body: list[str]) -> Iterator[str]:
        """``file NAME as PLAYER``: a mail of the corpus or of the folder comes in as it stands.

        ``@TOKEN@`` and ``@REPORT-ID@`` are those of the mail that it answers, as for ``mail``.
        """
        own = self.folder / words[0]
        raw = (own if own.exists() else CORPUS / words[0]).read_bytes()
        answered = self._answered(words, f"{words[2].lower()}@example.org")
        self._deliver(filled(raw, answered), words)
        yield from ()

    def _do_again(self, words: list[str], body: list[str]) -> Iterator[str]:
        """``again``: the last mail that came in comes once more, under the fields given."""
        head = "".join(f"{line.removeprefix('+').strip()}\r\n" for line in body)
        self._deliver(head.encode() + self._last, words)
        yield from ()

    def _deliver(self, raw: bytes, words: list[str]) -> None:
        arrived = _after(words, "arrived")
        self.room.put(raw, _moment(arrived) if arrived else self.clock.now())
        self._last = raw

    def _answered(self, words: list[str], usual: str) -> Sent | None:
        """Return the mail that a step answers, the last that fits."""
        subject = _after(words, "answering")
        if subject == "nothing":
            return None
        address = _after(words, "read-at") or usual
        for sent in reversed(self.room.sent):
            if sent.recipient == address and subject in sent.header("Subject"):
                return sent
        raise LookupError(f"nothing went to {address} with {subject!r} in its Subject")

    def _do_refuse(self, words: list[str], _body: list[str]) -> Iterator[str]:
        """``refuse ADDRESS ANSWER``: the submission server answers so to an address."""
        self.room.refusals[words[0]] = " ".join(words[1:])
        yield from ()

    def _do_accept(self, words: list[str], _body: list[str]) -> Iterator[str]:
        """``accept ADDRESS``: it takes the address again."""
        del self.room.refusals[words[0]]
        yield from ()

    def _do_folders(self, _words: list[str], _body: list[str]) -> Iterator[str]:
        """``folders``: how many mails lie in each folder of the mailbox."""
        yield from (f"{folder}: {count}" for folder, count in self.room.counts())


def _after(words: list[str], word: str) -> str:
    """Return what stands behind a word, "" where that isn't there."""
    return words[words.index(word) + 1] if word in words[:-1] else ""


def _moment(text: str) -> datetime:
    """Return a moment in UTC."""
    return datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
