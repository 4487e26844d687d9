"""The mails that the program sends, made from what each reader may know and nothing else."""

from postal.reports.contexts import Frame, OnFile, OptionFact, ReceiptFacts, Rendered
from postal.reports.environment import TemplateMistakeError
from postal.reports.render import Reports
from postal.reports.wrapping import MARKER

__all__ = [
    "MARKER",
    "Frame",
    "OnFile",
    "OptionFact",
    "ReceiptFacts",
    "Rendered",
    "Reports",
    "TemplateMistakeError",
]
