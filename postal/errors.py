"""What goes wrong for a person: one sentence that says what to do, and the exit code it means."""

import re


class PostalError(Exception):
    """A failure told to the GM as one sentence that says what to do; never a secret in it.

    ``exit_code`` is the process's: 1, something failed.
    """

    exit_code = 1


class UsageError(PostalError):
    """The command itself can't be right as it was given: exit code 2."""

    exit_code = 2


def toml_place(error: ValueError) -> str:
    """Return where in a file TOML is wrong, such as ``line 3, column 9``; never what stands there.

    ``error`` is tomllib's, whose text may quote what it met: a password without its quotes.
    """
    found = re.search(r"\(at (line \d+, column \d+)\)$", str(error))
    return found[1] if found else "the end of the file"
