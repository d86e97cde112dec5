"""lint: what is wrong with a contract, what does not fit the cases, and what was probably not meant."""

from __future__ import annotations

from typing import Any

import pytest

from traceview.contract.lint import lint
from traceview.model import Case

HEAD = 'contract = 1\nname = "x"\n'


def remarks(text: str, rows: list[dict[str, Any]] | None = None, *, json_cases: bool = False) -> list[str]:
    if rows is None:
        return [str(remark) for remark in lint(HEAD + text, "c.toml")]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    cases = [Case(row["case_id"], row, number) for number, row in enumerate(rows, 2)]
    return [str(remark) for remark in lint(HEAD + text, "c.toml", columns, cases, json_cases=json_cases)]


def one(text: str, rows: list[dict[str, Any]] | None = None, **options: bool) -> str:
    found = remarks(text, rows, **options)
    assert len(found) == 1, found
    assert found[0].isprintable()
    return found[0]


STEP = '[[step]]\ntool = "book"\n'


def test_a_sound_contract_that_fits_gets_no_remark() -> None:
    text = '[cases]\ncolumns = {n = "int"}\n[tools.book]\n' + STEP + 'args = {n = "{n}"}'
    assert remarks(text) == []
    assert remarks(text, [{"case_id": "1", "n": "3"}]) == []


def test_a_contract_that_cannot_be_read_is_one_error() -> None:
    assert one("[order]\nmode = 'exactly'").startswith("c.toml: order.mode: error: unknown value")


def test_every_unknown_column_is_named_and_not_only_the_first() -> None:
    found = remarks(STEP + 'args = {a = "{aa}", b = "{bb}"}', [{"case_id": "1", "a": "x"}])
    assert [text.split(" (")[0] for text in found] == [
        'c.toml: step[1].args.a: error: unknown column "aa"',
        'c.toml: step[1].args.b: error: unknown column "bb"',
    ]


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("", "c.toml: warning: makes no check: nothing is expected, so every run is unknown"),
        ("[[layer]]\nname = 'a'\nat = 'b'\nequals = 1", "c.toml: warning: makes no check: layers alone"),
        (
            "[status]\nerror_text = ['x']\nretries = 'allow'\n[final]\na = 1",
            "c.toml: status.retries: warning",
        ),
        (
            "[[limit]]\nname = 'a'\ntool = 'b'\nat_least = 0",
            "c.toml: limit[1].at_least: warning: holds whatever",
        ),
        (
            "final.a = 1\n[[branch]]\nname = 'a'\nwhen = {b = 1}\nfinal.c = 1",
            "c.toml: final: warning: is never used: every branch has its own",
        ),
        (
            STEP + "id = 'a'\n[[step]]\ntool = 'book'\nafter = ['a']",
            'c.toml: step[2].after: note: changes nothing: mode = "exact" orders all steps',
        ),
        (
            "[tools.reserve_room]\n[[step]]\ntool = 'reserve_rom'",
            'c.toml: step[1].tool: warning: "reserve_rom" is no tool of [tools]; did you mean "reserve',
        ),
        (
            "[tools.reserve_room]\n[[limit]]\nname = 'a'\ntool = 'send_*'\nat_most = 1\n"
            "[[forbid]]\ntool = 'reserve_*'\nunless_before = 'look'",
            'c.toml: forbid[1].unless_before: note: "look" is not declared in [tools], so',
        ),
        (
            "[tools.book.args]\nrom = 'iequals'\nnote = 'ignore'\n" + STEP + "args = {room = 'R2'}",
            'c.toml: tools.book.args.rom: note: no step expects this argument of book; did you mean "room"?',
        ),
    ],
)
def test_what_is_allowed_and_probably_not_meant(text: str, remark: str) -> None:
    assert one(text).startswith(remark)


def test_names_of_tools_in_every_section_are_looked_at() -> None:
    text = """
    [tools.reserve_room]
    [order]
    accept = [["reserve_rom", "reserve_room"]]
    [[branch]]
    name = "a"
    when = { b = 1 }
    order = { mode = "any", extra = ["reserve_roo"] }
    [[layer]]
    name = "l"
    tool = "reserve_rooms"
    at = "result"
    equals = 1
    """
    places = [text.split(": ")[1] for text in remarks(text)]
    assert places == ["order", "order.accept[1][1]", "branch[1].order.extra[1]", "layer[1].tool"]


