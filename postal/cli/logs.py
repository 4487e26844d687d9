"""What reaches stderr unasked: postal's own lines; of other packages' never more than the place.

An exception, a warning or a log line of a package below may quote what it was given: a mail with
its cards, a token, a password.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from types import TracebackType

_OWN = "postal"


class PlacesOnly(logging.Formatter):
    """Formats postal's own lines as they are, and of all others only who reports what, where.

    The text of an exception is never printed, be it postal's.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return a record's line."""
        kind = record.exc_info[0] if record.exc_info else None
        ending = f" ({kind.__name__})" if kind else ""
        shown = logging.makeLogRecord(record.__dict__)
        shown.exc_info = shown.exc_text = shown.stack_info = None
        if record.name.partition(".")[0] == _OWN:
            shown.msg, shown.args = f"{record.getMessage()}{ending}", None
        else:
            where = f"{record.name}: {record.levelname.lower()}"
            shown.msg, shown.args = f"{where} at {record.module}:{record.lineno}{ending}", None
        return super().format(shown)


def keep_quiet() -> None:
    """Have nothing but places printed, whatever package, thread or destructor fails."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(PlacesOnly())
    # A log line that can't be formatted would be printed with all that it was given.
    logging.raiseExceptions = False
    logging.captureWarnings(True)
    sys.excepthook = _hook
    threading.excepthook = lambda failed: _told(failed.exc_type)
    sys.unraisablehook = lambda failed: _told(failed.exc_type)


def log_to_stderr() -> None:
    """Log one line an event to stderr, in UTC."""
    logging.Formatter.converter = time.gmtime
    logging.getLogger("alembic").setLevel(logging.WARNING)
    handler = logging.StreamHandler()
    handler.setFormatter(PlacesOnly("%(asctime)sZ %(message)s", "%Y-%m-%dT%H:%M:%S"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])


def _hook(kind: type[BaseException], _error: BaseException, _trace: TracebackType | None) -> None:
    _told(kind)


def _told(kind: type[BaseException] | None) -> None:
    name = kind.__name__ if kind else "an error"
    sys.stderr.write(f"postal met an error of its own ({name}).\n")
