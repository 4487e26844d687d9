"""Game files and options: what is read, and each mistake told by its path (GAMES.md)."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postal.engine.rulefile import RuleProblem, option_choices, read_rules
from postal.engine.rules import (
    STANDARD_CHOICES,
    STANDARD_LIMITS,
    STANDARD_OPTIONS,
    BettingPhase,
    Rules,
)
from tests.engine.engine_games import deal, smith, smith_file

Source = dict[str, Any]


def problems(source: Source, options: Source) -> tuple[RuleProblem, ...]:
    """Return all mistakes in a game of six."""
    found = read_rules(source, options, 6)
    assert not isinstance(found, Rules)
    return found


def mistakes(source: Source, options: Source | None = None, players: int = 6) -> list[str]:
    """Return the paths of all mistakes."""
    found = read_rules(source, options or {}, players)
    assert not isinstance(found, Rules)
    assert all(isinstance(problem, RuleProblem) and problem.sentence for problem in found)
    return [problem.path for problem in found]


def changed(*keys: str | int, to: object = None) -> Source:
    """Return Smith's file with one value changed, or taken out where ``to`` is None."""
    source: Any = smith_file()
    table = source
    for key in keys[:-1]:
        table = table[key]
    if to is None:
        del table[keys[-1]]
    else:
        table[keys[-1]] = to
    changed_source: Source = source
    return changed_source


@pytest.mark.parametrize(("players", "tables"), [(6, 3), (8, 4)])
def test_smiths_file(players: int, tables: int) -> None:
    """It gives the phases of the rules, with the options' defaults put in."""
    rules = smith(players)
    assert (rules.players, rules.tables, rules.jokers) == (players, tables, 4)
    assert (rules.hand_size, rules.dealt, rules.start_money) == (2, 7, 1_000_000)
    assert dict(rules.options) == {**STANDARD_OPTIONS, "min_raise": 1_000}
    first, showdown = (phase for phase in rules.phases if isinstance(phase, BettingPhase))
    assert (first.max_raise, showdown.max_raise) == (50_000, 200_000)
    assert (first.closes, showdown.closes) == (("stay",), ("call",))


def test_every_option_is_offered_and_explained() -> None:
    """The file names each option the engine knows, with its default and a sentence."""
    offered = option_choices(smith_file())
    assert set(offered) == set(STANDARD_OPTIONS)
    for name, entry in offered.items():
        assert entry["default"] == STANDARD_OPTIONS[name]
        assert entry["says"]
        assert tuple(entry.get("choices", ())) == STANDARD_CHOICES.get(name, ())


@pytest.mark.parametrize("players", [-6, 0, 1, 2, 5, 7, 9, 10])
def test_1_1_any_other_number_of_players_is_refused(players: int) -> None:
    """Six or eight, and nothing else."""
    assert mistakes(smith_file(), players=players) == ["players"]


@pytest.mark.parametrize(("players", "least"), [(6, 60_000), (8, 80_000)])
def test_1_2_start_money_below_the_antes(players: int, least: int) -> None:
    """It must pay the antes of all tables."""
    assert mistakes(smith_file(), {"start_money": least - 1}, players) == ["option start_money"]
    assert smith(players, start_money=least).start_money == least
    assert mistakes(smith_file(), {"ante": 400_000}, players) == ["option start_money"]


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("ante", "25,000", 25_000),
        ("start_money", "£500,000", 500_000),
        ("check_limit", 0, 0),
        ("check_limit", "2", 2),
        ("double_ace_flush", "true", True),
        ("double_ace_flush", "No", False),
        ("iou", "stay-and-call", "stay-and-call"),
        ("settle", "0", 0),
    ],
)
def test_options_as_values_or_as_text(name: str, given: Any, value: object) -> None:
    """A GM sets them on the command line, a record as values."""
    assert smith(**{name: given}).options[name] == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("check_limit", 1),
        ("check_limit", -1),
        ("min_raise", 0),
        ("max_raise", 0),
        ("ante", -1),
        ("ante", 2.5),
        ("ante", "much"),
        ("ante", True),
        ("nmr_limit", -1),
        ("double_ace_flush", "maybe"),
        ("double_ace_flush", 1),
        ("iou", "never"),
        ("exposed_to", "nobody"),
        ("exchange", "Post"),
        ("first_on_tie", "dealer"),
        ("reveal", ""),
        ("chek_limit", 2),
        ("phase", 2),
    ],
)
def test_wrong_options_are_told_by_name(name: str, value: object) -> None:
    """Wrong kinds, values out of limits, unknown choices and names."""
    assert mistakes(smith_file(), {name: value}) == [f"option {name}"]


def test_an_unknown_option_is_told_with_the_nearest() -> None:
    """A slip of the pen is answered with the name that was meant."""
    found = read_rules(smith_file(), {"chek_limit": 2}, 6)
    assert not isinstance(found, Rules)
    (problem,) = found
    assert "check_limit" in str(problem)


