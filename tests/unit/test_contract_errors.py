"""Every mistake in a contract gives one line: the file, the place, and what is allowed there."""

from __future__ import annotations

import pytest

from traceview.contract.columns import check_columns
from traceview.contract.errors import ContractError
from traceview.contract.toml import parse

HEAD = 'contract = 1\nname = "x"\n'
STEP = '[[step]]\ntool = "book"\nid = "b"\n'
LAYER = '[[layer]]\nname = "shape"\nat = "response"\n'
LIMIT = '[[limit]]\nname = "once"\ntool = "book"\n'


def refused(text: str) -> ContractError:
    with pytest.raises(ContractError) as caught:
        parse(text, "room.contract.toml")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("room.contract.toml: ")
    return caught.value


MISTAKES = [
    # unknown keys, with the nearest one and all that are allowed
    (
        "[finals]\na = 1",
        "finals",
        'unknown key "finals" (did you mean "final"? allowed: contract, name, cases',
    ),
    (
        '[cases]\nid = "a"\ntitel = "b"',
        "cases.titel",
        'did you mean "title"? allowed: id, title, label, columns',
    ),
    ("[tools.book]\neffects = 1", "tools.book.effects", 'did you mean "effect"?'),
    ('[order]\nmodes = "any"', "order.modes", 'did you mean "mode"?'),
    ('[[step]]\ntool = "a"\narg = {}', "step[1].arg", 'unknown key "arg" (did you mean "args"?'),
    (
        STEP + '[[step]]\ntool = "a"\nargs.x = {kind = "number", value = 1, abbs = 1}',
        "step[2].args.x.abbs",
        '"abs"?',
    ),
    (LIMIT + "at_mots = 1", "limit[1].at_mots", 'did you mean "at_most"?'),
    ("[evidence]\nrequire = []", "evidence.require", 'did you mean "required"?'),
    ("[verdict]\ntrial = 'all'", "verdict.trial", 'did you mean "trials"?'),
    ('[[branch]]\nname = "b"\nwhen = {a = 1}\nlimits = []', "branch[1].limits", 'did you mean "limit"?'),
    ('[runs]\ncases = ["trace_id"]', "runs.cases", 'did you mean "case"?'),
    # wrong types
    ("cases = 3", "cases", "must be a table, not an integer"),
    ("[cases]\nid = 3", "cases.id", "must be text, not an integer"),
    ('[cases]\nid = ""', "cases.id", "must not be empty"),
    ("[tools]\nbook = 'read'", "tools.book", "must be a table, not text"),
    ("[order]\nmode = true", "order.mode", "must be one of exact, in_order, partial, any, not true or false"),
    (
        '[order]\nmode = "exactly"',
        "order.mode",
        'unknown value "exactly" (did you mean "exact"? allowed: exact,',
    ),
    ('[order]\nmode = "any"\nextra = "read"', "order.extra", 'did you mean "reads"?'),
    ('[order]\nmode = "any"\nextra = ["a", 3]', "order.extra[2]", "must be text, not an integer"),
    ('[order]\nmode = "any"\nextra = ["a", "a"]', "order.extra[2]", "stands twice"),
    ('step = {tool = "a"}', "step", "write [[step]] with two brackets"),
    ('step = ["a"]', "step[1]", "must be a table, not text"),
    ("[[step]]\nargs = {}", "step[1]", 'needs the key "tool"'),
    (STEP + "after = 'a'", "step[1].after", "must be a list of texts, not text"),
    ('[status]\nok = "ok"', "status.ok", "must be a list of texts, not text"),
    ("[status]\nok = []", "status.ok", "must name at least one"),
    (LIMIT + "exactly = 1.0", "limit[1].exactly", "must be a whole number, not a number"),
    (LIMIT + "exactly = true", "limit[1].exactly", "must be a whole number, not true or false"),
    (LIMIT + "at_most = -1", "limit[1].at_most", "must be 0 or more, not -1"),
    ("[final]\na = 2026-01-01", "final.a", "is a TOML date or time; recorded times are text"),
    ("[final]\na = [nan]", "final.a[1]", "nan and inf are no JSON numbers"),
    # patterns
    ('[status]\nerror_text = ["^a", "("]', "status.error_text[2]", 'the pattern "(" does not compile'),
    ("[tools.a.args]\nb = {kind = 'regex', pattern = '['}", "tools.a.args.b.pattern", "does not compile"),
    (LAYER + "regex = '*'", "layer[1].regex", "does not compile"),
    ('[runs]\ncase = ["file:("]', "runs.case[1]", "does not compile"),
    ("[evidence]\ncut = ['(?<x']", "evidence.cut[1]", "does not compile"),
    # casts and run rules
    ('[cases]\ncolumns = {a = "integer"}', "cases.columns.a", 'unknown cast "integer" (did you mean "int"?'),
    ('[cases]\ncolumns = {a = "list"}', "cases.columns.a", 'a list names its separator, as in "list:;"'),
    ('[cases]\ncolumns = {a = "list:"}', "cases.columns.a", "separator"),
    ('[cases]\nempty = "na"', "cases.empty", 'did you mean "n/a"?'),
    ('[runs]\ncase = ["feild:a"]', "runs.case[1]", 'unknown rule "feild" (did you mean "field"?'),
    ('[runs]\ncase = ["field"]', "runs.case[1]", "must be written field:NAME"),
    ('[runs]\ntrial = ["trace_id:x"]', "runs.trial[1]", "must be written trace_id"),
    # tools
    (
        '[tools]\na = {names = ["x"]}\nb = {names = ["x"]}',
        "tools.b.names[1]",
        '"x" names two tools: "a" and "b"',
    ),
    ('[tools]\na = {names = ["b"]}\nb = {}', "tools.a.names[1]", '"b" names two tools'),
    (
        "[tools.a.args]\nb = 'instnat'",
        "tools.a.args.b.kind",
        'unknown kind "instnat" (did you mean "instant"?',
    ),
    ("[tools.a.args]\nb = 'regex'", "tools.a.args.b", 'needs the key "pattern"'),
    ("[tools.a.args]\nb = {kind = 'equals', value = 3}", "tools.a.args.b.value", "stands in its step"),
    ("[tools.a.args]\nb = {abs = 1}", "tools.a.args.b", 'needs the key "kind"'),
    # order
    ('[order]\nmissing = "allow"', "order.missing", 'has no place with mode = "exact"'),
    ('[order]\nmode = "exact"\nextra = "any"', "order.extra", 'has no place with mode = "exact"'),
    ('[order]\nmode = "any"\naccept = [["a"]]', "order.accept", 'needs mode = "exact", not "any"'),
    ("[order]\naccept = []", "order.accept", "at least one tool sequence"),
    ("[order]\naccept = ['a']", "order.accept[1]", "must be a list of tool names, not text"),
    ("[order]\naccept = [['a', '']]", "order.accept[1][2]", "must be a tool name, not empty text"),
    ("[order]\naccept = [['a'], ['a']]", "order.accept[2]", "stands twice"),
    # steps and references
    (STEP + STEP, "step[2].id", 'another step has the id "b"'),
    ('[[step]]\ntool = "a"\nid = "a.b"', "step[1].id", 'an id has no "."'),
    (STEP + 'after = ["c"]', "step[1].after[1]", 'unknown step id "c"'),
    (STEP + 'after = ["b"]', "step[1].after[1]", "cannot come after itself"),
    (
        STEP + 'after = ["c"]\n[[step]]\ntool = "c"\nid = "c"\nafter = ["b"]',
        "step[1].after",
        "is cyclic: b after c after b",
    ),
    (STEP + 'args = {x = "{step.c.result.id}"}', "step[1].args.x", 'unknown step id "c"'),
    (STEP + 'args = {x = ["{step.b.result.id}"]}', "step[1].args.x[1]", "refers to its own result"),
    (
        STEP + 'args = {x = {y = "{step.c.result}"}}\n[[step]]\ntool = "c"\nid = "c"',
        "step[1].args.x.y",
        'the step "c" is defined later',
    ),
    (STEP + '[final]\nout = "{step.bb.result.id}"', "final.out", 'unknown step id "bb" (did you mean "b"?'),
    (STEP + 'args = {x = "{step.b.id}"}', "step[1].args.x", "write {step.ID.result.PATH}"),
    (STEP + 'args = {x = "{step.b.result.}"}', "step[1].args.x", "write {step.ID.result.PATH}"),
    (STEP + "[[forbid]]\ntool = 'x'\nbefore = 'book'", "forbid[1].before", 'unknown step id "book"'),
    # templates
    (STEP + 'args = {x = "{a"}', "step[1].args.x", "{ has no }"),
    (STEP + 'args = {x = "a}"}', "step[1].args.x", "} has no {"),
    (STEP + 'args = {x = "{}"}', "step[1].args.x", "{} names no column"),
    (STEP + "args = {x = '{\"a\": {}}'}", "step[1].args.x", "write {{ and }} for braces"),
    (LAYER + 'equals = "{a}"', "layer[1].equals", "no {column} can stand here"),
    # comparisons
    (
        STEP + "args = {x = {kind = 'book', title = 'y'}}",
        "step[1].args.x.kind",
        'for an object with a key "kind"',
    ),
    (STEP + "args = {x = {kind = 3}}", "step[1].args.x.kind", "must be text, not an integer"),
    (STEP + "args = {x = {kind = 'number'}}", "step[1].args.x", 'the kind "number" needs the key "value"'),
    (
        STEP + "args = {x = {kind = 'number', value = '3'}}",
        "step[1].args.x.value",
        "compares with an integer or a number, not text",
    ),
    (
        STEP + "args = {x = {kind = 'number', value = 1, abs = -0.1}}",
        "step[1].args.x.abs",
        "must be 0 or more",
    ),
    (STEP + "args = {x = {kind = 'number', value = 1, rel = inf}}", "step[1].args.x.rel", "a finite number"),
    (
        STEP + "args = {x = {kind = 'set', value = 'a'}}",
        "step[1].args.x.value",
        "compares with a list, not text",
    ),
    (
        STEP + "args = {x = {kind = 'subset', value = 3}}",
        "step[1].args.x.value",
        "a table or a list, not an integer",
    ),
    (STEP + "args = {x = {kind = 'iequals', value = 3}}", "step[1].args.x.value", "compares with text"),
    (
        STEP + "args = {x = {kind = 'instant', value = 'noon'}}",
        "step[1].args.x.value",
        '"noon" is no instant',
    ),
    (
        STEP + "args = {x = {kind = 'instant', value = '2031-04-07T09:30:00+25:00'}}",
        "step[1].args.x.value",
        "unknown time zone +25:00",
    ),
    (
        STEP + "args = {x = {kind = 'instant', value = '2031-02-30T09:30:00Z'}}",
        "step[1].args.x.value",
        "no instant",
    ),
    (
        STEP + "args = {x = {kind = 'instant', value = '{a}', tolerance_s = '1'}}",
        "step[1].args.x.tolerance_s",
        "number",
    ),
    (STEP + "args = {x = {kind = 'one_of', values = []}}", "step[1].args.x.values", "at least one value"),
    (STEP + "args = {x = {kind = 'one_of', values = ['{a}']}}", "step[1].args.x.values[1]", "fixed value"),
    (STEP + "args = {x = {kind = 'len'}}", "step[1].args.x", 'needs "min" or "max"'),
    (STEP + "args = {x = {kind = 'len', min = 3, max = 2}}", "step[1].args.x.min", "3 is more than max = 2"),
    (STEP + "args = {x = {kind = 'regex', pattern = 'a', value = 3}}", "step[1].args.x.value", "unknown key"),
    (STEP + "args = {x = {kind = 'not', of = 'bog'}}", "step[1].args.x.of.kind", 'did you mean "bag"?'),
    (STEP + "args = {x = {kind = 'any', of = []}}", "step[1].args.x.of", "at least one kind"),
    (
        STEP + "args = {x = {kind = 'all', of = ['present', 'iequals']}}",
        "step[1].args.x.of[2]",
        'needs the key "value"',
    ),
    (STEP + "args = {x = {kind = 'json'}}", "step[1].args.x", 'needs the key "value"'),
    (
        STEP + "args = {x = {kind = 'json', value = 1, then = {kind = 'number', value = 2}}}",
        "step[1].args.x.then",
        "the value stands twice",
    ),
    (
        STEP + "args = {x = {kind = 'set', value = [{kind = 'iequals', value = 'a'}]}}",
        "step[1].args.x.value[1]",
        'the kind "iequals" cannot stand inside this value',
    ),
    (
        STEP + "args = {x = {kinds = 'number', value = 1}}",
        "step[1].args.x.kinds",
        'did you mean kind = "number"?',
    ),
    ("[final]\na = {kin = 'number', value = 1}", "final.a.kin", 'did you mean kind = "number"?'),
    # status, limits, prohibitions, final evidence
    ('[[limit]]\nname = "x"\nexactly = 1', "limit[1]", 'needs "tool" or "effect"'),
    (LIMIT, "limit[1]", "needs a bound: exactly, at_least, at_most or same"),
    (LIMIT + "exactly = 1\nat_least = 2", "limit[1].at_least", "2 contradicts exactly = 1"),
    (LIMIT + "exactly = 2\nat_most = 1", "limit[1].at_most", "1 contradicts exactly = 2"),
    (LIMIT + "at_least = 2\nat_most = 1", "limit[1].at_least", "2 is more than at_most = 1"),
    (LIMIT + "at_most = 1\n" + LIMIT + "at_most = 1", "limit[2].name", 'another limit is named "once"'),
    ("[[limit]]\ntool = 'a'\nexactly = 1", "limit[1]", 'needs the key "name"'),
    (
        "[[limit]]\nname = 'final_state_ok'\ntool = 'a'\nexactly = 1",
        "limit[1].name",
        "is the name of another check",
    ),
    (LIMIT + "exactly = 1\nover = 'pass'", "limit[1].over", "a run without a failing check"),
    (LIMIT + "same = 'arguments'", "limit[1].same", 'unknown value "arguments"'),
    ("[[forbid]]", "forbid[1]", 'needs "tool" or "effect"'),
    ("[[forbid]]\neffect = 'write'\nwhen = {}", "forbid[1].when", "names nothing to look at"),
    ("[[forbid]]\neffect = 'writes'", "forbid[1].effect", 'did you mean "write"?'),
    ("[final]\na = {}", "final.a", "compares nothing"),
    ("[final]\n'a..b' = 1", 'final."a..b"', "has an empty part"),
    ("[final]\n'a.b' = 1\na.b = 2", "final", '"a.b" is named twice'),
    # layers
    (LAYER, "layer[1]", "has no rule; needs exactly one of equals, one_of, between, regex, json_schema"),
    (LAYER + "equals = 1\nregex = 'a'", "layer[1]", "has equals, regex; needs exactly one"),
    (LAYER + "equals = 1\n" + LAYER + "equals = 2", "layer[2].name", "another layer"),
    (LAYER + "between = [2, 1]", "layer[1].between", "the lowest, 2, is more than the highest, 1"),
    (LAYER + "between = [1]", "layer[1].between", "must be two numbers, [lowest, highest], not 1"),
    (LAYER + "between = [1, '2']", "layer[1].between[2]", "must be a number, not text"),
    (LAYER + "one_of = []", "layer[1].one_of", "at least one value"),
    (LAYER + "equals = 1\nmissing = 'rejected'", "layer[1].missing", 'did you mean "reject"?'),
    ("[[layer]]\nname = 'x'\nequals = 1", "layer[1]", 'needs the key "at"'),
    ("[[layer]]\nname = 'x'\nat = 'a.'\nequals = 1", "layer[1].at", "empty part"),
    (
        LAYER.replace("shape", "final_state_ok") + "equals = 1\n[final]\na = 1",
        "layer[1].name",
        "is the name of a check",
    ),
    # JSON Schema
    (LAYER + "json_schema = []", "layer[1].json_schema", "must be a JSON Schema as a table, not a list"),
    (LAYER + "json_schema = {type = 'text'}", "layer[1].json_schema.type", "is not valid JSON Schema"),
    (LAYER + "json_schema = {typ = 'string'}", "layer[1].json_schema.typ", 'did you mean "type"?'),
    (
        LAYER + "json_schema = {'$ref' = 'https://example.org/s'}",
        'layer[1].json_schema."$ref"',
        "leaves the schema",
    ),
    (LAYER + "json_schema = {'$ref' = 'other.json#/a'}", 'layer[1].json_schema."$ref"', "leaves the schema"),
    (
        LAYER + "json_schema = {'$ref' = '#/$defs/bookin', '$defs' = {booking = {}}}",
        'layer[1].json_schema."$ref"',
        'did you mean "#/$defs/booking"?',
    ),
    (
        LAYER + "json_schema = {items = {'$ref' = '#b'}}",
        'layer[1].json_schema.items."$ref"',
        "unknown anchor",
    ),
    (LAYER + "json_schema = {'$ref' = '#'}", "layer[1].json_schema", "which never ends"),
    (
        LAYER + "json_schema = {allOf = [{'$ref' = '#/$defs/a'}], '$defs' = {a = {not = {'$ref' = '#'}}}}",
        "layer[1].json_schema",
        "which never ends",
    ),
    (LAYER + "json_schema = {pattern = '('}", "layer[1].json_schema.pattern", "does not compile"),
    (
        LAYER + "json_schema = {patternProperties = {'[' = {}}}",
        'layer[1].json_schema.patternProperties."["',
        "does not compile",
    ),
    (
        LAYER + "json_schema = {'$schema' = 'http://json-schema.org/draft-07/schema#'}",
        'layer[1].json_schema."$schema"',
        "draft 2020-12",
    ),
    (
        "[tools.a.args]\nb = {kind = 'schema', schema = {minimum = 'x'}}",
        "tools.a.args.b.schema.minimum",
        "not valid",
    ),
    # branches
    ('[[branch]]\nname = "b"', "branch[1]", 'needs the key "when"'),
    ('[[branch]]\nname = "b"\nwhen = {}', "branch[1].when", "names nothing to look at"),
    ('[[branch]]\nname = "b"\nwhen = {a = {}}', "branch[1].when.a", "names nothing to look at"),
    ('[[branch]]\nname = "b"\nwhen = {a.b = 1, "a.b" = 2}', 'branch[1].when."a.b"', '"a.b" is named twice'),
    (
        '[[branch]]\nname = "b"\nwhen = {a = 1}\n[[branch]]\nname = "c"\nwhen = {a = 1.0}',
        "branch[2].when",
        'can never be reached: whenever it holds, the branch "b" before it applies',
    ),
    (
        '[[branch]]\nname = "b"\nwhen = {a = 1}\n[[branch]]\nname = "c"\nwhen = {b = 2, a = 1}',
        "branch[2].when",
        "can never be reached",
    ),
    (
        '[[branch]]\nname = "b"\nwhen = {a = 1}\n[[branch]]\nname = "b"\nwhen = {a = 2}',
        "branch[2].name",
        "differ",
    ),
    (
        STEP + '[[forbid]]\ntool = "x"\nbefore = "b"\n[[branch]]\nname = "q"\nwhen = {a = 1}\nstep = []',
        "forbid[1].before",
        'unknown step id "b" (ids: none) (the steps are those of branch[1])',
    ),
    # diagnosis
    ('[diagnosis]\npriority = ["tool_error"]', "diagnosis.priority[1]", "nothing in this contract yields"),
    (
        LIMIT + 'at_most = 1\n[diagnosis]\npriority = ["duplicate_write", "missing_write"]',
        "diagnosis.priority[2]",
        'the label "missing_write" (labels: duplicate_write)',
    ),
    (
        LIMIT + 'exactly = 1\n[diagnosis]\npriority = ["missing_write", "missing_write"]',
        "diagnosis.priority[2]",
        "twice",
    ),
]


