"""The README and docs/: every command named exists, links lead somewhere, the unit is sound."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from postal.cli import app
from postal.config import Config

ROOT = Path(__file__).parents[1]
UNIT = ROOT / "docs" / "postal.service"
OTHERS = {"pg_dump", "pg_restore", "offline_access"}
"""What looks like a setting and is another program's word."""

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

_CODE = re.compile(r"`([^`\n]+)`|^ {4,}(\S.*)$", re.MULTILINE)
_COMMAND = re.compile(r"(?<![\w./-])postal ((?:[a-z][a-z-]*(?![\w.-]) ?){1,2})([^|&;)]*)")
_OPTION = re.compile(r"(?<!\S)--[a-z-]+")
_LINK = re.compile(r"\]\(([^)#]+)\)")
_KEY = re.compile(r"`(?:\[(\w+)\] ?)?([a-z]+_[a-z_]+)`")


def commands(page: Path) -> Iterator[tuple[str, str]]:
    """Yield each command that a page names, as its words and what follows them."""
    for code in _CODE.finditer(page.read_text("utf-8")):
        for found in _COMMAND.finditer(code[1] or code[2]):
            yield found[1].strip(), found[2]


def meant(words: str) -> Any:
    """Return the command that words begin with, None where there is none."""
    command: Any = typer.main.get_command(app)
    for word in words.split():
        # Only a group has commands; what follows any other is an argument.
        if not hasattr(command, "commands"):
            break
        if word not in command.commands:
            return None
        command = command.commands[word]
    return command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_and_option_that_is_named_exists(page: Path) -> None:
    """As the command line has them now."""
    for words, rest in commands(page):
        command = meant(words)
        assert command is not None, f"postal {words}"
        options = {name for param in command.params for name in param.opts} | {"--help"}
        for option in _OPTION.findall(rest):
            assert option in options, f"postal {words} {option}"


def test_the_commands_are_found() -> None:
    """The test above looks at something."""
    named = {words for page in PAGES for words, _ in commands(page)}
    assert {"run", "status", "game new", "extend", "migrate"} <= named
    assert meant("game") is not None
    assert meant("nonsense") is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    """Those to the world are not followed."""
    for target in _LINK.findall(page.read_text("utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_setting_that_is_named_exists(page: Path) -> None:
    """In the config, or as an option of a game."""
    known = set((ROOT / "config.example.toml").read_text("utf-8").replace("#", " ").split())
    known |= set((ROOT / "games" / "smith.toml").read_text("utf-8").split())
    for _, key in _KEY.findall(page.read_text("utf-8")):
        assert key in known | OTHERS, key


def test_the_unit_is_sound(tmp_path: Path) -> None:
    """``systemd-analyze verify`` finds nothing in it, where it is installed."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    text = UNIT.read_text("utf-8")
    (started,) = re.findall(r"^ExecStart=(\S+) run$", text, re.MULTILINE)
    # The program of the unit is not there on the machine of the test.
    copy = tmp_path / UNIT.name
    copy.write_text(text.replace(started, sys.executable), "utf-8")
    done = subprocess.run(
        [program, "verify", "--man=no", copy], capture_output=True, text=True, check=False
    )
    found = [line for line in (done.stdout + done.stderr).splitlines() if copy.name in line]
    assert (done.returncode, found) == (0, [])


def test_the_unit_and_the_page_agree() -> None:
    """On the program and the data folder, which the unit may write to."""
    text, page = UNIT.read_text("utf-8"), (ROOT / "docs" / "running.md").read_text("utf-8")
    (folder,) = re.findall(r"^Environment=POSTAL_DATA=(\S+)$", text, re.MULTILINE)
    (name,) = re.findall(r"^StateDirectory=(\S+)$", text, re.MULTILINE)
    (program,) = re.findall(r"^ExecStart=(\S+) run$", text, re.MULTILINE)
    assert folder == f"/var/lib/{name}"
    assert f"--data {folder}" in page
    assert f"{program} check" in page


def test_the_page_tells_the_real_default() -> None:
    """Of what counts as an outage."""
    default = Config.model_fields["daemon"].default.outage_after
    page = " ".join((ROOT / "docs" / "running.md").read_text("utf-8").split())
    assert f"`outage_after` hours or more ({default} unless" in page
