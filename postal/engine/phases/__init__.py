"""The phases: each says what is due, checks an order, supplies the default and applies moves."""

from __future__ import annotations

from postal.engine.orders import Bet, Discard, Expose, Give, Keep, LimitRaise, Order
from postal.engine.phases import betting, expose, give, keep
from postal.engine.phases.base import Actions
from postal.engine.rules import BettingPhase, ExposePhase, GivePhase, KeepPhase, Phase

ACTIONS: dict[type[Phase], Actions] = {
    GivePhase: give.ACTIONS,
    KeepPhase: keep.ACTIONS,
    ExposePhase: expose.ACTIONS,
    BettingPhase: betting.ACTIONS,
}
"""What players can do in each phase that waits for them; the other phases play themselves."""

ORDERS: dict[type[Phase], tuple[type[Order], ...]] = {
    GivePhase: (Give,),
    KeepPhase: (Keep, Discard),
    ExposePhase: (Expose,),
    BettingPhase: (Bet, LimitRaise),
}
"""The orders that belong to each phase."""

__all__ = ["ACTIONS", "ORDERS"]
