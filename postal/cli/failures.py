"""What a person sees when a command fails: one sentence on stderr, never a traceback."""

import errno
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import typer

from postal.cli.crashes import describe
from postal.clock import SystemClock
from postal.errors import PostalError
from postal.resources import CRASH, default_data_folder

INTERRUPTED = 130
CRASHED = 70  # EX_SOFTWARE of sysexits.h
_ADVICE = {
    errno.ENOSPC: "The disk is full: free some space{where}.",
    errno.EDQUOT: "Your disk quota is used up: free some space{where}.",
    errno.EROFS: "The disk is read-only{where}: choose a data folder that can be written to.",
    errno.EACCES: "Permission denied{where}: see to its owner and rights.",
    errno.EPERM: "Permission denied{where}: see to its owner and rights.",
}


def guarded(command: Callable[[], object]) -> None:
    """Run a command and exit: 0, its failure's exit code, 130 for Ctrl-C, 70 for a bug of ours."""
    try:
        command()
    except KeyboardInterrupt:
        _fail("Interrupted.", INTERRUPTED)
    except PostalError as error:
        _fail(str(error), error.exit_code)
    except Exception as error:  # noqa: BLE001 - the last line of defence
        if isinstance(error, OSError) and error.errno in _ADVICE:
            where = f" ({error.filename})" if error.filename else ""
            _fail(_ADVICE[error.errno].format(where=where), 1)
        _fail(
            f"postal met an error of its own ({type(error).__name__}); please report it with"
            f" {_write_down(error)}, where the details are.",
            CRASHED,
        )


def _fail(sentence: str, code: int) -> None:
    typer.echo(sentence, err=True)
    sys.exit(code)


def _write_down(error: Exception) -> Path:
    """Write where it happened to a file of the user's alone, in the data folder if that can be."""
    name = SystemClock().now().strftime(CRASH)
    details = describe(error)
    for folder in (_data_folder(sys.argv), None):
        try:
            handle, path = tempfile.mkstemp(".txt", name, folder, text=True)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(details)
        except OSError:
            continue
        return Path(path)
    typer.echo(details, err=True)
    return Path("the lines above")


def _data_folder(arguments: list[str]) -> Path:
    """Return the data folder that a command line names; the command itself may not know yet."""
    for flag, value in zip(arguments, [*arguments[1:], ""], strict=True):
        if flag == "--data":
            return Path(value)
        if flag.startswith("--data="):
            return Path(flag.removeprefix("--data="))
    return default_data_folder()