@pytest.mark.parametrize(("text", "key_path", "message"), MISTAKES)
def test_a_mistake_names_its_place_and_what_is_allowed(text: str, key_path: str, message: str) -> None:
    error = refused(HEAD + text)
    assert (error.key_path, message in error.message) == (key_path, True), str(error)


@pytest.mark.parametrize(
    ("text", "key_path", "message"),
    [
        ('name = "x"', "", 'needs the key "contract"'),
        ('contract = 2\nname = "x"', "contract", "version 2 is not known; this program reads contract = 1"),
        ('contract = "1"\nname = "x"', "contract", "must be the number 1, not text"),
        ('contract = true\nname = "x"', "contract", "must be the number 1, not true or false"),
        ("contract = 1", "", 'needs the key "name"'),
        ("contract = 1\nname = ", "line 2, column 8", "not valid TOML"),
        ("contract = 1\n[order\n", "line 2, column 7", "not valid TOML"),
        ('contract = 1\nname = "a"\nname = "b"', "line 3, column 11", "not valid TOML"),
        ("contract = 1\nname = 'a", "line 2, column 10", "not valid TOML"),
        ("contract = 1\nname = 'a'\nx = " + "[" * 2000, "", "nested too deeply"),
        (
            "contract = 1\nname = 'a'\nfinal.x = " + "[" * 120 + "]" * 120,
            "",
            "nested more than 100 levels deep",
        ),
        ("contract = 1\nname = 'a'\nfinal.x = " + "9" * 5000, "", "not valid TOML"),
    ],
)
def test_a_file_that_is_no_contract_at_all(text: str, key_path: str, message: str) -> None:
    error = refused(text)
    assert (error.key_path, message in error.message) == (key_path, True), str(error)


