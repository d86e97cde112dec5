"""Judge recorded runs of tool-calling agents against reviewed cases.

The public names, each imported when it is first used::

    report = traceview.load("cases.csv", "traces.jsonl")        # -> traceview.Report
    result = traceview.evaluate(contract, case, run)            # -> traceview.model.RunResult
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from traceview.api import evaluate as evaluate
    from traceview.api import load as load
    from traceview.contract.spec import Contract as Contract
    from traceview.results import Report as Report

__all__ = ["Contract", "Report", "__version__", "evaluate", "load"]

__version__ = "0.1.0"

_HOME = {
    "Contract": "traceview.contract.spec",
    "Report": "traceview.results",
    "evaluate": "traceview.api",
    "load": "traceview.api",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)


class _Package(ModuleType):
    """Importing ``traceview.load`` or ``traceview.evaluate`` would set the module as an attribute of the
    package; the function of that name is the public one, and stays."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
