"""Valid contracts, broken at random: each is read, or refused in one line; no slip passes unseen."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, TypeAlias

from hypothesis import assume, given
from hypothesis import strategies as st

from traceview.contract.columns import check_columns, used_columns
from traceview.contract.errors import ContractError
from traceview.contract.find import built_in
from traceview.contract.spec import Contract
from traceview.contract.toml import parse

ROOT = Path(__file__).parents[2]
FILES = (
    *sorted((ROOT / "tests/contracts").glob("*.toml")),
    ROOT / "sample_data/acceptance.toml",
    ROOT / "src/traceview/contract/builtin/room_booking.toml",
)
TEXTS = [path.read_text("utf-8") for path in FILES]
TREES = [tomllib.loads(text) for text in TEXTS]
KeyPath: TypeAlias = tuple[str | int, ...]


class Raw(str):
    """A value as TOML writes it."""


class Twice(dict[str, Any]):
    """A table that is written with its first key twice."""


def toml(value: Any) -> str:
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        pairs = [f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()]
        return "{" + ", ".join([*pairs[:1], *pairs] if isinstance(value, Twice) else pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def document(tree: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(key)} = {toml(value)}\n" for key, value in tree.items())


def places(value: Any, path: KeyPath = ()) -> list[KeyPath]:
    found = [path] if path else []
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        found += places(item, (*path, key)) if isinstance(item, (dict, list)) else [(*path, key)]
    return found


def change(value: Any, path: KeyPath, edit: Any) -> Any:
    """A copy of ``value`` in which ``edit(container, key)`` was applied at ``path``."""
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    if len(path) == 1:
        return edit(copy, path[0])
    copy[path[0]] = change(copy[path[0]], path[1:], edit)
    return copy


def outcome(text: str) -> Contract | ContractError:
    try:
        contract = parse(text, "c.toml")
        check_columns(contract, used_columns(contract))
    except ContractError as error:
        assert str(error).isprintable(), str(error)
        return error
    return contract


VALUES = st.one_of(
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from(
        ["", "x", "{x}", "{", "{step.look.result.a}", "(", "exact", "read", "list:", "map:a.csv"]
    ),
    st.sampled_from(
        [Raw(w) for w in ("nan", "inf", "-0.0", "1e400", "2026-01-01", "07:30:00", "[[]]", "{}", "[]")]
    ),
    st.just({"kind": "present"}),
    st.just([{"kind": "x"}, 1]),
    st.just({"$ref": "#"}),
)


@given(st.data())
def test_a_contract_changed_anywhere_is_read_or_refused(data: st.DataObject) -> None:
    tree: Any = data.draw(st.sampled_from(TREES))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places(tree)))
        what = data.draw(st.sampled_from(["delete", "retype", "move", "copy", "wrap"]))
        new = data.draw(VALUES)
        other = data.draw(st.sampled_from(["a", "kind", "value", "tool", "when", "args", "id"]))

        def edit(container: Any, key: Any, what: str = what, new: Any = new, other: str = other) -> Any:
            old = container[key]
            if what == "delete":
                del container[key]
            elif what == "retype":
                container[key] = new
            elif what == "wrap":
                container[key] = [old] if new is True else {other: old}
            elif isinstance(container, list):
                container.insert(0, old)
            else:
                container[other] = old
                if what == "move" and other != key:
                    del container[key]
            return container

        tree = change(tree, path, edit)
        assume(tree)
    outcome(document(tree))


@given(st.data())
def test_text_changed_anywhere_is_read_or_refused(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEXTS))
    start = data.draw(st.integers(0, len(text)))
    end = min(len(text), start + data.draw(st.integers(0, 30)))
    piece = data.draw(
        st.one_of(
            st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
            st.sampled_from(["[", "{", '"', "'''", "\n", "=", "kind", "\\", "}}", "[[step]]\n", text[:40]]),
        )
    )
    outcome(text[:start] + piece + text[end:])


def is_free(tree: Any, path: KeyPath) -> bool:
    """Whether the key at ``path`` is a name that the author chooses (a column, an argument, a field …)."""
    names = [key for key in path if isinstance(key, str)]
    parents = names[:-1]
    if "$defs" in parents[-1:] or "properties" in parents[-1:]:
        return True
    if parents[:1] == ["tools"]:
        return len(parents) == 1 or parents[2:] == ["args"]
    if parents[:2] == ["cases", "columns"] or "when" in parents or "equals" in parents:
        return True
    words = [word for word in ("args", "final") if word in parents]
    if not words or "schema" in parents:
        return False
    # Inside a comparison its own keys are the language's; what stands under the value of "equals" is data.
    at: Any = tree
    below = False
    for key in path:
        comparison = isinstance(at, dict) and "kind" in at and below
        if comparison and (key == path[-1] or (key == "value" and at["kind"] == "equals")):
            return key != path[-1]
        at = at[key]
        below = below or key == words[0]
    return True


KNOWN = {
    key for tree in TREES for path in places(tree) for key in path if isinstance(key, str)
} | {"effect", "exactly", "case", "label", "title"}  # fmt: skip


@given(st.data())
def test_a_renamed_key_is_never_silently_accepted(data: st.DataObject) -> None:
    tree = data.draw(st.sampled_from(TREES))
    keys = [path for path in places(tree) if isinstance(path[-1], str) and not is_free(tree, path)]
    path = data.draw(st.sampled_from(keys))
    old = path[-1]
    assert isinstance(old, str)
    cut = data.draw(st.integers(0, len(old) - 1))
    new = data.draw(st.sampled_from([old + "s", old + "_", old.upper(), old[:cut] + old[cut + 1 :], "zzz"]))
    assume(new not in KNOWN)

    def edit(container: dict[str, Any], key: str) -> dict[str, Any]:
        return {new if k == key else k: v for k, v in container.items()}

    found = outcome(document(change(tree, path, edit)))
    assert isinstance(found, ContractError), f"{path} as {new!r} was accepted"


@given(st.data())
def test_a_key_that_stands_twice_is_refused(data: st.DataObject) -> None:
    tree = data.draw(st.sampled_from(TREES))
    tables = [path for path in places(tree) if isinstance(path[-1], str) and not isinstance(path[-1], int)]
    path = data.draw(st.sampled_from(tables))

    def edit(container: dict[str, Any], key: str) -> dict[str, Any]:
        return Twice({key: container[key], **container})

    text = document(change({"x": tree}, ("x", *path), edit)["x"])
    if len(path) == 1:
        text += f"{json.dumps(path[0])} = 1\n"
    error = outcome(text)
    assert isinstance(error, ContractError)
    assert error.key_path.startswith("line ")


def test_the_contracts_that_are_broken_here_are_whole() -> None:
    for text, tree in zip(TEXTS, TREES, strict=True):
        contract = parse(text, "c.toml")
        again = parse(document(tree), "c.toml")
        assert contract.rules == again.rules and contract.branches == again.branches
    assert built_in().name == "room-booking"
