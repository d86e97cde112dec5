"""JSON Schema (draft 2020-12) for kinds and layers; nothing outside the schema is ever fetched.

What a contract does otherwise holds inside schemas too: numbers are compared as they are written, ``true`` is
not 1, patterns are stopped, and what was taken away can't decide.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from traceview import jsontext
from traceview.evaluate.arithmetic import EXACTLY, exact
from traceview.evaluate.evidence import Marks
from traceview.evaluate.patterns import matches, stopped
from traceview.evaluate.values import pointer, same, type_name

_MESSAGE = 300  # characters of an error of the library, which quotes whole values

Errors = Iterator[ValidationError]


class _Stopped(Exception):
    """A pattern of the schema ran out of time."""


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, str):
        found = matches(pattern, instance, full=False)
        if found is None:
            raise _Stopped(pattern)
        if not found:
            yield ValidationError(f"{jsontext.show(instance)} does not match {pattern}")


def _pattern_properties(validator: Any, patterns: Mapping[str, Any], instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        for pattern, sub in patterns.items():
            for key, value in instance.items():
                found = matches(pattern, key, full=False)
                if found is None:
                    raise _Stopped(pattern)
                if found:
                    yield from validator.descend(value, sub, path=key, schema_path=pattern)


def _const(validator: Any, const: Any, instance: Any, schema: Any) -> Errors:
    if not same(const, instance):
        yield ValidationError(f"{jsontext.show(const)} was expected")


def _enum(validator: Any, values: list[Any], instance: Any, schema: Any) -> Errors:
    if not any(same(value, instance) for value in values):
        yield ValidationError(f"{jsontext.show(instance)} is not one of {jsontext.show(values)}")


def _bound(holds: Callable[[Any, Any], bool], words: str) -> Callable[[Any, Any, Any, Any], Errors]:
    def check(validator: Any, bound: Any, instance: Any, schema: Any) -> Errors:
        if type_name(instance) == "number":
            number, limit = exact(instance), exact(bound)
            if number is None or limit is None or not holds(number, limit):
                yield ValidationError(f"{jsontext.show(instance)} is not {words} {jsontext.show(bound)}")

    return check


def _multiple(validator: Any, divisor: Any, instance: Any, schema: Any) -> Errors:
    if type_name(instance) == "number":
        number, step = exact(instance), exact(divisor)
        if number is None or step is None or not _divides(number, step):
            yield ValidationError(f"{jsontext.show(instance)} is not a multiple of {jsontext.show(divisor)}")


def _divides(number: Any, step: Any) -> bool:
    # As integers of the same scale, so that 0.3 is a multiple of 0.1 and nothing is rounded.
    scale = min(number.as_tuple().exponent, step.as_tuple().exponent)
    if max(number.adjusted(), step.adjusted()) - scale > 10_000:
        raise OverflowError  # beyond any number that was meant: unknown
    whole, unit = (int(EXACTLY.scaleb(value, -scale)) for value in (number, step))
    return unit != 0 and whole % unit == 0


_Validator: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "const": _const,
        "enum": _enum,
        "minimum": _bound(lambda a, b: a >= b, "at least"),
        "maximum": _bound(lambda a, b: a <= b, "at most"),
        "exclusiveMinimum": _bound(lambda a, b: a > b, "more than"),
        "exclusiveMaximum": _bound(lambda a, b: a < b, "less than"),
        "multipleOf": _multiple,
    },
)
# Errors that values inside an object or list can't mend.
_OF_THE_WHOLE = frozenset(
    {"required", "type", "additionalProperties", "minItems", "maxItems", "minProperties", "maxProperties"}
)


@lru_cache(maxsize=64)
def _validator(text: str) -> Any:
    return _Validator(json.loads(text))


def first_error(
    schema: Mapping[str, Any], value: Any, marks: Marks
) -> tuple[Literal["accept", "reject", "unknown"], str | None]:
    """("accept", None), ("reject", where and why) or ("unknown", why), for the schema's first error by
    path."""
    try:
        errors = list(_validator(json.dumps(schema)).iter_errors(value))
    except _Stopped as pattern:
        return "unknown", stopped(str(pattern))
    except (RecursionError, ArithmeticError, ValueError) as error:
        return "unknown", f"the schema can't be applied to it ({type(error).__name__})"
    hidden = marks.within(value)
    if hidden is not None:
        errors = [error for error in errors if _certain(error, marks)]
        if not errors:
            return "unknown", f"part of it is {hidden}"
    if not errors:
        return "accept", None
    first = min(errors, key=lambda e: [str(part) for part in e.absolute_path])
    message = first.message if len(first.message) <= _MESSAGE else first.message[:_MESSAGE] + "…"
    return "reject", f"at {pointer(*first.absolute_path) or '/'}: {message}"


def _certain(error: ValidationError, marks: Marks) -> bool:
    """Whether an error would stay if what was taken away were there."""
    if not {"then", "else"}.isdisjoint(error.absolute_schema_path):
        return False  # what was taken away may be what the condition looks at
    instance = error.instance
    if marks.within(instance) is None:
        return True
    return isinstance(instance, (dict, list)) and error.validator in _OF_THE_WHOLE
