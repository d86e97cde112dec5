"""docs/screen.svg, the README's picture, taken from the real program: ``python docs/screenshot.py``."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

from traceview.tui.application import TraceviewApp
from traceview.tui.config import Config
from traceview.tui.request import Request

ROOT = Path(__file__).parent.parent


async def take(target: Path) -> None:
    """Open the sample, go to B03, and write what the screen shows."""
    request = Request(cases="booking_agent_cases.csv", traces=("booking_agent_traces.jsonl",))
    app = TraceviewApp(request, config=Config(theme="traceview-dark"))
    async with app.run_test(size=(120, 36)) as pilot:
        while app.session.loading:
            await pilot.pause(0.1)
        await pilot.press("e", "e")
        await pilot.pause(0.5)
        svg = app.export_screenshot(title="traceview")
    # No font is fetched from anywhere: the reader's own monospace font does.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL).replace("Fira Code, ", "")
    target.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    os.chdir(ROOT / "sample_data")
    asyncio.run(take(ROOT / "docs" / "screen.svg"))
