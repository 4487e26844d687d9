"""The mail that came: ``postal inbox`` lists and shows it, and handles it again."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from postal.cli.commands import Group
from postal.cli.options import Data, Json
from postal.errors import UsageError

inbox = Group(
    no_args_is_help=True, help="See the mail that came and needs you, and handle it again."
)

Number = Annotated[int, typer.Argument(metavar="ID", help="The mail's number in the list.")]
_NEXT = "Answers go out, and it moves to its folder, at the next round."


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.add_typer(inbox, name="inbox")


@inbox.command("list")
def list_(
    data: Data,
    status: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STATUS",
            help="new, unread, done, ignored, rejected or quarantined, instead of what needs you.",
        ),
    ] = None,
    reveal: Annotated[bool, typer.Option("--reveal", help="Show cards in subjects too.")] = False,
    as_json: Json = False,
) -> None:
    """List the mails that need you: not read, held, or lately come without a token."""
    from postal.bootstrap import open_office
    from postal.cli.tables import print_rows, when
    from postal.service.desk.looks import look
    from postal.service.desk.mails import list_mails
    from postal.store.rows import MailStatus

    known = [one.value for one in MailStatus]
    for one in status or ():
        if one not in known:
            raise UsageError(f"--status {one!r}: it must be one of {', '.join(known)}.")
    with open_office(data, look=True) as office:
        rows = list_mails(office.work, tuple(status or ()), reveal=reveal)
        if reveal and rows:
            look(office.work, None, "the subjects of mails (`postal inbox list --reveal`)")
    if as_json:
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        print_rows([{**row, "arrived": when(row["arrived"])} for row in rows], "No mail needs you.")


@inbox.command("show")
def show(
    number: Number,
    data: Data,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Show the text as it was read: orders name cards.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show a mail: what became of it, its headers and, with --reveal, its text."""
    from postal.bootstrap import open_office
    from postal.service.desk.fetching import fetch_missing
    from postal.service.desk.looks import look
    from postal.service.desk.mails import show_mail

    with open_office(data, look=True) as office:
        if reveal:
            fetch_missing(office.work, number, office.mailbox)
        facts = show_mail(office.work, number, reveal=reveal)
        if reveal:
            look(office.work, facts["game"], f"mail {number} (`postal inbox show --reveal`)")
    if as_json:
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False))
    else:
        _print(facts)


@inbox.command("reparse")
def reparse(number: Number, data: Data) -> None:
    """Handle a mail again as if it had just come: after a repair, for one.

    What was taken is taken once, and later orders stand.
    """
    from postal.bootstrap import open_office
    from postal.service.desk.fetching import fetch_missing
    from postal.service.desk.mails_again import handle_again

    with open_office(data) as office:
        fetch_missing(office.work, number, office.mailbox)
        typer.echo(f"{handle_again(office.work, number)} {_NEXT}")


@inbox.command("release")
def release(
    number: Number,
    data: Data,
    as_done: Annotated[
        bool, typer.Option("--as-done", help="Only mark it as dealt with; it orders nothing.")
    ] = False,
) -> None:
    """Let a mail out of quarantine, or read one at last: you vouch for it, so it is handled."""
    from postal.bootstrap import open_office
    from postal.service.desk import mails_again as mails
    from postal.service.desk.fetching import fetch_missing

    with open_office(data) as office:
        if not as_done:
            fetch_missing(office.work, number, office.mailbox)
        said = (mails.set_done if as_done else mails.release)(office.work, number)
    typer.echo(f"{said} {_NEXT}")


@inbox.command("discard")
def discard(number: Number, data: Data) -> None:
    """Let a mail go that could not be read or handled: no turn waits for it any more."""
    from postal.bootstrap import open_office
    from postal.service.desk import mails_again as mails

    with open_office(data) as office:
        typer.echo(mails.discard(office.work, number))


def _print(facts: dict[str, Any]) -> None:
    from postal.cli.tables import when
    from postal.service.desk.mails_again import NOT_KEPT

    lines = {
        **{key: value for key, value in facts.items() if key not in ("headers", "texts")},
        "arrived": when(facts["arrived"]),
    }
    for name, value in lines.items():
        if value not in (None, ""):
            typer.echo(f"{name + ':':12} {value}")
    for name, values in facts["headers"].items():
        for value in values:
            typer.echo(f"{name.title()}: {value}")
    for number, text in enumerate(facts.get("texts", ()), 1):
        typer.echo(f"\n--- text {number} of {len(facts['texts'])} ---\n{_safe(text)}")
    if facts["unreadable"] == NOT_KEPT:
        typer.echo(f"\nMail {facts['id']} can't be shown: {NOT_KEPT}.")
    elif "texts" not in facts:
        typer.echo("\nThe text is shown with --reveal.")


def _safe(text: str) -> str:
    """Return a stranger's text, line by line, without what could steer a terminal."""
    return "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in text)
