"""The gate: which mail may never be answered."""

import pytest

from postal.mail.gate import base_address, refusal
from postal.mail.incoming import read

OWN = ("gm@example.org",)


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        (b"From: ann@example.org", None),
        (b"From: ann@example.org\r\nAuto-Submitted: No", None),
        (b"From: ann@example.org\r\nReturn-Path: <ann@example.org>\r\nPrecedence: normal", None),
        (b"From: GM <GM@example.org>", "own address"),
        (b"From: gm+abc@example.org", "own address"),
        (b"From: ann@example.org, bob@example.org", "2 addresses"),
        (b"X: y", "no addresses"),
        (b"From: ann@example.org\r\nReturn-Path: <>", "no sender"),
        (b"From: MAILER-DAEMON@mx.example.org", "mail server"),
        (b"From: a@example.org\r\nReturn-Path: <mailer-daemon@mx>", "mail server"),
        (b"From: a@example.org\r\nContent-Type: multipart/report; boundary=b", "report"),
        (b"From: ann@example.org\r\nAuto-Submitted: auto-replied; owner-email=x", "automatically"),
        (b"From: ann@example.org\r\nX-Autoreply: yes", "automatic answer"),
        (b"From: ann@example.org\r\nPrecedence: Bulk", "bulk"),
        (b"From: ann@example.org\r\nprecedence: list", "bulk"),
        (b"From: ann@example.org\r\nList-Id: <x.example.org>", "mailing list"),
        (b"From: ann@example.org\r\nX-Postal-Loop: gm@other.example", "come back"),
    ],
)
def test_one_reason_for_each_kind(head: bytes, reason: str | None) -> None:
    """A person's mail passes; a machine's, a list's and our own don't."""
    found = refusal(read(head + b"\r\n\r\nA: fold"), OWN)
    if reason is None:
        assert found is None
    else:
        assert found is not None
        assert reason in found


def test_the_plus_detail_is_no_part_of_an_address() -> None:
    """Case and detail make no other mailbox."""
    assert base_address(" GM+abc@Example.org ") == "gm@example.org"
    assert base_address("gm") == "gm"
