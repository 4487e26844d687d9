"""Robots: players that know only what they were mailed and write orders as people do."""

from postal.robots.players import Robot
from postal.robots.styles import STYLES, Style
from postal.robots.tempers import TEMPERS, Temper

__all__ = ["STYLES", "TEMPERS", "Robot", "Style", "Temper"]
