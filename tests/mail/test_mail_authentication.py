"""What a receiving server says of a sender: only its own topmost word counts (RFC 8601)."""

import pytest

from postal.mail.authentication import doubt
from postal.mail.incoming import read

OURS = "mx.example.org"
PASS = f"{OURS}; dkim=pass header.d=example.org; spf=pass; dmarc=pass header.from=example.org"
FAIL = f"{OURS}; dkim=fail header.d=example.org; spf=fail; dmarc=fail header.from=example.org"


def doubted(*values: str, server: str = OURS) -> str | None:
    """Return the doubt about a mail with such fields, the topmost first."""
    head = "".join(f"Authentication-Results: {value}\r\n" for value in values)
    return doubt(read(f"{head}From: ann@example.org\r\n\r\nA: fold".encode()), server)


@pytest.mark.parametrize(
    "value",
    [
        FAIL,
        f"{OURS};dmarc=fail",
        f"{OURS}; dmarc=fail;",
        f"{OURS} 1; dmarc=fail",
        f"{OURS.upper()}; DMARC=FAIL",
        f"(by) {OURS} (nested (comment)) 1 ; dmarc (x) = (y) fail (p=none dis=none)",
        f"{OURS}; dmarc/1 = fail",
        f"{OURS};\r\n\tdkim=pass (2048-bit key) header.d=list.example header.i=@x;\r\n\tdmarc=fail",
        f'{OURS}; dmarc=fail reason="x; dmarc=pass"',
        f"{OURS}; dmarc=fail (dmarc=pass) header.from=example.org",
        f"{OURS}; dmarc=pass header.from=other.example; dmarc=fail header.from=example.org",
        f"{OURS}; spf=pass smtp.mailfrom=a@b.example; dmarc=fail action=none; compauth=fail;",
        f"{OURS}; {'; '.join(f'dkim=pass header.d=d{n}.example' for n in range(300))}; dmarc=fail",
        f'{OURS}; auth=pass smtp.auth="a\\"; dmarc=pass;"; dmarc=fail;',
    ],
)
def test_a_dmarc_failure_is_a_doubt_however_it_is_written(value: str) -> None:
    """With comments, folding, a version, another case, or a sign that the grammar doesn't have."""
    assert doubted(value) == "dmarc=fail"


@pytest.mark.parametrize(
    ("results", "doubtful"),
    [
        ("spf=fail smtp.mailfrom=a@example.org", True),
        ("spf=fail; dkim=fail header.d=example.org", True),
        ("spf=fail (dkim=pass) smtp.mailfrom=a@example.org", True),
        ('spf=fail smtp.mailfrom="a; dkim=pass"@example.org', True),
        ("dmarc=none; spf=fail", True),
        ("dmarc=temperror; spf=fail; dkim=none", True),
        ("spf=fail; dkim=pass header.d=example.org", False),
        ("spf=fail; dmarc=pass", False),
        ("spf=softfail", False),
        ("spf=neutral; dkim=fail", False),
        ("dmarc=none", False),
        ("none", False),
        ("", False),
    ],
)
def test_an_spf_failure_counts_where_nothing_else_speaks_for_the_sender(
    results: str, *, doubtful: bool
) -> None:
    """A forwarder breaks SPF: a good signature, or DMARC, outweighs it."""
    assert (doubted(f"{OURS}; {results}") is not None) == doubtful


def test_only_the_topmost_field_of_that_server_counts() -> None:
    """What lies below came with the mail, and what another server says is of no weight."""
    other = FAIL.replace(OURS, "mx.evil.example")
    assert doubted(FAIL, PASS) == "dmarc=fail"
    assert doubted(PASS, FAIL) is None
    assert doubted(other, FAIL, PASS) == "dmarc=fail"
    assert doubted(other.replace("fail", "pass"), FAIL) == "dmarc=fail"
    assert doubted(other) is None


@pytest.mark.parametrize(
    "broken",
    [
        f"{OURS}; dmarc=fail;",
        f"{OURS}; spf=; dmarc=fail",
        f"{OURS}; dmarc=fail; x=",
        f"{OURS}; dmarc=fail \x00",
        f"{OURS}; {'(' * 3000}{')' * 3000}; dmarc=fail",
    ],
)
def test_no_forged_field_is_believed_for_a_true_one_that_breaks_the_grammar(broken: str) -> None:
    """It is read as far as it goes, never passed over."""
    assert doubted(broken, PASS) == "dmarc=fail"


@pytest.mark.parametrize(
    "forged",
    [
        f"evil.example {OURS}; dmarc=fail",
        f"evil.example; dmarc=pass ({OURS}; dmarc=fail)",
        f"x{OURS}; dmarc=fail",
        f"{OURS}.evil.example; dmarc=fail",
        f"({OURS}); dmarc=fail",
        "; dmarc=fail",
        "",
    ],
)
def test_no_other_name_passes_for_the_servers(forged: str) -> None:
    """Nor part of one, nor one in a comment."""
    assert doubted(forged) is None
    assert doubted(forged, FAIL) == "dmarc=fail"


def test_without_a_server_to_trust_nothing_is_a_doubt() -> None:
    """Nor without a field."""
    assert doubted(FAIL, server="") is None
    assert doubted() is None
    assert doubted(FAIL, server=OURS.upper()) == "dmarc=fail"
