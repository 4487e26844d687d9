"""Postal runs a postal card league from one mailbox."""

__version__ = "0.1.0"
