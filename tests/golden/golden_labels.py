"""Numbers in place of what chance named: tokens, Message-IDs and boundaries.

What is expected then says which of them are the same, and stays as it is however they are made.
"""

import re
from email.message import Message

_NAMED = re.compile(r"%[0-9A-Fa-f]{2}|=_[0-9a-f]{32}|[A-Za-z0-9]{12,}")
_TOKEN = re.compile(r"\+([a-z0-9]{16})@|\[postal ([a-z0-9]{16})\]|<postal\.([a-z0-9]{16})\.")
_UNIQUE = re.compile(r"([A-Za-z0-9]{12,})@")


class Labels:
    """The names met so far, each with a label as long as itself, by the order of their mails."""

    def __init__(self) -> None:
        """Know no name yet."""
        self._known: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def learn(self, message: Message) -> None:
        """Note what chance named in a mail that went out."""
        identifier = str(message.get("Message-ID", ""))
        for text in (message.get("Reply-To", ""), message.get("Subject", ""), identifier):
            for found in _TOKEN.finditer(str(text)):
                self._name("token", next(filter(None, found.groups())))
        if unique := _UNIQUE.search(identifier):
            self._name("mail", unique[1])
        if boundary := message.get_boundary():
            self._name("=_", boundary)

    def put(self, text: str) -> str:
        """Return a text with the labels in place of the names."""
        return _NAMED.sub(lambda found: self._known.get(found[0], found[0]), text)

    def _name(self, kind: str, name: str) -> None:
        if name not in self._known:
            number = self._counts[kind] = self._counts.get(kind, 0) + 1
            self._known[name] = f"{kind}{number:0{len(name) - len(kind)}d}"
