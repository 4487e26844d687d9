"""Golden conversations: raw mails in, and every mail out and what the GM sees as it always was.

A difference is shown as a diff. Where it is meant, ``make golden`` writes what is expected anew,
and the diff of that is to be read before it is committed.
"""

from pathlib import Path

import pytest

from tests.golden.golden_expected import difference, write
from tests.golden.golden_play import CONVERSATIONS, play

NAMES = sorted(folder.name for folder in CONVERSATIONS.iterdir() if folder.is_dir())


@pytest.mark.parametrize("name", NAMES)
def test_a_conversation_is_as_it_was(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """All mails with their headers, the GM's commands and what they print."""
    pages = play(CONVERSATIONS / name, tmp_path)
    if request.config.getoption("--write-golden", default=False):
        write(CONVERSATIONS / name, pages)
    if found := difference(CONVERSATIONS / name, pages):
        pytest.fail(found, pytrace=False)


def test_a_difference_is_shown(tmp_path: Path) -> None:
    """A changed line, a space that looks like another, and pages that are missing or left over."""
    write(tmp_path, {"one": "a\nraise £5\n", "two": "b\n"})
    assert difference(tmp_path, {"one": "a\nraise £5\n", "two": "b\n"}) == ""
    changed = difference(tmp_path, {"one": "a\nraise £6\n", "two": "b\n"})
    assert "-raise £5" in changed
    assert "+raise £6" in changed
    assert "'raise\\xa0" in difference(tmp_path, {"one": "a\nraise\xa0£5\n", "two": "b\n"})
    assert "-b" in difference(tmp_path, {"one": "a\nraise £5\n"})
    assert "+c" in difference(tmp_path, {"one": "a\nraise £5\n", "two": "b\n", "three": "c\n"})
