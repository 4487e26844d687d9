"""The mails that the program sends, made from what each reader may know and nothing else."""

from postal.engine.words import MARKER
from postal.reports.contexts import (
    Frame,
    Hold,
    HolidayFact,
    OnFile,
    OptionFact,
    PastOrders,
    ReceiptFacts,
    Rendered,
    StandbyStep,
    TakenBack,
)
from postal.reports.display import shown_name, time_left
from postal.reports.environment import TemplateMistakeError
from postal.reports.problems import problem_sentence
from postal.reports.render import Reports
from postal.reports.words import Press, Said

__all__ = [
    "MARKER",
    "Frame",
    "Hold",
    "HolidayFact",
    "OnFile",
    "OptionFact",
    "PastOrders",
    "Press",
    "ReceiptFacts",
    "Rendered",
    "Reports",
    "Said",
    "StandbyStep",
    "TakenBack",
    "TemplateMistakeError",
    "problem_sentence",
    "shown_name",
    "time_left",
]
