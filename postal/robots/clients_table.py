"""The mail programs that robots write with: what each sends, and how it marks what it quotes."""

from __future__ import annotations

from dataclasses import replace

from postal.robots.clients import Client

_GMAIL = Client(
    said="gmail",
    page='<div dir="ltr">{lines}</div><br><div dir="auto">{signature}</div>'
    '<div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">{said}<br>'
    '</div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex"><u></u>{inner}'
    "</blockquote></div>",
)
_OUTLOOK_WEB = Client(
    rule="________________________________",
    mark="",
    line='<div class="elementToProof" style="font-size: 12pt">\n{}</div>',
    page='<html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"></head>'
    '<body dir="ltr">{lines}<div id="appendonsend"></div>'
    '<hr style="display:inline-block;width:98%" tabindex="-1">'
    '<div id="divRplyFwdMsg" dir="ltr"><font face="Calibri, sans-serif">{block}</font>'
    "<div>&nbsp;</div></div><div>{inner}</div></body></html>",
    headers={"Accept-Language": "en-GB, en-US", "X-MS-Has-Attach": "", "msip_labels": ""},
)
_APPLE = Client(
    said="apple",
    inside=True,
    line="{}<br>",
    page='<html><head></head><body dir="auto">{lines}<br id="lineBreakAtBeginningOfMessage">'
    '<div dir="ltr">{signature}</div><blockquote type="cite"><div>{said}</div>'
    '<br class="Apple-interchange-newline"><div dir="ltr">\ufeff{inner}</div></blockquote>'
    "</body></html>",
    headers={"X-Mailer": "Apple Mail (2.3826.600.51.1.1)"},
)
_THUNDERBIRD = Client(
    said="thunderbird",
    encoding="8bit",
    flowed=True,
    headers={"User-Agent": "Mozilla Thunderbird"},
)
_YAHOO_SAID = (
    "On {weekday}, {d.day} {month} {d.year} at {d:%H:%M:%S} BST, {name} <{address}> wrote:"
)
_YAHOO = Client(
    said=f"    {_YAHOO_SAID}  ",
    mark=" ",
    line='<div dir="ltr" data-setdir="false">{}</div>',
    page='<html><head></head><body><div class="ydp7c1f2b3ayahoo-style-wrap">{lines}<div><br></div>'
    '</div><div id="ydp7c1f2b3ayahoo_quoted_8124" class="ydp7c1f2b3ayahoo_quoted"><div><div>'
    "{said}</div><div><br></div><div>{inner}</div></div></div></body></html>",
    headers={"X-Mailer": "WebService/1.1.25345 YMailNorrin"},
)
_UNITED_INTERNET = Client(
    text="",
    page='<html><head></head><body><div style="font-family: Verdana;font-size: 12.0px;">{lines}'
    '<div>&nbsp;</div><div class="signature">{signature}</div><div>&nbsp;'
    '<div name="quote" style="margin:10px 5px 5px 10px; padding: 10px 0 10px 10px;">'
    '<div style="margin:0 0 10px 0;">{block}</div><div name="quoted-content">{inner}</div></div>'
    "</div></div></body></html>",
    row="<b>{}:</b>&nbsp;{}<br/>",
    headers={"X-UI-Message-Type": "mail"},
    reply="Aw",
)

