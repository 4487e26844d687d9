"""No token passes, however it is written (MAIL.md, Who wrote it)."""

from collections.abc import Collection

import pytest

from postal.mail.disguises import struck_out

TOKEN = "abcdefgh234567zy"


def known(texts: Collection[str]) -> Collection[str]:
    """Return the token where it is among some texts."""
    return [text for text in texts if text == TOKEN]


@pytest.mark.parametrize(
    ("written", "left"),
    [
        (TOKEN, "(token)"),
        (f"say {TOKEN.upper()}, please", "say (token), please"),
        (f"xx{TOKEN}yy", "xx(token)yy"),
        (f"{TOKEN}{TOKEN}", "(token)(token)"),
        ("abcd efgh\n> 2345 67zy!", "(token)!"),
        ("a%62cdefgh%25323456%37zy", "(token)"),
        ("a&#98;cdefgh234567z&#x79;", "(token)"),
        ("abcdefgh=\n234567z=79", "(token)"),
        ("\uff41bcdefgh234567zy", "(token)"),
        ("abcdefgh\u200b234567zy", "(token)"),
        (f"id={TOKEN}", "id=(token)"),
        (f"100%{TOKEN} of it", "100%(token) of it"),
        (f"id=3D{TOKEN}", "id=3D(token)"),
        ("abcdefgh234567z", "abcdefgh234567z"),
        ("100% of it = mine &amp; yours", "100% of it = mine &amp; yours"),
        ("", ""),
    ],
)
def test_a_token_is_struck_out(written: str, left: str) -> None:
    """And nothing else is."""
    assert struck_out(written, known) == left


def test_a_token_in_its_usual_place_needs_nobody_to_know_it() -> None:
    """A revoked one is none of anybody's business either."""
    other = "zzzzzzzzzzzzzzzz"
    text = f"gm+{other}@example.org [postal {other}]"
    assert struck_out(text, known) == "gm+(token)@example.org [postal (token)]"
