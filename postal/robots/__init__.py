"""Robots: players that know only what they were mailed and write orders as people do."""

from postal.robots.players import LONGEST_ANSWER, Robot
from postal.robots.styles import STYLES, Style
from postal.service.deciding.tempers import TEMPERS, Temper

__all__ = ["LONGEST_ANSWER", "STYLES", "TEMPERS", "Robot", "Style", "Temper"]
