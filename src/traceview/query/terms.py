"""The terms of the filter language, each compiled to a predicate on a row (``text:``: on its texts)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from traceview.query.cells import Predicate, column_holds, comparison, find_column
from traceview.query.marks import mark_test, note_test, tag_test
from traceview.query.text import TextTest, fold, pattern_test, text_test
from traceview.query.vocabulary import Vocabulary
from traceview.query.words import Word
from traceview.results import CHECK_VERDICTS, VERDICTS, Row, label_agrees, validity

if TYPE_CHECKING:
    pass

__all__ = ["HELP", "compile_word"]

HELP: Final = (
    ("is:fail,unknown", "verdict: pass, fail, unknown, no_trace, unusable, unreviewed"),
    ("diagnosis:wrong_arguments", "diagnosis"),
    ("check:sequence_ok", "runs that fail this check; check:NAME=unknown for another verdict"),
    (
        "layer:NAME=accept",
        "what a layer says: accept, reject, unknown, n/a; or where it is wrong: false_accept, false_reject, "
        "accept_unknown",
    ),
    (
        "label:disagree",
        "verdict against reviewed label: agree, disagree; or the label: pass, fail, unknown, none",
    ),
    ("tool:reserve_*", "runs that call the tool; * and ? stand for anything"),
    ("arg:duration_min", "findings at this argument, or at a path: arg:/slot/start"),
    ("status:error", "runs that recorded this status"),
    ("signature:TEXT", "runs with exactly this signature"),
    ("cause:TEXT", "runs of one kind of failure: its check and tool, or its signature and values"),
    ("case:B03", "case id; run:ID is a run id or trial"),
    ("problem:bad_json", "cases with such a problem"),
    (
        "mark:open",
        "open (not decided), confirmed, expectation_wrong, environment, ignore, changed, same, none",
    ),
    ("tag:flaky", "runs with this tag; note:TEXT finds text in notes"),
    (
        "change:worse",
        "against a baseline: worse (or vanished), better, reason, same, new, vanished, not_compared",
    ),
    ("steps>20", "number of calls; findings>1; any column of the cases file: attendees>=4, room=R2"),
    ("COLUMN:text", "text in a column of the cases file"),
    ("text:VALUE", "text in arguments and results"),
    ('"two words" -late', "words in id, title, tools, diagnosis, note, tags; - for runs that do not match"),
    ("/B0[1-3]/", "a regular expression, only between slashes"),
)
"""(term, what it finds), for help and documentation."""

_IS: Final = (*VERDICTS, "unreviewed")
_LAYER_VERDICTS: Final = ("accept", "reject", "unknown", "n/a")
# What a layer says beside what is known to be so: the figures of ``layer_totals``, as filters.
_LAYER_WRONG: Final = {
    "false_accept": ("accept", "fail"),
    "false_reject": ("reject", "pass"),
    "accept_unknown": ("accept", "unknown"),
}
_ALWAYS_DIAGNOSES: Final = ("pass", "not_observable", "no_trace", "unusable", "unreviewed")


def compile_word(word: Word, vocabulary: Vocabulary) -> tuple[Predicate | None, TextTest | None]:
    """The predicate of a word, or for ``text:`` the test that some text of the run must pass."""
    colon = word.find(":")
    if colon > 0:
        name, value = word.text[:colon], word.part(colon + 1)
        if name == "text":
            if not value.text and not value.regex:
                raise word.error("text: needs a value")
            return None, text_test(value)
        compile_field = _FIELDS.get(name)
        if compile_field is not None:
            value = value.as_text()
            if not value.text:
                raise word.error(f"{name}: needs a value")
            return compile_field(value, vocabulary), None
        column = find_column(name, vocabulary.columns)
        if column is not None:
            return column_holds(column, text_test(value)), None
    compared = comparison(word, vocabulary.columns)
    return (compared if compared is not None else _plain(word, vocabulary)), None


def _plain(word: Word, vocabulary: Vocabulary) -> Predicate:
    known = vocabulary.haystacks
    of, get = known.of, known.get
    if word.regex is not None and not word.text:
        search = pattern_test(word)
        return _or_decided(lambda row: search(of(row)), search, vocabulary)
    needle = fold(word.as_text().text)

    def matches(row: Row) -> bool:
        found = get(id(row))
        return needle in (found[0] if found is not None else of(row))

    return _or_decided(matches, lambda text: needle in text, vocabulary)


def _or_decided(matches: Predicate, test: TextTest, vocabulary: Vocabulary) -> Predicate:
    """Or the note or a tag of the row passes the test of folded text."""
    triage = vocabulary.triage
    if triage is None:
        return matches

    def found(row: Row) -> bool:
        return matches(row) or (bool(words := triage.words(row)) and test(fold(words)))

    return found


# -- fields ------------------------------------------------------------------------------------------------


def _one_of(value: Word, field_name: str, allowed: Iterable[str]) -> frozenset[str]:
    """The values between commas, each of which must be allowed."""
    allowed = tuple(allowed)
    chosen = [part.text for part in value.split(",")]
    for text in chosen:
        if text not in allowed:
            raise value.error(f"{field_name}:{text} is not known{_nearest(text, allowed)}")
    return frozenset(chosen)


def _nearest(text: str, allowed: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(text, allowed, 1)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; one of {', '.join(allowed)}" if len(allowed) <= 12 else ""


def _is(value: Word, vocabulary: Vocabulary) -> Predicate:
    wanted = _one_of(value, "is", _IS)
    return lambda row: row.result.verdict in wanted


def _diagnosis(value: Word, vocabulary: Vocabulary) -> Predicate:
    if vocabulary.diagnoses:
        wanted = _one_of(value, "diagnosis", dict.fromkeys((*vocabulary.diagnoses, *_ALWAYS_DIAGNOSES)))
    else:
        wanted = frozenset(part.text for part in value.split(","))
    return lambda row: row.result.diagnosis in wanted


def _name_and_verdicts(
    value: Word, what: str, names: tuple[str, ...], verdicts: tuple[str, ...], default: str | None
) -> tuple[str, frozenset[str]]:
    """``NAME`` or ``NAME=verdict,verdict``."""
    name, wanted = value.text, default
    if name not in names:
        equals = value.find("=")
        if equals >= 0:
            name, wanted = value.text[:equals], value.text[equals + 1 :]
    if name not in names:
        known = _nearest(name, names) if names else f"; there are no {what}s here"
        raise value.error(f"{what}:{name} is not known{known}")
    if wanted is None:
        raise value.error(f"{what}:{name} needs a verdict: {what}:{name}={verdicts[0]}")
    chosen = frozenset(wanted.split(","))
    for verdict in chosen:
        if verdict not in verdicts:
            raise value.error(f"{what}:{name}={verdict} is not known; one of {', '.join(verdicts)}")
    return name, chosen


def _check(value: Word, vocabulary: Vocabulary) -> Predicate:
    name, wanted = _name_and_verdicts(value, "check", vocabulary.checks, CHECK_VERDICTS, "fail")
    return lambda row: row.result.checks.get(name) in wanted


def _layer(value: Word, vocabulary: Vocabulary) -> Predicate:
    known = (*_LAYER_VERDICTS, *_LAYER_WRONG)
    name, wanted = _name_and_verdicts(value, "layer", vocabulary.layers, known, None)
    wrong = {_LAYER_WRONG[word] for word in wanted if word in _LAYER_WRONG}

    def matches(row: Row) -> bool:
        said = row.result.layers.get(name)
        return said is not None and (said in wanted or (said, validity(row)) in wrong)

    return matches


def _label(value: Word, vocabulary: Vocabulary) -> Predicate:
    folded = [part.text.lower() for part in value.split(",")]
    for text in folded:
        if text not in ("agree", "disagree", "pass", "fail", "unknown", "none"):
            raise value.error(f"label:{text} is not known; one of agree, disagree, pass, fail, unknown, none")
    agreement = frozenset(text == "agree" for text in folded if text in ("agree", "disagree"))
    labels = frozenset(folded)

    def matches(row: Row) -> bool:
        if row.label is None:
            return "none" in labels
        return row.label.strip().casefold() in labels or label_agrees(row) in agreement

    return matches


def _names(value: Word) -> Callable[[str], bool]:
    """A remembering test of names against values, in which ``*`` and ``?`` outside quotes are wild."""
    exact = set()
    wild = []
    for part in value.split(","):
        if part.find("*") < 0 and part.find("?") < 0:
            exact.add(fold(part.text))
            continue
        pieces = []
        for char, quoted in zip(part.text, part.quoted, strict=True):
            pieces.append({"*": ".*", "?": "."}.get(char) if not quoted else None)
            pieces[-1] = pieces[-1] or re.escape(fold(char))
        wild.append(re.compile("".join(filter(None, pieces)), re.DOTALL))
    known: dict[str, bool] = {}

    def matches(name: str) -> bool:
        hit = known.get(name)
        if hit is None:
            folded = fold(name)
            hit = known[name] = folded in exact or any(pattern.fullmatch(folded) for pattern in wild)
        return hit

    return matches


def _some_name(value: Word) -> Callable[[tuple[str, ...]], bool]:
    """A remembering test of whether one of several names matches; runs have few combinations of them."""
    matches = _names(value)
    known: dict[tuple[str, ...], bool] = {}

    def some(names: tuple[str, ...]) -> bool:
        hit = known.get(names)
        if hit is None:
            hit = known[names] = any(map(matches, names))
        return hit

    return some


def _tool(value: Word, vocabulary: Vocabulary) -> Predicate:
    some = _some_name(value)
    return lambda row: some(row.result.tools)


def _status(value: Word, vocabulary: Vocabulary) -> Predicate:
    some = _some_name(value)
    return lambda row: some(row.result.statuses)


def _case(value: Word, vocabulary: Vocabulary) -> Predicate:
    matches = _names(value)
    return lambda row: matches(row.result.case_id)


def _run(value: Word, vocabulary: Vocabulary) -> Predicate:
    matches = _names(value)
    return lambda row: any(
        matches(name) for name in (row.result.run_id, row.result.trial) if name is not None
    )


def _signature(value: Word, vocabulary: Vocabulary) -> Predicate:
    return lambda row: row.result.signature == value.text


def _cause(value: Word, vocabulary: Vocabulary) -> Predicate:
    from traceview.signatures import group_key  # which itself writes filters

    wanted = value.text
    return lambda row: wanted in (group_key(row, "tool"), group_key(row, "values"))


def _mark(value: Word, vocabulary: Vocabulary) -> Predicate:
    return mark_test(value, vocabulary.triage)


def _note(value: Word, vocabulary: Vocabulary) -> Predicate:
    return note_test(value, vocabulary.triage, vocabulary.columns)


def _tag(value: Word, vocabulary: Vocabulary) -> Predicate:
    return tag_test(_names(value), value, vocabulary.triage, vocabulary.columns)


def _change(value: Word, vocabulary: Vocabulary) -> Predicate:
    from traceview.compare import KINDS, identity  # only where something is compared

    wanted = {*_one_of(value, "change", KINDS)}
    if "worse" in wanted:
        wanted.add("vanished")
    found = vocabulary.transitions
    if found is None:
        raise value.error("change: there is no baseline to compare with")

    def matches(row: Row) -> bool:
        transition = found.get(identity(row))
        return transition is not None and transition.kind in wanted

    return matches


def _problem(value: Word, vocabulary: Vocabulary) -> Predicate:
    cases = {case for part in value.split(",") for case in vocabulary.problem_cases.get(part.text, ())}
    return lambda row: row.result.case_id in cases


def _argument(value: Word, vocabulary: Vocabulary) -> Predicate:
    """A path (``/slot``) covers what lies below it; anything else is the name of a key at any depth."""
    pointers = tuple(part.text for part in value.split(",") if part.text.startswith("/"))
    matches_name = _names(value)
    known: dict[str, bool] = {}

    def hit(path: str) -> bool:
        found = known.get(path)
        if found is None:
            keys = [key.replace("~1", "/").replace("~0", "~") for key in path.split("/")[1:]]
            below = any(path == pointer or path.startswith(pointer.rstrip("/") + "/") for pointer in pointers)
            found = known[path] = below or any(map(matches_name, keys))
        return found

    def matches(row: Row) -> bool:
        findings = row.result.findings
        # Most runs have none, and starting a generator for nothing takes longer than all the rest.
        return bool(findings) and any(f.path is not None and hit(f.path) for f in findings)

    return matches


_FIELDS: Final[Mapping[str, Callable[[Word, Vocabulary], Predicate]]] = {
    "is": _is,
    "diagnosis": _diagnosis,
    "check": _check,
    "layer": _layer,
    "label": _label,
    "tool": _tool,
    "arg": _argument,
    "status": _status,
    "signature": _signature,
    "cause": _cause,
    "case": _case,
    "run": _run,
    "mark": _mark,
    "note": _note,
    "tag": _tag,
    "change": _change,
    "problem": _problem,
}
