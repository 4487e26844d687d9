"""The command by itself: quick help, no traceback for anybody, sensible exit codes."""

import errno
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from postal import __version__
from postal.cli import app
from postal.cli.failures import guarded
from postal.errors import PostalError, UsageError

HEAVY = ("sqlalchemy", "sqlmodel", "apscheduler", "jinja2", "imapclient", "pydantic", "alembic")


def test_help_imports_nothing_heavy() -> None:
    """What a command needs it imports itself."""
    code = (
        "import sys\nfrom postal.cli import main\nsys.argv = ['postal', '--help']\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        f"print('heavy:', [name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Usage: postal" in done.stdout
    assert done.stdout.splitlines()[-1] == "heavy: []"


def test_a_terminal_without_a_pound_sign_is_no_error() -> None:
    """Where neither the locale nor Python's own mode gives UTF-8."""
    record = Path(__file__).parent.parent / "records" / "smith-sample-hand.json"
    code = "import sys; from postal.cli import main; main()"
    plain = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-c", code, "replay", str(record)],
        capture_output=True,
        env={**os.environ, **plain},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"?520,000" in done.stdout


def test_every_command_has_help() -> None:
    """Each with a sentence and its options."""
    names = [command.name or command.callback.__name__ for command in app.registered_commands]  # type: ignore[union-attr]  # each has a function
    assert {"init", "check"} <= set(names)
    for name in names:
        result = CliRunner().invoke(app, [name, "--help"])
        assert result.exit_code == 0
        assert f"Usage: postal {name}" in result.output


def test_version() -> None:
    """The package's own."""
    assert CliRunner().invoke(app, ["--version"]).output == f"postal {__version__}\n"


@pytest.mark.parametrize("arguments", [["nonsense"], ["init", "--nonsense"], ["init", "extra"]])
def test_a_wrong_command_line_is_2(arguments: list[str]) -> None:
    """As everywhere."""
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert "Error: " in result.output


def raising(error: BaseException) -> Callable[[], object]:
    """Return a command that fails so."""

    def command() -> object:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (PostalError("The mailbox is full: empty it."), 1, "The mailbox is full: empty it.\n"),
        (UsageError("Name six or eight players."), 2, "Name six or eight players.\n"),
        (KeyboardInterrupt(), 130, "Interrupted.\n"),
        (
            OSError(errno.ENOSPC, "No space left on device", "/data/x"),
            1,
            "The disk is full: free some space (/data/x).\n",
        ),
        (OSError(errno.EROFS, "Read-only file system"), 1, "The disk is read-only: "),
        (PermissionError(errno.EACCES, "Permission denied", "/data/x"), 1, "Permission denied ("),
    ],
)
def test_a_failure_is_one_sentence_and_an_exit_code(
    error: BaseException, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """On stderr, with nothing on stdout."""
    with pytest.raises(SystemExit) as end:
        guarded(raising(error))
    assert end.value.code == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(said)
    assert err.count("\n") == 1


def a_bug() -> Exception:
    """Return a bug with others before and inside it, each of which quotes a card."""
    source = compile("raise ValueError('10C')", "/templates/10C.html.j2", "exec")
    last = ZeroDivisionError("10C")
    last.add_note("10C")
    last.__cause__ = KeyError("10C")
    try:
        exec(source)
    except ValueError as error:
        last.__cause__.__context__ = error
        last.__cause__.__suppress_context__ = True
    return ExceptionGroup("10C", [last])


@pytest.mark.parametrize("option", [["--data", "{}"], ["--data={}"], []])
def test_a_bug_is_written_down_in_the_data_folder(
    option: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The person sees a sentence that names the file, which is his alone to read."""
    monkeypatch.setattr(sys, "argv", ["postal", "run", *(o.format(tmp_path) for o in option)])
    if not option:
        monkeypatch.setenv("POSTAL_DATA", str(tmp_path))
    with pytest.raises(SystemExit) as end:
        guarded(raising(a_bug()))
    assert end.value.code == 70
    (crash,) = tmp_path.glob("crash-*.txt")
    written = crash.read_text(encoding="utf-8")
    assert written.startswith(f"postal {__version__}, Python 3.")
    for told in (
        "builtins.ExceptionGroup",
        "one of the group: builtins.ZeroDivisionError",
        "caused by builtins.KeyError",
        "while handling builtins.ValueError",
        "  postal/cli/failures.py, line ",
        ", guarded\n",
    ):
        assert told in written
    assert "10C" not in written
    assert str(Path(__file__).parent.parent) not in written
    assert crash.stat().st_mode & 0o077 == 0
    err = capsys.readouterr().err
    assert str(crash) in err
    assert "Traceback" not in err
    assert err.count("\n") == 1


def test_a_bug_before_there_is_a_data_folder_is_written_down_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the folder for temporary files."""
    monkeypatch.setenv("POSTAL_DATA", str(tmp_path / "none"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(SystemExit):
        guarded(raising(ZeroDivisionError()))
    (crash,) = tmp_path.glob("crash-*.txt")
    assert str(crash) in capsys.readouterr().err


def commands(group: typer.Typer = app, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield every command, by its words."""
    for one in group.registered_commands:
        yield (*path, one.name or str(one.callback.__name__))  # type: ignore[union-attr]  # as above
    for sub in group.registered_groups:
        assert sub.typer_instance is not None
        yield from commands(sub.typer_instance, (*path, str(sub.name)))


@pytest.mark.parametrize("command", list(commands()), ids=" ".join)
def test_usage_and_help_are_readable(command: tuple[str, ...]) -> None:
    """Without braces, and without the names of Python's types."""
    shown = CliRunner().invoke(app, [*command, "--help"], prog_name="postal").output
    usage, _, rest = shown.partition("\n")
    assert usage.startswith(f"Usage: postal {' '.join(command)} [OPTIONS]")
    assert not set("{}<") & set(usage)
    assert not re.search(r"list\[|<(?:int|str|path)", rest)


def test_an_argument_is_told_by_its_name() -> None:
    """Alone, or in brackets where it may be left out."""
    shown = CliRunner().invoke(app, ["game", "show", "--help"], prog_name="postal").output
    assert "Usage: postal game show [OPTIONS] GAME\n" in shown
    assert re.search(r"\n  GAME +The game's name", shown)
    shown = CliRunner().invoke(app, ["outbox", "retry", "--help"], prog_name="postal").output
    assert "Usage: postal outbox retry [OPTIONS] [ID]...\n" in shown
    failed = CliRunner().invoke(app, ["game", "show"], prog_name="postal")
    assert "Usage: postal game show [OPTIONS] GAME\n" in failed.output


def completed(*words: str) -> list[str]:
    """Return what bash offers at the end of a command line."""
    code = "import sys; sys.argv = ['postal']; from postal.cli import main; main()"
    asked = {
        "_POSTAL_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **asked},
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_the_shell_completes_commands() -> None:
    """As soon as ``postal --install-completion`` was run."""
    assert "--install-completion" in CliRunner().invoke(app, ["--help"]).output
    assert completed("postal", "adj") == ["adjudicate"]
    assert {"list", "new", "show"} <= set(completed("postal", "game", ""))
    assert "--reveal" in completed("postal", "game", "show", "--r")
