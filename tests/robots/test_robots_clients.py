"""Every mail program in every language: each text that it sends says precisely what was meant."""

from email import message_from_bytes
from email.policy import default

import pytest

from postal.engine.orders import Order
from postal.mail.gate import refusal
from postal.mail.incoming import read
from postal.ordertext import read_mail
from postal.robots import Style
from postal.robots.clients import layout
from postal.robots.clients_languages import LANGUAGES
from postal.robots.clients_table import CLIENTS
from postal.service.records.play import order_context
from tests.robots.robot_league import Table, alike, new_table, ordered, robot

PLAYER = "Mary Ann"
ATTRIBUTIONS = {
    "en": "wrote:",
    "de": "\u00a0Uhr schrieb Gemma",
    "fr": "a écrit\u00a0:",
    "es": "escribió:",
    "it": "ha scritto:",
    "nl": "schreef Gemma",
    "pl": "o\u00a0",
    "pt": "escreveu:",
    "sv": "skrev Gemma",
}
BLOCKS = {
    "en": "Subject:",
    "de": "Betreff:",
    "fr": "Objet\u00a0:",
    "es": "Asunto:",
    "it": "Oggetto:",
    "nl": "Onderwerp:",
    "pl": "Temat:",
    "pt": "Assunto:",
    "sv": "Ämne:",
}


@pytest.fixture(scope="module")
def table() -> Table:
    """Return a game just dealt."""
    return new_table(3)


@pytest.fixture(scope="module")
def report(table: Table) -> bytes:
    """Return the report that is answered."""
    return table.report(PLAYER)


def answer_of(client: str, language: str, report: bytes) -> tuple[bytes, dict[str, Order]]:
    """Return an answer written with a mail program, and what it should say."""
    style = Style(client, layout(CLIENTS[client], language))
    writer = robot(PLAYER, styles=(style,))
    (answer,) = writer.answer(report)
    return answer, writer.intended[1]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("client", CLIENTS)
def test_each_text_of_a_mail_is_read_as_it_is_meant(
    client: str, language: str, table: Table, report: bytes
) -> None:
    """The text and the HTML, each by itself, unless it is a stub."""
    answer, meant = answer_of(client, language, report)
    incoming = read(answer)
    assert refusal(incoming, ["games@example.org"]) is None
    spec = CLIENTS[client]
    stub = spec.text == "stub"
    assert len(incoming.texts) == (1 if not (spec.page and spec.text) else 2)
    for text in incoming.texts[stub:]:
        reading = read_mail(text, order_context(table.game, PLAYER))
        assert not reading.problems
        assert not reading.commands
        assert alike(ordered(table.game, PLAYER, reading), meant)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_quote_begins_in_the_language(language: str, report: bytes) -> None:
    """With its non-breaking spaces, in the attribution and in the header block."""
    for client, words in (("gmail-web", ATTRIBUTIONS), ("outlook-desktop", BLOCKS)):
        answer, _ = answer_of(client, language, report)
        for part in message_from_bytes(answer, policy=default).walk():
            if part.is_multipart():
                continue
            content = part.get_content()
            bare = content.replace("</span></b><span lang=EN-US>", "").replace("&#322;", "ł")
            assert words[language] in bare