CLIENTS = {
    "gmail-web": _GMAIL,
    "gmail-android": replace(_GMAIL, encoding="base64"),
    "gmail-iphone": replace(_GMAIL, signature="Sent from Gmail Mobile"),
    "outlook-desktop": Client(
        mark="",
        charset="windows-1252",
        line="<p class=MsoNormal>{}<o:p></o:p></p>",
        row="<b><span lang=EN-US>{}:</span></b><span lang=EN-US> {}</span><br>",
        page='<html xmlns:o="urn:schemas-microsoft-com:office:office"><head>'
        '<meta http-equiv=Content-Type content="text/html; charset=windows-1252"></head>'
        "<body lang=EN-GB link=blue vlink=purple><div class=WordSection1>{lines}"
        "<p class=MsoNormal><o:p>&nbsp;</o:p></p><div><div style='border:none;"
        "border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'><p class=MsoNormal>{block}"
        "<o:p></o:p></p></div></div><p class=MsoNormal><o:p>&nbsp;</o:p></p>{inner}</div></body>"
        "</html>",
        headers={"X-Mailer": "Microsoft Outlook 16.0", "Content-Language": "en-gb"},
        reply="",
    ),
    "outlook-text": Client(
        rule="-----{}-----",
        mark="",
        signature="MfG",
        charset="iso-8859-15",
        encoding="8bit",
        headers={"X-Mailer": "Microsoft Outlook 16.0"},
        reply="",
    ),
    "outlook-web": _OUTLOOK_WEB,
    "outlook-mobile": Client(
        rule="________________________________",
        mark="",
        signature="Get Outlook for Android<https://aka.example.com/AAb9ysg>",
        line='<div dir="auto">{}</div>',
        page="<html><body>{lines}<div><br></div>"
        '<div id="ms-outlook-mobile-signature">Get <a href="https://aka.example.com/AAb9ysg">'
        'Outlook for Android</a></div><div id="mail-editor-reference-message-container" '
        'class="ms-outlook-mobile-reference-message skipProofing">'
        '<hr style="display:inline-block;width:98%" tabindex="-1">'
        '<div id="divRplyFwdMsg" dir="ltr">{block}<div>&nbsp;</div></div>{inner}</div></body>'
        "</html>",
    ),
    "exchange": replace(_OUTLOOK_WEB, bracketed_id=True, reply=""),
    "outlook-stub": replace(_OUTLOOK_WEB, text="stub"),
    "apple-mail": _APPLE,
    "iphone-mail": replace(
        _APPLE,
        signature="iphone",
        line="<div>{}</div>",
        headers={"X-Mailer": "iPhone Mail (22F76)"},
    ),
    "thunderbird": _THUNDERBIRD,
    "thunderbird-below": replace(_THUNDERBIRD, below=True),
    "thunderbird-html": replace(
        _THUNDERBIRD,
        text="",
        flowed=False,
        line="    <p>{}</p>",
        page="<!DOCTYPE html>\n<html>\n  <head>\n    <meta http-equiv="
        '"Content-Type" content="text/html; charset=UTF-8">\n  </head>\n  <body>\n{lines}\n'
        '    <p><br>\n    </p>\n    <div class="moz-cite-prefix">{said}<br>\n    </div>\n'
        '    <blockquote type="cite" cite="mid:{mid}">\n{inner}\n    </blockquote>\n  </body>\n'
        "</html>",
    ),
    "yahoo-web": _YAHOO,
    "yahoo-nested": replace(
        _YAHOO,
        text="",
        said=_YAHOO_SAID,
        page="<html><head></head><body>{lines}<div><br></div><div>{said}</div>{document}</body>"
        "</html>",
    ),
    "yahoo-ios": Client(
        said="On {weekday}, {month} {d.day}, {d.year}, {d:%I:%M %p}, {name} <{address}> wrote:",
        mark="",
        signature="Sent from Yahoo Mail for iPhone",
        encoding="base64",
        line="{}<br>",
        page='<div id="yahoo-mail-body">{lines}</div><br><br><div id="ymail_android_signature">'
        '<a href="https://mail.example.com/ios">{signature}</a></div><br>'
        '<blockquote style="margin: 0 0 20px 0;"><div style="color:#6D00F6;"><div>{said}</div>'
        "</div> <div>{inner}</div></blockquote>",
        headers={"X-Mailer": "WebService/1.1.25345 YahooMailIosMobile"},
    ),
    "protonmail": Client(
        said="On {weekday}, {d.day} {month} {d.year} at {d:%H:%M}, {name} <{address}> wrote:",
        signature="Sent with Proton Mail secure email.",
        encoding="base64",
        line='<div style="font-family: Arial, sans-serif; font-size: 14px;">{}</div>',
        page='{lines}<div class="protonmail_signature_block">'
        '<div class="protonmail_signature_block-proton">{signature}</div></div>'
        '<div class="protonmail_quote">\n{said}<br>\n'
        '<blockquote class="protonmail_quote" type="cite">{inner}</blockquote><br></div>',
    ),
    "gmx": replace(_UNITED_INTERNET, signature="Mit freundlichen Grüßen"),
    "web.de": replace(_UNITED_INTERNET, signature="Gesendet mit der WEB.DE Mail App"),
    "mutt": Client(
        said="On {d:%a, %b %d, %Y at %I:%M:%S%p +0000}, {name} wrote:",
        signature="-- \nA: fold and forget",
        encoding="8bit",
        headers={"User-Agent": "Mutt/2.2.13 (2024-03-09)"},
    ),
    "samsung": Client(
        rule="-------- {} --------",
        mark="",
        signature="Sent from my Galaxy",
        encoding="base64",
        line='<div dir="auto">{}</div>',
        row="<div>{}: {} </div>",
        page='<html><body dir="auto">{lines}<div dir="auto"><br></div>'
        '<div id="composer_signature" dir="auto"><div style="font-size:14px;color:#575757">'
        '{signature}</div></div><div dir="auto"><br></div><div align="left" dir="auto" '
        'style="font-size:100%;color:#000000"><div>-------- {original} --------</div>{block}'
        "<div><br></div></div>{inner}</body></html>",
        headers={"Importance": "normal"},
    ),
    "k9": Client(
        said="On {d.day} {month} {d.year} {d:%H:%M:%S} BST, {name} <{address}> wrote:",
        mark=">",
        signature="-- \nSent from my Android device with K-9 Mail. Please excuse my brevity.",
        line="{}<br>",
        page='<!DOCTYPE html><html><body><div dir="auto">{lines}</div><br>'
        '<div class="k9mail-signature">{signature}</div><br><div class="gmail_quote">'
        '<div dir="auto">{said}</div><blockquote class="gmail_quote" style="margin: 0pt 0pt 0pt '
        '0.8ex; border-left: 1px solid rgb(204, 204, 204);">{inner}</blockquote></div></body>'
        "</html>",
        headers={"User-Agent": "K-9 Mail for Android"},
    ),
}
"""The mail programs by name."""
