"""A turn with forged, late, held and broken mails: nobody sees another's cards, token or secret."""

import json
import logging
from dataclasses import replace

import pytest

from postal.engine.view import view
from postal.service.desk.mails import list_mails, show_mail
from postal.service.desk.overview import list_games, list_outbox, show_game, show_orders
from postal.service.desk.players import add_address, revoke_tokens
from postal.service.inbound import filing, handling
from postal.store.rows import SeatRow
from tests.service.service_league import DEADLINE, HOUR, MINUTE, SECRET, League, parsed, text_of

SERVER = "mx.example.org"
FAIL = f"Authentication-Results: {SERVER}; dmarc=fail\n"
STRANGER = "stranger@example.net"


def play_turbulent_turn(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Play a turn in which everything goes wrong that can."""
    league.work = replace(league.work, identity=replace(league.work.identity, authserv_id=SERVER))
    real = filing.take

    def failing_for_dan(*arguments: object) -> object:
        if arguments[2] == "Dan":
            raise ValueError(arguments[3].lines)  # type: ignore[attr-defined]  # the reading
        return real(*arguments)  # type: ignore[arg-type]  # handed on as they came

    monkeypatch.setattr(handling, "take", failing_for_dan)
    for player in league.players:
        hidden = [
            str(card)
            for _, _, seat in view(league.game, player).mine()
            for card in seat.hidden or ()
        ]
        lines = [item.examples[0] for item in view(league.game, player).due]
        cards = " ".join(hidden)
        text = "\n".join([*lines, f"A: raise 70000 expose {cards}", f"my cards are {cards}", ""])
        league.write(player, text)
        league.write(player, text, headers=FAIL)
        league.write(player, text, turn=2)  # type: ignore[arg-type]  # a number
        league.write(player, text, token="", sender=STRANGER)
        league.write(player, text, token="")
        league.write(player, text, token="a" * 16, sender="bob@example.org")
        league.write(player, text, headers="Auto-Submitted: auto-replied\n")
        (welcome,) = league.outbox(player, "welcome")
        league.post.deliver(
            b"Return-Path: <>\r\nFrom: MAILER-DAEMON@x.example\r\nSubject: failure\r\n\r\n"
            b"Hi. This is the qmail-send program at x.example.\r\n\r\n<ann@example.org>:\r\n"
            b"Sorry. (#5.1.1)\r\n\r\n--- Below this line is a copy of the message.\r\n\r\n"
            + (welcome.raw or b"")
        )
    add_address(league.work, "Eve", "eve@work.example")
    revoke_tokens(league.work, "Fay")
    for _ in range(4):
        league.poll()
        league.clock.advance(2 * HOUR)
    league.clock.move_to(max(league.clock.now(), DEADLINE) + 24 * 30 * HOUR)
    league.write("Cat", "A: fold")
    league.poll()
    assert len(league.due()) == 1
    league.clock.advance(MINUTE)
    league.send()


def secrets(league: League, *but: str) -> set[str]:
    """Return the tokens of all players but some, revoked ones too, and the league's secrets."""
    loaded = league.loaded()
    found = {
        league.work.token(
            loaded.row, turn, SeatRow(game_id=0, position=0, name=player, token_serial=n)
        )
        for player in league.players
        if player not in but
        for turn in range(8)
        for n in range(2)
    }
    return {*found, SECRET.hex(), league.work.token_key.hex()}


def test_nothing_gets_about(
    betting: League, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by the log nor by a mail to anybody else nor by what the GM is shown unasked."""
    league = betting
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.WARNING, "sqlalchemy")
    play_turbulent_turn(league, monkeypatch)
    reasons = {mail.reason.split(":")[0].split(",")[0] for mail in league.mails()}
    assert {"too late", "held", "failed 5 times", "no token"} <= reasons
    log = caplog.text.lower()
    assert "mail in" in log
    assert not [one for one in secrets(league) if one in log]
    _no_card_in(log, league)
    for row in league.outbox():
        raw = (row.raw or b"").decode().lower().replace("=\r\n", "")
        assert not [one for one in secrets(league, row.player) if one in raw], row.kind
        if row.recipient == "eve@work.example":
            assert not [one for one in secrets(league) if one in raw]
    for row in league.outbox("", "gm"):
        for part in parsed(row.raw).walk():
            if part.get_content_type() == "text/plain" and row.created_at > DEADLINE:
                _no_card_in(str(part.get_payload(decode=True)).lower(), league)
    assert {row.recipient for row in league.outbox()} == {
        "grace@example.org",
        "eve@work.example",
        *(f"{player.lower()}@example.org" for player in league.players),
    }
    shown = json.dumps(
        [
            list_mails(league.work, ["done", "ignored", "rejected", "quarantined"]),
            [show_mail(league.work, mail.id or 0) for mail in league.mails()],
            list_outbox(league.work, ("sent", "failed")),
            list_games(league.work),
            show_game(league.work, "smith-1"),
            show_orders(league.work, "smith-1"),
        ]
    ).lower()
    assert not [one for one in secrets(league) if one in shown]
    _no_card_in(shown, league)
    held = next(mail.id or 0 for mail in league.mails() if mail.reason.startswith("held"))
    with pytest.raises(AssertionError):
        _no_card_in(" ".join(show_mail(league.work, held, reveal=True)["texts"]).lower(), league)
    for row in league.outbox():
        if row.player and row.kind in ("receipt", "late", "held", "hint", "report"):
            _no_card_in(text_of(row.raw).lower(), league, row.player)


def _no_card_in(text: str, league: League, player: str = "") -> None:
    """Check that no text names a card that lies face down and is not open or the player's."""
    game = league.game
    open_cards = {
        str(card).lower() for hand in game.hands for seat in hand.seats for card in seat.shown
    }
    hidden = {
        str(card).lower() for hand in game.hands for seat in hand.seats for card in seat.hidden
    }
    own = (seat for _, _, seat in view(game, player).mine()) if player else ()
    for seat in own:
        given = [card for passed in (*seat.gave, *seat.got) for card in passed.cards]
        known = (*(seat.hidden or ()), *(seat.discarded or ()), *given)
        open_cards |= {str(card).lower() for card in known}
    assert hidden - open_cards
    words = set(text.replace('"', " ").replace(",", " ").replace(".", " ").split())
    assert not (hidden - open_cards) & words
