"""Text that takes values from elsewhere: ``{column}`` and ``{step.ID.result.PATH}``."""

from __future__ import annotations

import re

from traceview.contract.errors import quoted
from traceview.contract.spec import Column, Expected, Join, StepRef, Value
from traceview.contract.table import Place

__all__ = ["literal", "parse_text"]

_PART = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+")
_HINT = "write {{ and }} for braces that are meant as text"


def parse_text(text: str, place: Place) -> Expected:
    """What ``text`` stands for: itself, a whole cell, a returned value, or several of them joined."""
    if "{" not in text and "}" not in text:
        return Value(text)
    parts: list[str | Column | StepRef] = []
    for match in _PART.finditer(text):
        token = match.group()
        if match.group(1) is not None:
            parts.append(_reference(match.group(1), place))
            continue
        if token in ("{", "}"):
            what = "{ has no }" if token == "{" else "} has no {"
            raise place.error(f"{quoted(text)}: {what}; {_HINT}")
        plain = token[0] if token in ("{{", "}}") else token
        if parts and isinstance(parts[-1], str):
            parts[-1] += plain
        else:
            parts.append(plain)
    if len(parts) == 1:
        only = parts[0]
        return Value(only) if isinstance(only, str) else only
    return Join(tuple(parts))


def _reference(name: str, place: Place) -> Column | StepRef:
    if not name:
        raise place.error(f"{{}} names no column; {_HINT}")
    if not name.startswith("step."):
        return Column(name)
    _, step, *path = name.split(".")
    if not step or "" in path or not path or path[0] != "result":
        raise place.error(
            f"{{{name}}} is no step reference; write {{step.ID.result.PATH}} for what a call returned"
        )
    return StepRef(step, tuple(path))


def literal(text: str, place: Place) -> str:
    """A text in which nothing may be filled in; ``{{`` and ``}}`` are braces here too."""
    parsed = parse_text(text, place)
    if isinstance(parsed, Value) and isinstance(parsed.value, str):
        return parsed.value
    raise place.error(f"{quoted(text)} takes a fixed value: no {{column}} can stand here; {_HINT}")