def test_min_raise_over_max_raise() -> None:
    """No raise would be possible."""
    assert mistakes(smith_file(), {"min_raise": 60_000}) == ["option min_raise"]
    (found,) = problems(smith_file(), {"max_raise": 4_000})
    assert str(found) == "option min_raise: is £5,000, over the £4,000 of option max_raise."
    source = changed("phase", 5, "min_raise", to=60_000)
    assert mistakes(source) == ["phase[5].min_raise"]


def test_what_a_phase_takes_from_an_option_is_told_by_the_options_name() -> None:
    """The GM knows that name, and has set it; no path in a file that he never saw."""
    source = changed("options", "min_raise", "min")
    assert mistakes(source, {"min_raise": 0}) == ["option min_raise"] * 2
    assert mistakes(smith_file(), {"check_limit": 1}) == ["option check_limit"]


def test_9_4_a_game_that_might_never_end_is_refused() -> None:
    """Two who are silent would check for ever; in edition 1 such games were begun."""
    endless = {"nmr_limit": 0, "check_limit": 0}
    (found,) = problems(smith_file(), endless)
    assert found.path == "option nmr_limit"
    assert "check_limit" in found.sentence
    assert isinstance(read_rules(smith_file(), endless, 6, 1), Rules)
    for option in endless:
        assert isinstance(read_rules(smith_file(), {**endless, option: 2}, 6), Rules)


@pytest.mark.parametrize("name", list(STANDARD_LIMITS))
def test_every_number_has_a_most(name: str) -> None:
    """Beyond it neither dates nor databases would hold; a file's own limit counts below it."""
    numbers = {name for name, value in STANDARD_OPTIONS.items() if type(value) is int}
    assert set(STANDARD_LIMITS) == numbers
    most = STANDARD_LIMITS[name]
    (found, *_) = problems(smith_file(), {name: most + 1})
    assert str(found) == f"option {name}: is {most + 1}; it must be {most} or less."
    assert f"option {name}: is {most};" not in "".join(
        map(str, problems(smith_file(), {name: most, "nonsense": 1}))
    )
    source = smith_file()
    source["options"][name]["max"] = most * 2
    assert f"option {name}" in mistakes(source, {name: most + 1})
    source["options"][name]["max"] = source["options"][name]["default"]
    assert f"option {name}" in mistakes(source, {name: most})


def test_an_option_that_a_game_of_edition_1_does_not_name_means_as_before() -> None:
    """Never a newer default (GAMES.md); nor is anybody told of it."""
    source = smith_file()
    later = {"drop_notice", "trouble_hours", "unread_hours", "unreached"}
    for name in ("min_raise", *later):
        del source["options"][name]
    old, new = read_rules(source, {}, 6, 1), read_rules(source, {}, 6)
    assert isinstance(old, Rules)
    assert isinstance(new, Rules)
    assert (old.number("min_raise"), new.number("min_raise")) == (1_000, 5_000)
    assert old.number("drop_notice") == 0
    # Trouble held a turn to its deadline, however far off that was.
    assert old.number("trouble_hours") > 300 * 24
    assert set(new.told_options) - set(old.told_options) == later


def test_the_commitment_fixes_the_edition() -> None:
    """The first is not named, since texts of its time don't name it."""
    (old, new) = (smith(edition=edition).canonical() for edition in (1, 2))
    assert "edition" not in json.loads(old)
    assert json.loads(new)["edition"] == 2


