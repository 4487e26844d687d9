"""What the mail tests share: servers with mailboxes, embedded or Dovecot's."""

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from postal.demo.servers import MailServers
from postal.mail.imap import ImapSettings
from tests.servers import dovecot

GM, ANN = "gm@example.org", "ann@example.org"
PASSWORDS = {GM: "gm-secret", ANN: "ann-secret"}
DELIVERED = dt.datetime(2031, 5, 6, 7, 8, 9, tzinfo=dt.UTC)


@dataclass(frozen=True)
class House:
    """A server with the GM's mailbox, whichever it is."""

    settings: ImapSettings
    deliver: Callable[[bytes, str, str], None]


@pytest.fixture
def servers() -> Iterator[MailServers]:
    """Give the embedded servers, whose clock stands still."""
    with MailServers(PASSWORDS, lambda: DELIVERED) as running:
        yield running


@pytest.fixture(params=["pymap", pytest.param("dovecot", marks=pytest.mark.dovecot)])
def house(request: pytest.FixtureRequest) -> Iterator[House]:
    """Give the GM's mailbox on the embedded server and on Dovecot."""
    if request.param == "pymap":
        running: MailServers = request.getfixturevalue("servers")
        settings = ImapSettings(
            host="127.0.0.1",
            port=running.imap_port,
            user=GM,
            password=PASSWORDS[GM],
            security="plain",
        )
        yield House(settings, running.deliver)
        return
    with dovecot(PASSWORDS) as real:
        settings = ImapSettings(
            host="localhost",
            port=real.imap_port,
            user=GM,
            password=PASSWORDS[GM],
            security="starttls",
            ca_file=real.certificate.cert,
        )
        yield House(settings, real.deliver)
