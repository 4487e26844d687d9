"""``postal check --send``: a mail to ourselves, which has to come to the mailbox that is read."""

from __future__ import annotations

from collections.abc import Callable

from postal import entropy
from postal.clock import Clock
from postal.config import Config
from postal.errors import PostalError
from postal.mail.imap import ImapSettings, Mailbox
from postal.mail.message import Outgoing, build
from postal.mail.smtp import Sender, SmtpSettings
from postal.mail.tokens import plus_address

ARRIVAL_SECONDS = 120.0
"""How long the mail may take."""

LOOK_SECONDS = 3.0
"""How long to wait between two looks at the mailbox."""

_DETAIL = "check"


def answers_address(config: Config) -> str:
    """Return an address that players' answers could go to."""
    return plus_address(config.sender, _DETAIL) if config.mail.plus_addressing else config.sender


def send_and_wait(
    config: Config,
    imap: ImapSettings,
    smtp: SmtpSettings,
    clock: Clock,
    wait: Callable[[float], object],
) -> str:
    """Mail a line to where answers go, wait until it has come, and take it out again.

    Returns a sentence; PostalError where the mail isn't taken, or doesn't come in time. ``wait``
    waits for so many seconds. A daemon at work may have put the mail away: that counts too.
    """
    address, name = answers_address(config), entropy.new_name(20)
    mail = Outgoing(
        sender=config.sender,
        sender_name="postal",
        recipient=address,
        subject=f"postal check {name}",
        text="This line was sent by `postal check --send`, which waits for it.\n",
        message_id=f"<postal-check.{name}@{config.sender.rpartition('@')[2]}>",
        date=clock.now(),
    )
    with Sender(smtp) as sender:
        result = sender.send(build(mail), address, config.sender)
    if result.state in ("failed", "retry"):
        raise PostalError(f"A mail to {address} was not taken: {result.text}")
    end = clock.steady() + ARRIVAL_SECONDS
    with Mailbox(imap) as mailbox:
        while not mailbox.take_out(name):
            if clock.steady() >= end:
                raise PostalError(_astray(config, address))
            wait(LOOK_SECONDS)
    return f"A mail to {address} came to the mailbox of {config.imap.user}"


def _astray(config: Config, address: str) -> str:
    plus = ", whether the mailbox takes plus addresses" * config.mail.plus_addressing
    return (
        f"A mail to {address} was sent, and didn't come to {config.imap.folder} of"
        f" {config.imap.user} within {ARRIVAL_SECONDS:g} seconds: see whether that is the mailbox's"
        f" address{plus}, and whether it lies among the spam"
    )
