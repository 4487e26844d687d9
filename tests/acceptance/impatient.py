"""The command with leases of seconds, for a test that can't wait for those of minutes.

Run by the Python of an installed postal, with the command's own arguments.
"""

from datetime import timedelta

from postal.service import workplace

# Before anything else is imported, which takes these with it.
workplace.LEASE = timedelta(seconds=4)

from postal.service import lease  # noqa: E402 - as said

lease.MAILBOX_LEASE = timedelta(seconds=4)
lease.BEAT_SECONDS = 1

from postal.cli import main  # noqa: E402 - as said

if __name__ == "__main__":
    main()
