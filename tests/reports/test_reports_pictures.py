"""The HTML as a real browser shows it: nothing runs over the edge of a phone's screen."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from postal.engine.view import view
from postal.reports import Rendered
from tests.reports.playing import EIGHT, FRAME, SECRET, deal, facts, play, reports

PHONE = 360


def browser() -> str:
    """Return Chromium's path; skip without it, fail in CI."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found:
        return found
    if os.environ.get("CI") == "true":
        pytest.fail("Chromium is missing in CI", pytrace=False)
    pytest.skip("needs Chromium")


def width_on_phone(mail: Rendered, folder: Path) -> int:
    """Return how wide a mail is, in pixels, in a frame as wide as a phone's screen.

    Chromium's own window does not get that narrow, so the mail is shown in an iframe.
    """
    inner, outer = folder / "mail.html", folder / "phone.html"
    inner.write_text(mail.html, "utf-8")
    outer.write_text(
        f'<body><iframe id="f" src="mail.html" width="{PHONE}" height="800" frameborder="0">'
        "</iframe><script>onload = () => { document.title = 'width ' +"
        " document.getElementById('f').contentDocument.documentElement.scrollWidth }</script>",
        "utf-8",
    )
    shown = subprocess.run(
        [
            browser(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--allow-file-access-from-files",
            f"--user-data-dir={folder / 'profile'}",
            "--virtual-time-budget=5000",
            "--dump-dom",
            outer.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    found = re.search(r"<title>width (\d+)</title>", shown)
    assert found, shown[:500]
    return int(found[1])


@pytest.mark.chromium
def test_no_mail_is_wider_than_a_phone(tmp_path: Path) -> None:
    """Reports with the longest names and order lines fit into 360 pixels."""
    names = ("Maximilian-Alexander Longbottom", *EIGHT[1:])
    names = (names[0][:30], *names[1:])
    turns = list(play(deal(names), seed=3, silent=0))
    seen = view(turns[1].before, names[0])
    mails = {
        "welcome": reports().report(FRAME, view(turns[0].before, names[0])),
        "turn": reports().report(FRAME, seen, turns[0].events),
        "receipt": reports().receipt(FRAME, seen, facts(turns[1].before, turns[1].book, names[0])),
        "final": reports().report(
            FRAME, view(turns[-1].after, names[0]), turns[-1].events, secret=SECRET.hex()
        ),
    }
    for name, mail in mails.items():
        folder = tmp_path / name
        folder.mkdir()
        assert width_on_phone(mail, folder) <= PHONE, name
