"""Turns: when one is due, adjudicating it, and the reports of it."""
