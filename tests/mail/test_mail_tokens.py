"""Tokens: made from a key, found wherever clients leave them."""

import re

import pytest

from postal.mail.incoming import read
from postal.mail.tokens import (
    candidates,
    make_token,
    message_id,
    plus_address,
    same,
    subject_tag,
)

KEY = bytes(range(32))
TOKEN = make_token(KEY, "spring", 1, 4, "ann")
OTHER = make_token(KEY, "spring", 1, 5, "ann")
REFERENCE = message_id(TOKEN, "7f", "example.org")
PLUS = plus_address("gm@example.org", TOKEN)


def test_a_token_names_game_deal_turn_and_player() -> None:
    """Whatever differs makes another token, and so does another key."""
    others = {
        make_token(KEY, "autumn", 1, 4, "ann"),
        make_token(KEY, "spring", 2, 4, "ann"),
        make_token(KEY, "spring", 1, 5, "ann"),
        make_token(KEY, "spring", 1, 4, "bob"),
        make_token(KEY, "spring", 11, 4, "ann"),
        make_token(bytes(32), "spring", 1, 4, "ann"),
    }
    assert len(others | {TOKEN}) == 7
    assert re.fullmatch("[a-z2-7]{16}", TOKEN)
    assert make_token(KEY, "spring", 1, 4, "ann") == TOKEN


@pytest.mark.parametrize(
    "head",
    [
        f"To: GM <{PLUS}>",
        f"To: {PLUS.upper()}",
        f"To: bob@example.org, {PLUS}",
        f"Delivered-To: {PLUS}",
        f"X-Original-To: {PLUS}",
        f"X-Gm-Original-To: {PLUS}",
        f"Envelope-To: {PLUS}",
        f"Cc: {PLUS}",
        f"In-Reply-To: {REFERENCE}",
        f"In-Reply-To: {REFERENCE.upper()}",
        f"References: <x@y>\r\n {REFERENCE}",
        f"Subject: Re: AW: Turn 4 {subject_tag(TOKEN)}",
        f"Subject: =?utf-8?q?Re=3A_=5Bpostal_{TOKEN}=5D?=",
    ],
)
def test_a_token_is_found_in_each_place(head: str) -> None:
    """Header fields that clients keep when they answer."""
    assert candidates(read(f"From: a@example.org\r\n{head}\r\n\r\nA: fold".encode())) == (TOKEN,)


@pytest.mark.parametrize(
    "line", [f"On Monday, GM <{PLUS}> wrote:", f"> Subject: {subject_tag(TOKEN)}"]
)
def test_a_token_is_found_in_the_first_lines(line: str) -> None:
    """An attribution or a quoted header, but not far below."""
    assert candidates(read(f"\r\nA: fold\r\n{line}".encode())) == (TOKEN,)
    far = "\r\n" * 100
    assert candidates(read(f"\r\nA: fold{far}{line}".encode())) == ()


def test_the_mail_answered_comes_before_the_thread() -> None:
    """The newest token is tried first, and none twice."""
    older = message_id(OTHER, "8", "example.org")
    raw = f"References: {older} {REFERENCE}\r\nIn-Reply-To: {REFERENCE}\r\n\r\n"
    assert candidates(read(raw.encode())) == (TOKEN, OTHER)


def test_a_bounce_is_matched_by_the_mail_it_returns() -> None:
    """Also where it is no report in form and quotes far below."""
    raw = "Return-Path: <>\r\n\r\nSorry." + "\r\n" * 200 + f"Message-ID: {REFERENCE}"
    assert candidates(read(raw.encode())) == (TOKEN,)


def test_what_is_no_token_is_no_candidate() -> None:
    """Words of another length, alphabet or place."""
    raw = f"To: gm+short@example.org, x{TOKEN}@example.org\r\nSubject: {TOKEN}\r\n\r\n{TOKEN}"
    assert candidates(read(raw.encode())) == ()


def test_comparing_takes_no_account_of_case() -> None:
    """And takes anything that a mail may hold."""
    assert same(TOKEN.upper(), TOKEN)
    assert not same(TOKEN, OTHER)
    assert not same(TOKEN, "é")
