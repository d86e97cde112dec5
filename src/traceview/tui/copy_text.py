"""A case, a step, a value or a difference as text to be pasted somewhere else: plain, Markdown or JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator

from traceview.evaluate.detail import Detail, Diff, StepRow
from traceview.jsontext import dumps, show
from traceview.model import MISSING
from traceview.sanitize import visible

_LONGEST = 400  # characters of a value inside a case; a value on its own is copied whole


def value_text(value: object) -> str:
    """A value on its own: text as it is when all of it can be seen, else JSON."""
    if value is MISSING:
        return "(missing)"
    if isinstance(value, str) and value.replace("\n", "").isprintable():
        return value
    return dumps(value)


def step_json(row: StepRow) -> str:
    """The recorded object of a call, as it was read."""
    return dumps(dict(row.event.fields), indent=2) if row.event is not None else ""


def diff_text(diff: Diff) -> str:
    """``/duration_min: expected 30, observed 60``."""
    return f"{diff.path or 'value'}: expected {_short(diff.expected)}, observed {_short(diff.observed)}"


def step_title(row: StepRow) -> str:
    """``2 reserve_room (changed)``."""
    if row.event is None:
        return f"– {row.expected_tool} ({'missing' if row.state == 'missing' else row.before})"
    state = "" if row.state in ("matched", "uncompared") else f" ({row.state})"
    return f"{row.event.step} {row.event.tool_name or 'run record'}{state}"


def differing(row: StepRow) -> list[Diff]:
    """The differences of a step that say something: no equal, ignored or uncompared values."""
    return [diff for diff in row.diffs if diff.state not in ("same", "ignored", "uncompared")]


def step_text(row: StepRow) -> str:
    """A step and what differs in it."""
    return "\n".join(
        visible(line) for line in [step_title(row), *("  " + diff_text(d) for d in differing(row))]
    )


def step_markdown(row: StepRow) -> str:
    """A step as Markdown: a heading and a table of what differs, else its call as JSON."""
    lines = [f"#### {_md(step_title(row))}", ""]
    rows = [(diff.path, _short(diff.expected), _short(diff.observed)) for diff in differing(row)]
    if rows:
        lines += ["| place | expected | observed |", "|---|---|---|"]
        lines += ["| " + " | ".join(map(_md, each)) + " |" for each in rows]
    elif row.event is not None:
        text = step_json(row)
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        lines += [fence + "json", text, fence]
    lines += ["", *(f"- `{finding.check}`: {_md(finding.message)}" for finding in row.findings)]
    return "\n".join(lines).rstrip() + "\n"


def case_text(detail: Detail) -> str:
    """A whole case in lines."""
    return "\n".join(visible(line) for line in _case_lines(detail)) + "\n"


def _case_lines(detail: Detail) -> Iterator[str]:
    result = detail.result
    run = " ".join(word for word in (result.trial, result.run_id) if word)
    yield "  ".join(word for word in (result.case_id, run, result.diagnosis) if word)
    if detail.title:
        yield detail.title
    if result.checks:
        yield "checks: " + ", ".join(f"{name} {verdict}" for name, verdict in result.checks.items())
    for row in detail.rows:
        status = row.event.status if row.event is not None and row.event.status is not None else ""
        yield "  ".join(word for word in (step_title(row), status) if word)
        for diff in differing(row):
            yield "    " + diff_text(diff)
    for diff in detail.final:
        if diff.state not in ("same", "ignored", "uncompared"):
            yield "final " + diff_text(diff)
    for finding in result.findings:
        yield f"- {finding.check}: {finding.message}"
    if result.signature:
        yield f"signature: {result.signature}"


def case_markdown(detail: Detail) -> str:
    """A whole case as Markdown: a heading, the checks, a table of what differs, the findings."""
    result = detail.result
    lines = [f"### {_md(result.case_id)}: {_md(result.diagnosis)}", ""]
    if detail.title:
        lines += [f"> {_md(detail.title)}", ""]
    if result.checks:
        lines += [", ".join(f"{_md(name)} **{verdict}**" for name, verdict in result.checks.items()), ""]
    rows = [
        (step_title(row), diff.path, _short(diff.expected), _short(diff.observed))
        for row in detail.rows
        for diff in differing(row)
    ]
    rows += [
        ("final", diff.path, _short(diff.expected), _short(diff.observed))
        for diff in detail.final
        if diff.state not in ("same", "ignored", "uncompared")
    ]
    if rows:
        lines += ["| step | place | expected | observed |", "|---|---|---|---|"]
        lines += ["| " + " | ".join(map(_md, row)) + " |" for row in rows]
        lines.append("")
    lines += [f"- `{finding.check}`: {_md(finding.message)}" for finding in result.findings]
    return "\n".join(lines).rstrip() + "\n"


def _short(value: object) -> str:
    if value is MISSING:
        return "(missing)"
    text = show(value)
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}… ({len(text):,} characters)"


def _md(text: str) -> str:
    text = visible(text)
    for sign in ("\\", "|", "`", "*", "_", "[", "]", "<", ">", "#"):
        text = text.replace(sign, "\\" + sign)
    return text
