"""What may stand in an expected value besides JSON: gaps, unknowns, what a call returns, kinds.

An expected value is *expanded* when the cells of its case are filled in (``evaluate/expect.py``). It is then
a JSON value in which :data:`ANY`, :class:`Unknown`, :class:`Pending` and :class:`Kinded` may stand at any
depth.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from traceview import jsontext
from traceview.contract.spec import Compare, StepRef
from traceview.evaluate.evidence import Marks
from traceview.model import MISSING


class Gap:
    """The one value of :data:`ANY`: an expectation that is left out (an empty cell): anything may stand
    there, or nothing."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ANY"


ANY = Gap()


class Unknown(Struct, frozen=True, gc=False):
    """An expectation whose value cannot be known; ``why`` names what is missing."""

    why: str


class Pending(Struct, frozen=True, gc=False):
    """An expectation that matched calls return during the run; :func:`resolve` fills it in once calls are
    paired. ``parts`` are joined as text, but for a single reference, which is the value itself."""

    parts: tuple[str | StepRef, ...]


class Kinded(Struct, frozen=True, gc=False):
    """An expected value with the way to compare it. ``value`` MISSING: the kind needs none. ``of``: the parts
    of ``not``, ``all`` and ``any``, each with its own value or that of the whole. ``optional``: the tool says
    how the argument must look, and no step that it must be there."""

    compare: Compare
    value: Any = MISSING
    of: tuple[Kinded, ...] = ()
    optional: bool = False


def plain(value: Any) -> bool:
    """Whether an expanded expectation is an ordinary JSON value through and through."""
    kind = value.__class__
    if kind is dict:
        return all(map(plain, value.values()))
    if kind is list:
        return all(map(plain, value))
    return kind is not Kinded and kind is not Unknown and kind is not Pending and kind is not Gap


_ALONE = frozenset({"ignore", "present", "absent", "regex", "one_of", "len", "schema"})


def stands_alone(compare: Compare) -> bool:
    """Whether a kind has something to say without an expected value."""
    if compare.then is not None:
        return stands_alone(compare.then)
    return compare.kind in _ALONE or bool(compare.of and all(map(stands_alone, compare.of)))


def with_value(kinded: Kinded, value: Any) -> Kinded:
    """The kind applied to ``value`` where it has none of its own; its parts take over the whole's value."""
    own = kinded.value if kinded.value is not MISSING else value
    if isinstance(own, Kinded):  # a column cast `instant` under another kind: the kind that is written wins
        own = own.value
    return Kinded(kinded.compare, own, tuple([with_value(part, own) for part in kinded.of]), kinded.optional)


LookUp = Callable[[StepRef], Any]


def resolve(value: Any, look_up: LookUp) -> Any:
    """The expanded value with every :class:`Pending` replaced by what ``look_up`` says."""
    if isinstance(value, Pending):
        return _joined(value.parts, look_up)
    if isinstance(value, dict):
        return {k: resolve(v, look_up) for k, v in value.items()}
    if isinstance(value, list):
        return [resolve(v, look_up) for v in value]
    if isinstance(value, Kinded):
        parts = tuple([resolve(part, look_up) for part in value.of])
        return Kinded(value.compare, resolve(value.value, look_up), parts, value.optional)
    return value


def _joined(parts: tuple[str | StepRef, ...], look_up: LookUp) -> Any:
    found = [part if isinstance(part, str) else look_up(part) for part in parts]
    if len(found) == 1:
        return found[0]
    unknown = [part for part in found if not plain(part) and part is not ANY]
    if unknown:
        return (
            unknown[0] if isinstance(unknown[0], Unknown) else Unknown("part of the expected text is unknown")
        )
    if any(part is ANY for part in found):
        return ANY
    return "".join([part if isinstance(part, str) else jsontext.show(part) for part in found])


def references(value: Any) -> set[str]:
    """The step ids that an expanded value refers to."""
    if isinstance(value, Pending):
        return {part.step for part in value.parts if isinstance(part, StepRef)}
    if isinstance(value, dict):
        return set().union(*map(references, value.values()))
    if isinstance(value, list):
        return set().union(*map(references, value))
    if isinstance(value, Kinded):
        return set().union(references(value.value), *map(references, value.of))
    return set()


def unmarked(value: Any, marks: Marks) -> Any:
    """A recorded value as an expectation: what was redacted or cut off in it is :class:`Unknown`."""
    if isinstance(value, dict):
        return {k: unmarked(v, marks) for k, v in value.items()}
    if isinstance(value, list):
        return [unmarked(v, marks) for v in value]
    why = marks.why(value)
    return value if why is None else Unknown(f"the expected value is {why}")


# -- for a reader ------------------------------------------------------------------------------------------


def shown(expected: Any) -> Any:
    """An expected value as a reader sees it: kinds replaced by what they ask for."""
    if expected.__class__ is str:
        return expected
    if isinstance(expected, dict):
        return {k: shown(v) for k, v in expected.items() if v is not ANY}
    if isinstance(expected, list):
        return [shown(v) for v in expected if v is not ANY]
    if isinstance(expected, Kinded):
        if expected.value is not MISSING:
            return shown(expected.value)
        return f"({describe(expected)})"
    if isinstance(expected, Unknown):
        return f"(unknown: {expected.why})"
    if isinstance(expected, Pending):
        return "".join([part if isinstance(part, str) else reference(part) for part in expected.parts])
    return MISSING if expected is ANY else expected


def reference(ref: StepRef) -> str:
    """A step reference as a contract writes it."""
    return "{step." + ".".join((ref.step, *ref.path)) + "}"


def describe(kinded: Kinded) -> str:
    """A kind and its settings in words: "number, abs 0.005"; a part of another kind with its value."""
    compare = kinded.compare
    parts = [compare.kind]
    if compare.kind == "one_of":
        parts = ["one of " + ", ".join(map(jsontext.show, compare.values))]
    if compare.pattern:
        parts.append(compare.pattern)
    for name in ("abs", "rel", "min", "max"):
        setting = getattr(compare, name)
        if setting is not None:
            parts.append(f"{name} {jsontext.show(setting)}")
    if compare.kind == "instant" and compare.tolerance_s:
        parts.append(f"tolerance {jsontext.show(compare.tolerance_s)} s")
    if compare.then is not None:
        parts.append("then " + describe(Kinded(compare.then)))
    if kinded.of:
        parts.append("(" + "; ".join(map(_part, kinded.of)) + ")")
    return ", ".join(parts)


def _part(kinded: Kinded) -> str:
    text = describe(kinded)
    return text if kinded.value is MISSING else f"{text} {jsontext.show(shown(kinded.value))}"
