"""What goes wrong for a person: one sentence that says what to do, and the exit code it means."""


class PostalError(Exception):
    """A failure told to the GM as one sentence that says what to do; never a secret in it.

    ``exit_code`` is the process's: 1, something failed.
    """

    exit_code = 1


class UsageError(PostalError):
    """The command itself can't be right as it was given: exit code 2."""

    exit_code = 2
