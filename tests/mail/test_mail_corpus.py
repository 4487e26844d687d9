"""Mails as clients and servers of many kinds and languages really make them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from postal.mail.imap import FOLDERS, ImapSettings, Mailbox
from postal.mail.incoming import read
from postal.ordertext import read_mail
from tests.mail.conftest import GM, PASSWORDS
from tests.mail.corpus_game import STATES, HeldInbox, League
from tests.mail.corpus_outcome import CORPUS, NAMES, case, envelope, outcome, raw_mail
from tests.servers import dovecot


@pytest.fixture(scope="module")
def leagues(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, League]]:
    """Give the game in each of its states, played once."""
    folder = tmp_path_factory.mktemp("corpus")
    made: dict[str, League] = {}
    for state in STATES:
        made[state] = League(folder, state, next(reversed(made.values()), None))
    yield made
    for league in made.values():
        league.close()


@pytest.mark.parametrize("name", NAMES)
def test_what_comes_of_a_mail(name: str, leagues: dict[str, League]) -> None:
    """Orders, problems, commands, answers and folder are as the mail's .toml file has them."""
    wanted = case(name)
    league = leagues[wanted.game]
    league.go_back()
    inbox = HeldInbox([raw_mail(name, league)], league.work.clock.now())
    assert outcome(league, inbox, inbox.moved) == wanted.expected


@pytest.mark.parametrize("name", [name for name in NAMES if case(name).mutation])
def test_without_its_trait_another_thing_comes_of_it(name: str, leagues: dict[str, League]) -> None:
    """So that a mail which would pass without being understood is found out."""
    wanted = case(name)
    assert wanted.mutation is not None
    league = leagues[wanted.game]
    league.go_back()
    raw = league.filled(wanted.mutation.applied((CORPUS / f"{name}.eml").read_bytes()))
    inbox = HeldInbox([raw], league.work.clock.now())
    came = outcome(league, inbox, inbox.moved)
    assert came != wanted.expected
    for key, value in wanted.mutation.differs.items():
        assert (key, getattr(came, key)) == (key, value)


STUBS = ("calendar-invitation", "outlook-stub-text", "stub-quote-only-text")
"""Mails whose text says less, or more, than their HTML."""

OTHERWISE = "two-forms-"
"""How the names of mails begin whose HTML strikes out or orders otherwise."""


def test_text_and_html_say_the_same(leagues: dict[str, League]) -> None:
    """Where a client sends both, each by itself gives the orders, though only one is needed."""
    compared = 0
    for name in NAMES:
        league = leagues[case(name).game]
        mail = read(raw_mail(name, league))
        if len(mail.texts) == 1 or name in STUBS or name.startswith(OTHERWISE):
            continue
        readings = [read_mail(text, league.context) for text in mail.texts]
        told = {tuple(line.order for line in reading.lines) for reading in readings}
        assert (name, len(told)) == (name, min(len(mail.texts), 1))
        compared += len(mail.texts) == 2
    assert compared > 50


SAMPLE = (
    "bounce-failed-postfix",
    "bytes-bom",
    "bytes-line-ends",
    "charset-missing",
    "charset-utf16-base64",
    "command-help-html",
    "forged-without-token",
    "gmail-web-fr",
    "iphone-mail-it",
    "keep-iphone",
    "mutt-pgp-clear-signed",
    "newsletter",
    "outlook-desktop-pl",
    "own-address",
    "thunderbird-sv",
    "truncated-multipart",
    "yahoo-web-nested-html",
)


class NotingMailbox(Mailbox):
    """The mailbox over IMAP, which notes what it moved."""

    def __init__(self, settings: ImapSettings) -> None:
        """Take the settings; nothing is moved yet."""
        super().__init__(settings)
        self.moved: dict[int, str] = {}

    def move(self, uids: Sequence[int], folder: str) -> None:
        """Move mails and note where to."""
        super().move(uids, folder)
        self.moved |= dict.fromkeys(uids, folder)


@pytest.mark.dovecot
def test_a_sample_through_dovecot(leagues: dict[str, League]) -> None:
    """The same comes of mails that go in by LMTP and out by IMAP, and the folders hold them."""
    with dovecot(PASSWORDS) as server:
        settings = ImapSettings(
            host="localhost",
            port=server.imap_port,
            user=GM,
            password=PASSWORDS[GM],
            security="starttls",
            ca_file=server.certificate.cert,
        )
        with NotingMailbox(settings) as mailbox:
            mailbox.ensure_folders()
            put: Counter[str] = Counter()
            for name in SAMPLE:
                wanted = case(name)
                league = leagues[wanted.game]
                league.go_back()
                raw = raw_mail(name, league)
                sender, recipient = envelope(raw)
                server.deliver(raw, recipient, sender)
                mailbox.moved.clear()
                assert (name, outcome(league, mailbox, mailbox.moved)) == (name, wanted.expected)
                put[wanted.expected.folder] += 1
        for folder in (*FOLDERS, "INBOX"):
            with Mailbox(replace(settings, folder=folder)) as opened:
                assert len(opened.new_uids()) == put[folder]


def test_every_mail_has_its_expectation() -> None:
    """No mail is without one, none is left over, and there are enough."""
    assert sorted(path.stem for path in CORPUS.glob("*.toml")) == list(NAMES)
    assert {path.suffix for path in CORPUS.iterdir()} == {".eml", ".toml"}
    assert len(NAMES) >= 120
