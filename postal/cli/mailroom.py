"""The post room: ``postal run`` is the daemon, ``poll`` one round, ``outbox`` its mail."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from postal.cli.commands import Group
from postal.cli.logs import log_to_stderr
from postal.cli.options import Data, Json
from postal.cli.starting import leaving_at_sigterm, patiently
from postal.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from postal.bootstrap import Office
    from postal.service.ticks import Rounds

outbox = Group(no_args_is_help=True, help="See what is to be sent, and send it again.")


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.command()(run)
    app.command()(poll)
    app.add_typer(outbox, name="outbox")


def run(
    data: Data,
    poll_seconds: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=3600,
            metavar="SECONDS",
            help="Seconds between two rounds, instead of the config's.",
        ),
    ] = None,
) -> None:
    """Poll the inbox, adjudicate what is due and send mail, until it is stopped."""
    with leaving_at_sigterm():
        log_to_stderr()
        patiently(lambda: _run(data, poll_seconds))


def _run(data: Path, poll_seconds: int | None) -> None:
    from postal import daemon
    from postal.bootstrap import open_office
    from postal.service.lease import MailboxLease
    from postal.store.lock import only_one

    with open_office(data) as office:
        config, clock = office.config, office.work.clock
        seconds = poll_seconds or config.daemon.poll_seconds
        if office.work.database.shared:
            # Any number of daemons: the database hands the work out.
            lease = MailboxLease(office.work)
            daemon.run(office.rounds(lease), seconds, clock.now(), lease, clock)
            return
        with only_one(config.database_url, config.folder):
            daemon.run(office.rounds(), seconds, clock.now(), clock=clock)


def poll(data: Data) -> None:
    """Poll the inbox once, file the orders, and send what is in the outbox."""
    from postal.bootstrap import open_office
    from postal.reports.display import counted
    from postal.service.outbound.delivery import try_at_once

    with open_office(data) as office:
        rounds = office.rounds()
        try:
            recover_alone(office, rounds)
            polled = rounds.poll()
            try_at_once(office.work)
            sent = rounds.send()
        finally:
            rounds.close()
    handled = len(polled.handled) if polled else 0
    typer.echo(
        f"{counted(handled, 'mail')} handled; {sent.sent} sent, {sent.retried} to be tried again,"
        f" {sent.failed} failed."
    )
    if sent.trouble:
        typer.echo(f"All other mail waits: {sent.trouble}.")
    if polled and polled.trouble:
        typer.echo(polled.trouble, err=True)


def recover_alone(office: Office, rounds: Rounds) -> None:
    """Take up what a killed program left half done, unless a daemon is at work, which does.

    On a database that daemons share what they have is leased: it is taken up when that ends.
    """
    from postal.store.lock import only_one
    from postal.store.problems import AlreadyRunning

    config = office.config
    if office.work.database.shared:
        return
    try:
        with only_one(config.database_url, config.folder):
            rounds.begin()
    except AlreadyRunning:
        return


@outbox.command("list")
def list_(
    data: Data,
    state: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STATE",
            help="queued, sending, sent, failed or unknown; all but sent by default.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the mails that are not sent, or those in some state."""
    from postal.bootstrap import open_office
    from postal.cli.tables import print_rows
    from postal.service.desk.overview import list_outbox
    from postal.store.rows import OutboxState

    known = [one.value for one in OutboxState]
    for one in state or ():
        if one not in known:
            raise UsageError(f"--state {one!r}: it must be one of {', '.join(known)}.")
    with open_office(data, look=True) as office:
        rows = list_outbox(office.work, tuple(state or ()))
    if as_json:
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        print_rows(rows, "There is nothing to be sent.")


@outbox.command("retry")
def retry(
    data: Data,
    number: Annotated[
        list[int] | None,
        typer.Argument(metavar="ID", help="Which mails; all that are not sent."),
    ] = None,
) -> None:
    """Put mails that are not sent back into the queue, to be sent at the next round."""
    from postal.bootstrap import open_office
    from postal.service.outbound.delivery import requeue

    with open_office(data) as office:
        done = requeue(office.work, tuple(number or ()))
    typer.echo(f"{done.count} {'mail is' if done.count == 1 else 'mails are'} queued again.")
    for one, why in done.hindered.items():
        typer.echo(f"Mail {one} can't be sent again: {why}.")