@pytest.mark.parametrize(
    ("source", "path"),
    [
        (changed("name"), "name"),
        (changed("name", to=" "), "name"),
        (changed("players"), "players"),
        (changed("players", to=[]), "players"),
        (changed("players", to=6), "players"),
        (changed("tables", to="third"), "tables"),
        (changed("tables", to=0), "tables"),
        (changed("tables", to=27), "tables"),
        (changed("pack", to=4), "pack"),
        (changed("pack", "jokers", to=5), "pack.jokers"),
        (changed("pack", "jokers", to="four"), "pack.jokers"),
        (changed("pack", to={"joker": 4}), "pack.joker"),
        (changed("optoins", to={}), "optoins"),
        (changed("options", to=3), "options"),
        (changed("options", "ante", "default"), "options.ante"),
        (changed("options", "ante", "default", to="x"), "options.ante.default"),
        (changed("options", "ante", "default", to=-1), "options.ante.default"),
        (changed("options", "ante", "mni", to=1), "options.ante.mni"),
        (changed("options", "ante", "min", to="1"), "options.ante.min"),
        (changed("options", "check_limit", "not", to=1), "options.check_limit.not"),
        (changed("options", "iou", "choices", to="call"), "options.iou.choices"),
        (changed("options", "iou", to={"default": "never"}), "options.iou.default"),
        (
            changed("options", "double_ace_flush", "default", to=3),
            "options.double_ace_flush.default",
        ),
        (changed("phase"), "phase"),
        (changed("phase", to=[]), "phase"),
        (changed("phase", 0), "phase"),
        (changed("phase", 1), "phase"),
        (changed("phase", 0, to="hands"), "phase[0]"),
        (changed("phase", 0, "kind", to="handz"), "phase[0].kind"),
        (changed("phase", 0, "size", to=4), "phase"),
        (changed("phase", 1, "cards", to=10), "phase"),
        (changed("phase", 1, "cards"), "phase[1].cards"),
        (changed("phase", 2, "among", to="room"), "phase[2].among"),
        (changed("phase", 2, "gifts", to=[]), "phase[2].gifts"),
        (changed("phase", 2, "gifts", 1, "to", to=0), "phase[2].gifts[1]"),
        (changed("phase", 2, "gifts", 1, "to", to=1), "phase[2].gifts"),
        (changed("phase", 2, "gifts", 1, "to", to=-6), "phase[2].gifts"),
        (changed("phase", 2, "gifts", 1, "cards", to=6), "phase[2].gifts"),
        (changed("phase", 3, "cards", to=4), "phase[3].cards"),
        (changed("phase", 3, "expose", to=6), "phase[3].expose"),
        (changed("phase", 3, "expose", to=0), "phase[5].first"),
        (changed("phase", 3), "phase"),
        (changed("phase", 4, "amount", to="$antte"), "phase[4].amount"),
        (changed("phase", 4, "amount", to=-5), "phase[4].amount"),
        (changed("phase", 5, "open", to=["raise", "pass"]), "phase[5].open"),
        (changed("phase", 5, "open"), "phase[5].open"),
        (changed("phase", 5, "first", to="dealer"), "phase[5].first"),
        (changed("phase", 5, "max_rise", to=3), "phase[5].max_rise"),
        (changed("phase", 6, "cards", to=3), "phase[6].cards"),
        (changed("phase", 7, "check_limit", to=1), "phase[7].check_limit"),
    ],
)
def test_a_mistake_is_told_by_its_path(source: Source, path: str) -> None:
    """File, key and what would be right, before any game starts."""
    assert path in mistakes(source)


def test_all_mistakes_are_told_at_once() -> None:
    """Options and phases are read to their ends."""
    source = changed("phase", 3, "cards", to=4)
    source["phase"][6]["cards"] = 0
    assert mistakes(source, {"ante": -1, "iou": "no"}) == [
        "option ante",
        "option iou",
        "phase[3].cards",
        "phase[6].cards",
    ]


def test_a_range_of_players_and_a_number_of_tables() -> None:
    """Other games can say so."""
    source = changed("players", to={"min": 4, "max": 8})
    source["tables"] = 1
    rules = read_rules(source, {}, 4)
    assert isinstance(rules, Rules)
    assert (rules.players, rules.tables) == (4, 1)
    assert mistakes(source, players=3) == ["players"]
    assert mistakes(source, players=7) == ["phase"]


def test_what_a_file_does_not_name_has_its_default() -> None:
    """Options that are left out are those of the rules, and can be set all the same."""
    source = smith_file()
    del source["options"]
    rules = read_rules(source, {"exchange": "post"}, 6)
    assert isinstance(rules, Rules)
    assert dict(rules.options) == {**STANDARD_OPTIONS, "exchange": "post"}
    assert mistakes(source, {"exchange": "pigeon"}) == ["option exchange"]


def test_the_canonical_form_holds_file_and_options() -> None:
    """It is JSON with sorted keys, the same for the same game."""
    rules = smith(ante=5)
    read = json.loads(rules.canonical())
    assert read["options"]["ante"] == 5
    assert read["rules"] == smith_file()
    assert rules.canonical() == smith(ante=5).canonical() != smith().canonical()


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 60),
    st.sampled_from(["", "$ante", "$nothing", "table", "half", "raise", "call", "all"]),
    st.just([]),
    st.just({}),
    st.just(["raise", 1]),
    st.just({"to": True, "cards": 1}),
    st.floats(),
)


def _places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    return [
        place for key, inner in items for place in ((*path, key), *_places(inner, (*path, key)))
    ]


@given(place=st.sampled_from(_places(smith_file())), junk=JUNK, drop=st.booleans())
def test_no_game_file_raises_and_none_that_is_taken_gets_stuck(
    place: tuple[str | int, ...],
    junk: object,
    drop: bool,  # noqa: FBT001 - hypothesis draws it
) -> None:
    """Whatever one key holds, the file is refused in words or makes a game that ends."""
    source: Any = copy.deepcopy(smith_file())
    table = source
    for key in place[:-1]:
        table = table[key]
    if drop:
        del table[place[-1]]
    else:
        table[place[-1]] = junk
    read = read_rules(source, {}, 6)
    if not isinstance(read, Rules):
        assert all(str(problem) for problem in read)
        return
    if read.tables > 4:
        return  # the builder deals four tables at the most
    play = deal(read)
    for _ in range(12):
        play.turn()
    assert play.game.finished
