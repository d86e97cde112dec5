"""One decision: what somebody thinks of a run, a case or a kind of failure; and its line in the file.

A line is a JSON object with these keys, in this order::

    id         16 hexadecimal digits, unique
    time       UTC, 2026-03-01T12:00:00.000000Z
    author
    scope      "run", "case" or "signature"; what it was decided about:
    case_id, run_id, trial, signature     a run, and its signature at that time (null: it passed)
    case_id, signatures                   a case, and those of its runs at that time
    signature                             all runs with this signature
    mark       one of MARKS
    note       text; "" takes the note away
    tag        tags that are added
    untag      tags that are taken away

or, in place of all that follows the author, ``undo``: the id of a decision that no longer counts. What a
decision says nothing about (mark, note, tags) stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from traceview.jsontext import BadJson, decode, dumps
from traceview.results import Row

__all__ = [
    "ACCEPTED",
    "MARKS",
    "BadLine",
    "Decision",
    "Scope",
    "about_case",
    "about_run",
    "about_signature",
    "from_line",
    "time_text",
    "to_line",
]

Scope: TypeAlias = Literal["run", "case", "signature"]

MARKS: Final = ("open", "confirmed", "expectation wrong", "environment", "ignore")
"""``open``: not decided (again); ``confirmed``: the agent is wrong; ``expectation wrong``: the case is;
``environment``: neither is; ``ignore``: not to be looked at."""

ACCEPTED: Final = ("expectation wrong", "ignore")
"""The marks with which a run passes the gate (``check --respect-triage``)."""

_CONFLICT: Final = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")


class BadLine(ValueError):
    """A line that is no decision. The text says why, in one line."""


class Decision(Struct, frozen=True):
    """See the module. ``signatures`` holds the one of a run or of the scope "signature", or those of a case.
    ``undo`` is set in a decision that takes another one back, and then nothing else is.

    ``id``, ``time`` and ``author`` are empty until it is appended (:meth:`traceview.triage.Triage.append`).
    ``line`` is the text that it was read from or written as.
    """

    scope: Scope | None = None
    case_id: str | None = None
    run_id: str | None = None
    trial: str | None = None
    signatures: tuple[str | None, ...] = ()
    mark: str | None = None
    note: str | None = None
    tag: tuple[str, ...] = ()
    untag: tuple[str, ...] = ()
    undo: str | None = None
    id: str = ""
    time: str = ""
    author: str = ""
    line: str = ""

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.time)


def about_run(
    row: Row,
    *,
    mark: str | None = None,
    note: str | None = None,
    tag: Iterable[str] = (),
    untag: Iterable[str] = (),
) -> Decision:
    """A decision about one run, as it is now."""
    result = row.result
    return Decision(
        "run",
        result.case_id,
        result.run_id,
        result.trial,
        (result.signature,),
        mark,
        note,
        tuple(tag),
        tuple(untag),
    )


def about_case(
    rows: Sequence[Row],
    *,
    mark: str | None = None,
    note: str | None = None,
    tag: Iterable[str] = (),
    untag: Iterable[str] = (),
) -> Decision:
    """A decision about a whole case.

    :param rows: all its runs, at least one.
    """
    signatures = tuple(dict.fromkeys(row.result.signature for row in rows))
    case_id = rows[0].result.case_id
    return Decision("case", case_id, None, None, signatures, mark, note, tuple(tag), tuple(untag))


def about_signature(
    signature: str,
    *,
    mark: str | None = None,
    note: str | None = None,
    tag: Iterable[str] = (),
    untag: Iterable[str] = (),
) -> Decision:
    """A decision about every run that fails in this way, now or in a later recording."""
    return Decision("signature", None, None, None, (signature,), mark, note, tuple(tag), tuple(untag))


def time_text(moment: datetime) -> str:
    """A moment as it is written: UTC, with microseconds."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def to_line(decision: Decision) -> str:
    """The line of a decision, without its line end."""
    fields: dict[str, Any] = {"id": decision.id, "time": decision.time, "author": decision.author}
    if decision.undo is not None:
        fields["undo"] = decision.undo
        return dumps(fields)
    fields["scope"] = decision.scope
    if decision.scope != "signature":
        fields["case_id"] = decision.case_id
    if decision.scope == "run":
        fields |= {"run_id": decision.run_id, "trial": decision.trial}
    if decision.scope == "case":
        fields["signatures"] = list(decision.signatures)
    else:
        fields["signature"] = decision.signatures[0]
    for name in ("mark", "note"):
        if getattr(decision, name) is not None:
            fields[name] = getattr(decision, name)
    for name in ("tag", "untag"):
        if getattr(decision, name):
            fields[name] = list(getattr(decision, name))
    return dumps(fields)


def from_line(line: bytes) -> Decision:
    """The decision of a line. Keys that are not known are left alone.

    :raises BadLine: it is none.
    """
    try:
        text = line.decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        raise BadLine(f"not UTF-8 (byte {error.start + 1})") from None
    if text.startswith(_CONFLICT):
        raise BadLine("a conflict marker of git; delete this line (see docs/triage.md)")
    try:
        fields, repeated = decode(line)
    except BadJson as error:
        raise BadLine(f"not JSON: {error}") from None
    if repeated:
        raise BadLine(f"{repeated[0].key} stands twice")
    if not isinstance(fields, dict):
        raise BadLine("not a JSON object")
    read = _Fields(fields)
    id, time, author = read.text("id"), read.text("time"), read.text("author")
    if not id:
        raise BadLine("id is empty")
    try:
        offset = datetime.fromisoformat(time).utcoffset()
    except ValueError:
        offset = None
    if offset != timedelta(0):
        raise BadLine(f"time {time!r} is no time in UTC")
    if "undo" in fields:
        return Decision(undo=read.text("undo"), id=id, time=time, author=author, line=text)
    scope = read.one_of("scope", ("run", "case", "signature"))
    return Decision(
        scope,  # type: ignore[arg-type]
        None if scope == "signature" else read.text("case_id"),
        read.text_or_null("run_id") if scope == "run" else None,
        read.text_or_null("trial") if scope == "run" else None,
        read.signatures(scope),
        read.one_of("mark", MARKS) if "mark" in fields else None,
        read.text("note") if "note" in fields else None,
        read.texts("tag"),
        read.texts("untag"),
        id=id,
        time=time,
        author=author,
        line=text,
    )


class _Fields:
    """Typed reading of a decoded line; what is wrong is said with the name of its key."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        value = self._fields.get(name)
        if not isinstance(value, str):
            raise BadLine(f"{name} is no text" if name in self._fields else f"{name} is missing")
        return value

    def text_or_null(self, name: str) -> str | None:
        return None if self._fields.get(name) is None else self.text(name)

    def one_of(self, name: str, allowed: Sequence[str]) -> str:
        value = self.text(name)
        if value not in allowed:
            raise BadLine(f"{name} {value!r} is not known; one of {', '.join(allowed)}")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self._fields.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise BadLine(f"{name} is no list of texts")
        return tuple(value)

    def signatures(self, scope: str) -> tuple[str | None, ...]:
        if scope == "signature":
            return (self.text("signature"),)
        if scope == "run":
            return (self.text_or_null("signature"),)
        value = self._fields.get("signatures", [])
        if not isinstance(value, list) or not all(item is None or isinstance(item, str) for item in value):
            raise BadLine("signatures is no list of texts")
        return tuple(value)
