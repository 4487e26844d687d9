"""What reaches stderr unasked: postal's own lines, and of other packages' none of their words."""

import subprocess
import sys

SCRIPT = """
import logging, sys, threading, warnings
from postal.cli import main
from postal.cli.logs import log_to_stderr

if sys.argv[1] == "run":
    log_to_stderr()
sys.argv = ["postal", "--version"]
try:
    main()
except SystemExit:
    pass

class Late:
    def __del__(self):
        raise ValueError("10C")

def fail():
    raise ValueError("10C")

logging.getLogger("postal").warning("mail in %s: %s", 7, "100% done")
logging.getLogger("imapclient").warning("fetched %s", "10C")
try:
    fail()
except ValueError:
    logging.getLogger("sqlalchemy.pool").exception("10C")
    logging.getLogger("postal").exception("turn 3 failed")
    logging.getLogger("postal").warning("seen", stack_info=True)
logging.getLogger("postal").warning("%d", "10C")
warnings.warn("10C")
thread = threading.Thread(target=fail)
thread.start()
thread.join()
Late()
raise KeyError("10C")
"""


def test_only_postals_own_words_are_printed() -> None:
    """Of a package's log line, a warning or an exception anywhere: who, where and its kind."""
    for how in ("run", "once"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, how], capture_output=True, text=True, check=False
        )
        assert "10C" not in done.stderr + done.stdout
        assert "Traceback" not in done.stderr
        assert "mail in 7: 100% done\n" in done.stderr
        assert "imapclient: warning at <string>:" in done.stderr
        assert "sqlalchemy.pool: error at <string>:" in done.stderr
        assert "turn 3 failed (ValueError)\n" in done.stderr
        assert done.stderr.count("an error of its own (ValueError)") == 2
        assert "an error of its own (KeyError)" in done.stderr