def test_cells_that_make_cases_unusable() -> None:
    text = '[cases]\ncolumns = {n = "int"}\n' + STEP + 'args = {n = "{n}"}'
    rows = [{"case_id": str(n), "n": "x" if n < 12 else "3"} for n in range(15)]
    found = one(text, rows)
    assert found.startswith(
        'c.toml: warning: 12 cases are unusable: line 2 (n "x" is no whole number), line 3'
    )
    assert found.endswith("and 2 more")


@pytest.mark.parametrize(
    ("written", "cells", "remark"),
    [
        ('"{c}"', ["", None], 'step[1].args.x: warning: the column "c" is empty in every case'),
        ('"{c}"', ["3", "40"], 'step[1].args.x: note: the cells of "c" are digits and stay text'),
        ('{kind = "set", value = "{c}"}', ["a;b"],
         'step[1].args.x.value: warning: "set" needs a list; no cell of "c" is (cast the column: "list'),
        ('{kind = "number", value = "{c}", abs = 1}', ["3"],
         'step[1].args.x.value: warning: "number" needs a number; no cell of "c" is (cast the column: "int'),
        ('{kind = "number", value = "{j}"}', ["[]", "1"],
         'step[1].args.x.value: warning: "number" needs a number; 1 of 2 cells of "j" are not'),
        ('"{i}"', ["2031-04-07T09:30:00"], 'step[1].args.x: warning: times in "i" have no zone'),
        ('[{kind = "instant", value = "{c}"}]', ["noon"],
         'step[1].args.x[1].value: warning: "instant" needs a date and time; no cell of "c" is'),
        ('{a = "{c}"}', ["7"], 'step[1].args.x.a: note: the cells of "c" are digits'),
    ],
)  # fmt: skip
def test_cells_that_their_kind_cannot_accept(written: str, cells: list[Any], remark: str) -> None:
    column = next(name for name in "cji" if f"{{{name}}}" in written)
    casts = {"c": "text", "j": "json", "i": "instant"}
    text = f'[cases]\ncolumns = {{{column} = "{casts[column]}"}}\n{STEP}args = {{x = {written}}}'
    rows = [{"case_id": str(number), column: cell} for number, cell in enumerate(cells)]
    assert one(text, rows).startswith("c.toml: " + remark)


def test_a_kind_of_the_tool_counts_for_its_steps() -> None:
    text = "[tools.book.args]\nx = 'set'\n" + STEP + 'args = {x = "{c}"}'
    assert '"set" needs a list' in one(text, [{"case_id": "1", "c": "a;b"}])
    assert remarks(text, [{"case_id": "1", "c": ["a"]}], json_cases=True) == []


def test_labels_other_than_the_three_words() -> None:
    text = '[cases]\nlabel = "l"\n[final]\na = 1'
    rows = [{"case_id": str(n), "l": word} for n, word in enumerate(("PASS", "ok", "", "fail", "OK"))]
    assert one(text, rows).endswith("is PASS, FAIL or UNKNOWN; the column also holds ok, OK")


def test_columns_that_are_cast_or_expected_and_not_used() -> None:
    text = '[cases]\ncolumns = {n = "int"}\n[final]\na = 1'
    found = remarks(text, [{"case_id": "1", "n": "3", "expected_x": "y"}])
    assert found == [
        "c.toml: cases.columns.n: note: this column is cast, and nothing is compared with it",
        "c.toml: note: expected columns that are not read: expected_x",
    ]


def test_errors_come_first_then_warnings_then_notes() -> None:
    text = (
        "[tools.book]\n[tools.other]\n[[step]]\ntool = 'boook'\n[[step]]\ntool = 'zz'\nargs = {x = '{nope}'}"
    )
    found = remarks(text, [{"case_id": "1", "n": "3"}])
    assert [remark.split(": ")[2] for remark in found] == ["error", "warning", "note"]
