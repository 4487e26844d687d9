"""What is expected of a golden conversation: compared line by line, or written anew."""

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path

ENDING = ".out"
MOST_LINES = 300
"""The most lines of a diff that are shown; the rest is told by its number."""


def write(folder: Path, pages: Mapping[str, str]) -> None:
    """Write the pages as what is expected, and take away those that are no more."""
    for old in folder.glob(f"*{ENDING}"):
        old.unlink()
    for name, text in pages.items():
        (folder / f"{name}{ENDING}").write_text(text, "utf-8", newline="\n")


def difference(folder: Path, pages: Mapping[str, str]) -> str:
    """Return the pages' difference from what is expected as a unified diff, "" for none."""
    expected = {path.stem: path.read_text("utf-8") for path in folder.glob(f"*{ENDING}")}
    lines = [
        line
        for name in sorted(expected.keys() | pages.keys())
        for line in _diff(f"{folder.name}/{name}", expected.get(name, ""), pages.get(name, ""))
    ]
    if not lines:
        return ""
    rest = len(lines) - MOST_LINES
    more = [f"… and {rest} further lines"] if rest > 0 else []
    advice = "If that is meant: make golden, and read the diff of what it wrote."
    return "\n".join([*lines[:MOST_LINES], *more, advice])


def _diff(name: str, before: str, after: str) -> Iterator[str]:
    old, new = before.split("\n"), after.split("\n")
    if old == new:
        return
    # A hard space looks like any other: where that is all, both lines are spelled out.
    alike = {_seen(line) for line in old} & {_seen(line) for line in new}
    hidden = {line for line in {*old} ^ {*new} if _seen(line) in alike}
    for line in difflib.unified_diff(old, new, f"{name} expected", f"{name} now", lineterm=""):
        yield line[:1] + ascii(line[1:]) if line[:1] in "+-" and line[1:] in hidden else line


def _seen(line: str) -> str:
    """Return a line as it looks."""
    return " ".join(line.split())
