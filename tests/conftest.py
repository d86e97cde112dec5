"""Makes the helper modules beside this file importable from every kind of test, and sets Hypothesis up.

The same examples come every time, so that a failure is one of the change at hand; ``make test-long`` draws
new ones. There are no deadlines: a busy machine is no fault of the code.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", _calm, derandomize=True)
settings.register_profile("new", _calm)
settings.load_profile("new" if os.environ.get("TRACEVIEW_NEW_EXAMPLES") else "same")
