"""A mail that was put away is found again in its folder and moved on, on pymap and on Dovecot."""

import hashlib
from dataclasses import replace

from postal.mail.imap import PROCESSED, QUARANTINE, ImapSettings, Mailbox
from tests.mail.conftest import ANN, GM, House

RAW = b"From: ann@example.org\r\nTo: gm@example.org\r\nSubject: one\r\n\r\nA: fold\r\n"
SAME_SIZE = RAW.replace(b"one", b"two")


def held(settings: ImapSettings, folder: str) -> list[bytes]:
    """Return the mails of a folder."""
    with Mailbox(replace(settings, folder=folder)) as mailbox:
        fetched = [mailbox.fetch(uid) for uid in mailbox.new_uids()]
    return [one.raw for one in fetched if one and one.raw]


def test_the_one_mail_is_moved_on_and_no_other(house: House) -> None:
    """By its bytes; and the mailbox looks at the inbox again afterwards."""
    house.deliver(RAW, GM, ANN)
    house.deliver(SAME_SIZE, GM, ANN)
    with Mailbox(house.settings) as mailbox:
        mailbox.ensure_folders()
        uids = mailbox.new_uids()
        fetched = [mailbox.fetch(uid) for uid in uids]
        for uid in uids:
            mailbox.move([uid], QUARANTINE)
        wanted = next(one.raw for one in fetched if one and one.raw and b"Subject: one" in one.raw)
        validity = mailbox.uidvalidity
        mailbox.move_on(len(wanted), hashlib.sha256(wanted).hexdigest(), QUARANTINE, PROCESSED)
        mailbox.move_on(len(wanted), "0" * 64, QUARANTINE, PROCESSED)
        assert mailbox.uidvalidity == validity
        house.deliver(RAW, GM, ANN)
        assert len(mailbox.new_uids()) == 1
    assert held(house.settings, PROCESSED) == [wanted]
    assert len(held(house.settings, QUARANTINE)) == 1
