"""What mail programs say in nine languages: dates, attributions, header blocks, telephones' lines.

Patterns take ``d`` (the date), ``day``, ``weekday``, ``mon`` and ``month`` (short and long names),
``name`` and ``address``; a space that may not break is written as an escape.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from postal.robots.reports import Letterhead

_SHORT_MONTHS = "jan feb mar apr {} jun jul aug sep okt nov dec"


@dataclass(frozen=True, slots=True)
class Language:
    """One language of mail programs.

    ``days`` and ``weekdays`` begin with Monday; ``gmail``, ``thunderbird`` and ``apple`` are
    attributions; ``block`` names From, Sent, To and Subject; ``sent`` is Outlook's date there.
    """

    days: str
    weekdays: str
    mons: str
    months: str
    gmail: str = field(repr=False)
    thunderbird: str = field(repr=False)
    apple: str = field(repr=False)
    block: tuple[str, str, str, str]
    sent: str
    original: str
    iphone: str
    reply: str = "RE"

    def say(self, pattern: str, head: Letterhead) -> str:
        """Return a pattern filled with when the mail was written and by whom."""
        date = head.date
        return pattern.format(
            d=date,
            day=self.days.split()[date.weekday()],
            weekday=self.weekdays.split()[date.weekday()],
            mon=self.mons.split()[date.month - 1],
            month=self.months.split()[date.month - 1],
            name=head.sender_name,
            address=head.answer_to,
        )

    def header_block(self, head: Letterhead) -> list[tuple[str, str]]:
        """Return the names and values of a block in Outlook's manner."""
        sender = f"{head.sender_name} <{head.answer_to}>"
        values = (sender, self.say(self.sent, head), head.recipient, head.subject)
        return list(zip(self.block, values, strict=True))


