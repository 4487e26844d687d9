"""What befalls the league in a year: a kind each, and when it happens.

A kind that is added to ``ACCIDENTS`` happens in the year and in the quarter alike.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from postal.service.desk.holding import hold, resume
from postal.service.desk.holidays import note_holiday
from postal.service.desk.newaddress import set_address
from postal.service.desk.timing import extend
from postal.store.rows import GameRow
from tests.service.service_league import Stumble
from tests.year.year_world import HOUR, World

DAY = 24 * HOUR

Accident = Callable[[World], None]
"""Lets something happen from now on, time passing meanwhile; the league is at work after it."""


def machine_off(world: World) -> None:
    """The machine is off for a while, mostly for days."""
    began = world.now
    world.stop()
    world.run(began + world.pick.uniform(0.4, 4) * DAY)
    world.aways.append((began, world.now))
    world.start()


def mailbox_away(world: World) -> None:
    """The mailbox can't be reached."""
    began = world.now
    world.post.no_imap(away=True)
    world.run(began + world.pick.uniform(0.4, 3) * DAY)
    world.aways.append((began, world.now))
    world.post.no_imap(away=False)


def sending_away(world: World) -> None:
    """No mail can be sent."""
    world.post.no_smtp = True
    world.run(world.now + world.pick.uniform(0.4, 3) * DAY)
    world.post.no_smtp = False


def restart(world: World) -> None:
    """The program is killed in the middle of a round, before or after a mail was taken."""
    point = world.pick.choice(("send", "sent", "move"))
    world.post.fails[point] = Stumble()
    try:
        world.run(world.now + 3 * DAY)
    except Stumble:
        pass
    finally:
        del world.post.fails[point]
        world.start()


def wrong_address(world: World) -> None:
    """A player's address is nobody's any more; days later the GM puts it right."""
    player = world.pick.choice(list(world.addresses))
    world.post.gone.add(world.addresses[player])
    world.run(world.now + world.pick.uniform(6, 12) * DAY)
    number = sum(one.startswith(player.lower()) for one in world.post.gone)
    address = f"{player.lower()}{number}@example.org"
    set_address(world.league.work, player, address)
    world.move_house(player, address)


def silence(world: World) -> None:
    """A player doesn't answer for a week."""
    seat = _seat(world)
    world.silent.add(seat)
    world.run(world.now + 8 * DAY)
    world.silent.discard(seat)


def drop_out(world: World) -> None:
    """A player is never heard of again in a game."""
    world.silent.add(_seat(world))


def on_hold(world: World) -> None:
    """The GM stops a game for some days, perhaps at its deadline."""
    slug = _game(world).slug
    hold(world.league.work, slug)
    world.run(world.now + world.pick.uniform(0.5, 6) * DAY)
    resume(world.league.work, slug)


def extended(world: World) -> None:
    """The GM gives a game more time."""
    slug = _game(world).slug
    turn = world.turn(slug)
    if turn is not None and turn.deadline is not None and turn.deadline > world.now:
        extend(world.league.work, slug, timedelta(days=world.pick.randint(1, 3)))


def holiday(world: World) -> None:
    """A player is away in all games from some days on; what is due in it moves past it."""
    player = world.pick.choice(list(world.addresses))
    first = world.now.date() + timedelta(days=world.pick.randint(1, 4))
    last = first + timedelta(days=world.pick.randint(3, 9))
    note_holiday(world.league.work, player, first.isoformat(), last.isoformat())


ACCIDENTS: dict[str, Accident] = {
    "machine off": machine_off,
    "mailbox away": mailbox_away,
    "sending away": sending_away,
    "restart": restart,
    "wrong address": wrong_address,
    "silence": silence,
    "drop-out": drop_out,
    "holiday": holiday,
    "hold": on_hold,
    "extend": extended,
}


def _game(world: World) -> GameRow:
    return world.pick.choice(world.games())


def _seat(world: World) -> tuple[str, str]:
    """Return a seat of a game whose holder is not silent in any: games are not to die out."""
    slug = _game(world).slug
    silent = {player for _, player in world.silent}
    awake = [player for player in world.players(slug) if player not in silent]
    return slug, world.pick.choice(awake or list(world.players(slug)))
