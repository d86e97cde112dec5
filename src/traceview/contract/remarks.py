"""What is said about a contract, and where it stands in it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from traceview.contract.spec import Contract, Rules
from traceview.contract.table import Place

__all__ = ["Remark", "parts", "remark"]


class Remark(Struct, frozen=True, gc=False):
    """One thing about a contract. ``severity``: "error" (it cannot be used), "warning" (it can, and does
    probably not do what was meant) or "note". ``path`` is the contract, ``key_path`` the place in it ("" for
    the whole file); ``str()`` is one line."""

    severity: Literal["error", "warning", "note"]
    path: str
    key_path: str
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.path, self.key_path, self.severity, self.message) if part)


def remark(severity: Literal["error", "warning", "note"], place: Place, message: str) -> Remark:
    """A remark about a place."""
    return Remark(severity, place.source, place.path, message)


def parts(contract: Contract) -> list[tuple[Rules, Place]]:
    """The rules of the contract and of each branch, with the place where their sections stand."""
    top = Place(contract.source)
    branches = [(b.rules, top.key("branch").item(n)) for n, b in enumerate(contract.branches, 1)]
    return [(contract.rules, top), *branches]
