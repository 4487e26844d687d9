"""Mails that were put away come back to the inbox in their order, on pymap and on Dovecot."""

import hashlib

from postal.mail.imap import FOLDERS, PROCESSED, QUARANTINE, Mailbox
from tests.mail.conftest import ANN, GM, House

RAW = b"From: ann@example.org\r\nTo: gm@example.org\r\nSubject: %s\r\n\r\nA: fold\r\n"


def test_unknown_mails_come_back_in_order_and_known_ones_stay(house: House) -> None:
    """From all folders; the time at which the server took each stays what it was."""
    known: set[str] = set()
    with Mailbox(house.settings) as mailbox:
        mailbox.ensure_folders()
        came = {}
        for subject, folder in ((b"one", PROCESSED), (b"two", QUARANTINE), (b"three", PROCESSED)):
            house.deliver(RAW % subject, GM, ANN)
            (uid,) = mailbox.new_uids()
            fetched = mailbox.fetch(uid)
            assert fetched is not None
            assert fetched.raw is not None
            came[subject] = fetched.internal_date
            mailbox.move([uid], folder)
            if subject == b"one":
                known.add(hashlib.sha256(fetched.raw).hexdigest())
        validity = mailbox.uidvalidity
        assert mailbox.bring_back(FOLDERS, known.__contains__) == 2
        assert mailbox.uidvalidity == validity
        back = [mailbox.fetch(uid) for uid in mailbox.new_uids()]
        assert [one.internal_date for one in back if one] == [came[b"two"], came[b"three"]]
        assert mailbox.bring_back(FOLDERS, known.__contains__) == 0
