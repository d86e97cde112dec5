"""What an input seems to be, from its first record; nothing is taken from a name."""

from __future__ import annotations

from traceview.jsontext import BadJson, decode
from traceview.read.files import head_of
from traceview.read.objects import array_items

__all__ = ["first_keys", "holds_events"]


def holds_events(path: str) -> bool:
    """Whether a file holds recorded calls (not cases): its first object has ``step`` and ``tool_name``.

    :raises InputError: the file cannot be opened.
    """
    keys = first_keys(path)
    return keys is not None and "step" in keys and "tool_name" in keys


def first_keys(path: str) -> tuple[str, ...] | None:
    """The keys of the first object of a JSON array or JSONL file; None when the file is neither, and for a
    pipe, which can be read only once.

    :raises InputError: the file cannot be opened.
    """
    head = head_of(path, "cases or traces")
    value = None if head is None else _first_object(head.lstrip(b" \t\r\n"))
    return tuple(value) if isinstance(value, dict) else None


def _first_object(head: bytes) -> object:
    try:
        if head.startswith(b"["):
            spans = array_items(head)
            return decode(head[spans[0].offset :][: spans[0].length]).value if spans else None
        if head.startswith(b"{"):
            return decode(head.partition(b"\n")[0].strip()).value
    except BadJson:
        pass
    return None
