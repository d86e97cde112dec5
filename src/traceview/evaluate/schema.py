"""JSON Schema (draft 2020-12) for kinds and layers; nothing outside the schema is ever fetched."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from traceview.evaluate.values import pointer


class _Stopped(Exception):
    """A pattern of the schema ran out of time."""


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    from traceview.evaluate.kinds import matches

    if isinstance(instance, str):
        found = matches(pattern, instance, full=False)
        if found is None:
            raise _Stopped(pattern)
        if not found:
            yield ValidationError(f"{instance!r} does not match {pattern!r}")


_Validator: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator, {"pattern": _pattern}
)


@lru_cache(maxsize=64)
def _validator(text: str) -> Any:
    return _Validator(json.loads(text))


def first_error(schema: Mapping[str, Any], value: Any) -> tuple[str, str | None]:
    """("accept", None), ("reject", where and why) or ("unknown", why), for the schema's first error by path."""
    try:
        errors = sorted(
            _validator(json.dumps(schema, sort_keys=True)).iter_errors(value),
            key=lambda e: [str(p) for p in e.path],
        )
    except _Stopped as stopped:
        return "unknown", f"the pattern {stopped} was stopped; it backtracks for too long"
    if not errors:
        return "accept", None
    first = errors[0]
    return "reject", f"at {pointer(*first.path) or '/'}: {first.message}"