LANGUAGES = {
    "en": Language(
        "Mon Tue Wed Thu Fri Sat Sun",
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
        "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
        "January February March April May June July August September October November December",
        "On {day}, {mon} {d.day}, {d.year} at {d:%I:%M}\u202f{d:%p} {name} <{address}> wrote:",
        "On {d:%d/%m/%Y} {d:%H:%M}, {name} wrote:",
        "On {d.day} {mon} {d.year}, at {d:%H:%M}, {name} <{address}> wrote:",
        ("From", "Sent", "To", "Subject"),
        "{weekday}, {month} {d.day}, {d.year} {d:%I:%M %p}",
        "Original message",
        "Sent from my iPhone",
    ),
    "de": Language(
        "Mo. Di. Mi. Do. Fr. Sa. So.",
        "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
        "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.",
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "Am {day}, {d.day}. {mon} {d.year} um {d:%H:%M}\u00a0Uhr schrieb {name} <{address}>:",
        "Am {d:%d.%m.%y} um {d:%H:%M} schrieb {name}:",
        "Am {d:%d.%m.%Y} um {d:%H:%M} schrieb {name} <{address}>:",
        ("Von", "Gesendet", "An", "Betreff"),
        "{weekday}, {d.day}. {month} {d.year} {d:%H:%M}",
        "Ursprüngliche Nachricht",
        "Von meinem iPhone gesendet",
        "AW",
    ),
    "fr": Language(
        "lun. mar. mer. jeu. ven. sam. dim.",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "Le\u00a0{day} {d.day} {mon} {d.year} à\u00a0{d:%H:%M}, {name} <{address}> a écrit\u00a0:",
        "Le {d:%d/%m/%Y} à {d:%H:%M}, {name} a écrit\u00a0:",
        "Le {d.day} {mon} {d.year} à {d:%H:%M}, {name} <{address}> a écrit\u00a0:",
        ("De\u00a0", "Envoyé\u00a0", "À\u00a0", "Objet\u00a0"),
        "{weekday} {d.day} {month} {d.year} {d:%H:%M}",
        "Message d'origine",
        "Envoyé de mon iPhone",
    ),
    "es": Language(
        "lun mar mié jue vie sáb dom",
        "lunes martes miércoles jueves viernes sábado domingo",
        "ene feb mar abr may jun jul ago sept oct nov dic",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "El {day}, {d.day} {mon} {d.year} a las {d:%H:%M}, {name} (<{address}>) escribió:",
        "El {d.day}/{d.month}/{d:%y} a las {d:%H:%M}, {name} escribió:",
        "El {d.day} {mon} {d.year}, a las {d:%H:%M}, {name} <{address}> escribió:",
        ("De", "Enviado el", "Para", "Asunto"),
        "{weekday}, {d.day} de {month} de {d.year} {d:%H:%M}",
        "Mensaje original",
        "Enviado desde mi iPhone",
    ),
    "it": Language(
        "lun mar mer gio ven sab dom",
        "lunedì martedì mercoledì giovedì venerdì sabato domenica",
        "gen feb mar apr mag giu lug ago set ott nov dic",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre"
        " dicembre",
        "Il giorno {day} {d.day} {mon} {d.year} alle ore {d:%H:%M} {name} <{address}> ha scritto:",
        "Il {d:%d/%m/%Y} {d:%H:%M}, {name} ha scritto:",
        "Il giorno {d.day} {mon} {d.year}, alle ore {d:%H:%M}, {name} <{address}> ha scritto:",
        ("Da", "Inviato", "A", "Oggetto"),
        "{weekday} {d.day} {month} {d.year} {d:%H:%M}",
        "Messaggio originale",
        "Inviato da iPhone",
        "R",
    ),
    "nl": Language(
        "ma di wo do vr za zo",
        "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
        _SHORT_MONTHS.format("mei"),
        "januari februari maart april mei juni juli augustus september oktober november december",
        "Op {day} {d.day} {mon} {d.year} om {d:%H:%M} schreef {name} <{address}>:",
        "Op {d:%d-%m-%Y} om {d:%H:%M} schreef {name}:",
        "Op {d.day} {mon} {d.year} om {d:%H:%M} heeft {name} <{address}> het volgende geschreven:",
        ("Van", "Verzonden", "Aan", "Onderwerp"),
        "{weekday} {d.day} {month} {d.year} {d:%H:%M}",
        "Oorspronkelijk bericht",
        "Verstuurd vanaf mijn iPhone",
    ),
    "pl": Language(
        "pon. wt. śr. czw. pt. sob. niedz.",
        "poniedziałek wtorek środa czwartek piątek sobota niedziela",
        "sty lut mar kwi maj cze lip sie wrz paź lis gru",
        "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października"
        " listopada grudnia",
        "{day}, {d.day} {mon} {d.year} o\u00a0{d:%H:%M} {name} <{address}> napisał(a):",
        "W dniu {d.day}.{d:%m.%Y} o\u00a0{d:%H:%M}, {name} pisze:",
        "Wiadomość napisana przez {name} <{address}> w dniu {d.day} {mon} {d.year},"
        " o godz. {d:%H:%M}:",
        ("Od", "Wysłano", "Do", "Temat"),
        "{weekday}, {d.day} {month} {d.year} {d:%H:%M}",
        "Oryginalna wiadomość",
        "Wysłane z iPhone\u2019a",
        "Odp",
    ),
    "pt": Language(
        "seg. ter. qua. qui. sex. sáb. dom.",
        "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
        "jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "Em {day}, {d.day} de {mon} de {d.year} às {d:%H:%M}, {name} <{address}> escreveu:",
        "Às {d:%H:%M} de {d:%d/%m/%Y}, {name} escreveu:",
        "No dia {d:%d/%m/%Y}, às {d:%H:%M}, {name} <{address}> escreveu:",
        ("De", "Enviada em", "Para", "Assunto"),
        "{weekday}, {d.day} de {month} de {d.year} {d:%H:%M}",
        "Mensagem original",
        "Enviado do meu iPhone",
    ),
    "sv": Language(
        "mån tis ons tors fre lör sön",
        "måndag tisdag onsdag torsdag fredag lördag söndag",
        _SHORT_MONTHS.format("maj"),
        "januari februari mars april maj juni juli augusti september oktober november december",
        "Den {day} {d.day} {mon} {d.year} kl {d:%H:%M} skrev {name} <{address}>:",
        "Den {d:%Y-%m-%d} kl. {d:%H:%M}, skrev {name}:",
        "{d.day} {mon} {d.year} kl. {d:%H:%M} skrev {name} <{address}>:",
        ("Från", "Skickat", "Till", "Ämne"),
        "den {d.day} {month} {d.year} {d:%H:%M}",
        "Originalmeddelande",
        "Skickat från min iPhone",
        "SV",
    ),
}
"""The languages by their code."""