COLUMNS = ("case_id", "attendees", "duration_min", "policy")


@pytest.mark.parametrize(
    ("text", "key_path", "nearest"),
    [
        (STEP + 'args = {n = "{durtion_min}"}', "step[1].args.n", "duration_min"),
        (STEP + 'args = {n = ["a", {b = "x {atendees}"}]}', "step[1].args.n[2].b", "attendees"),
        (
            STEP + "args = {n = {kind = 'all', of = [{kind = 'iequals', value = '{policyy}'}]}}",
            "step[1].args.n.of[1].value",
            "policy",
        ),
        ('[cases]\nid = "caseid"', "cases.id", "case_id"),
        ('[cases]\ntitle = "polcy"', "cases.title", "policy"),
        ('[cases]\nlabel = "polcy"', "cases.label", "policy"),
        ('[cases]\ncolumns = {atendees = "int"}', "cases.columns.atendees", "attendees"),
        ("[[steps_from]]\ncolumn = 'polic'", "steps_from[1].column", "policy"),
        ("[[forbid]]\neffect = 'write'\nwhen = {polisy = 'x'}", "forbid[1].when.polisy", "policy"),
        ("[final]\na.b = '{attendes}'", "final.a.b", "attendees"),
        ('[[branch]]\nname = "b"\nwhen = {x = 1}\nfinal.a = "{attendes}"', "branch[1].final.a", "attendees"),
    ],
)
def test_a_column_that_the_cases_do_not_have(text: str, key_path: str, nearest: str) -> None:
    with pytest.raises(ContractError) as caught:
        check_columns(parse(HEAD + text, "room.contract.toml"), COLUMNS)
    assert caught.value.key_path == key_path
    assert f'(did you mean "{nearest}"? columns: case_id, attendees, duration_min, policy)' in str(
        caught.value
    )


def test_the_line_reads_as_documented() -> None:
    text = HEAD + '[[step]]\ntool = "a"\n[[step]]\ntool = "b"\nargs = { duration_min = "{durtion}" }'
    with pytest.raises(ContractError) as caught:
        check_columns(parse(text, "room.contract.toml"), ("case_id", "duration_min"))
    assert str(caught.value) == (
        'room.contract.toml: step[2].args.duration_min: unknown column "durtion" '
        '(did you mean "duration_min"? columns: case_id, duration_min)'
    )


def test_a_message_stays_one_printable_line_whatever_the_keys_hold() -> None:
    error = refused(HEAD + '"a\\nb\\u001b[31m" = 1')
    assert str(error).isprintable()
    error = refused(HEAD + '[order]\nmode = "a\\u2028b"')
    assert str(error).isprintable()


def test_a_long_list_of_columns_is_cut_and_says_so() -> None:
    contract = parse(HEAD + '[cases]\nid = "nope"', "c.toml")
    with pytest.raises(ContractError, match="and 76 more"):
        check_columns(contract, [f"column_{n}" for n in range(100)])
