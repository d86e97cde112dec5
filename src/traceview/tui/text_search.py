"""``text:``: looking for a text in recorded arguments and results, beside the screen, hits as they come."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from textual.message_pump import MessagePump

from traceview.query import Query, QueryError
from traceview.tui.messages import SearchAdvanced
from traceview.tui.session import Reader
from traceview.tui.table import Table

_EVERY = 0.1  # seconds between two reports of hits


class TextSearch:
    """Searches the runs of some rows in their order; ``stop`` ends it at the next run."""

    def __init__(
        self, pump: MessagePump, reader: Reader, query: Query, table: Table, places: Sequence[int]
    ) -> None:
        self.done = False
        self.problem = ""
        self._pump = pump
        self._reader = reader
        self._query = query
        self._rows = table.rows
        self._places = places
        self._looked = 0
        self._lock = threading.Lock()
        self._found: list[int] = []
        self._stopped = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._run, daemon=True).start()

    def stop(self) -> None:
        self._stopped.set()

    def take(self) -> list[int]:
        """The hits since the last call, in the order of the places."""
        with self._lock:
            found, self._found = self._found, []
        return found

    def words(self) -> str:
        """How far it is."""
        return f"searching arguments and results: {self._looked:,} of {len(self._places):,} runs"

    def _run(self) -> None:
        said = time.monotonic()
        for place in self._places:
            if self._stopped.is_set():
                return
            try:
                hit = self._hit(place)
            except QueryError as error:
                self.problem = error.message
                break
            except Exception as error:  # a file that is gone: say so, and end
                self.problem = str(error)
                break
            self._looked += 1
            if hit:
                with self._lock:
                    self._found.append(place)
            if time.monotonic() - said > _EVERY:
                said = time.monotonic()
                self._pump.post_message(SearchAdvanced())
        self.done = True
        self._pump.post_message(SearchAdvanced())

    def _hit(self, place: int) -> bool:
        return self._query.matches_run(self._reader.run(self._rows[place]))
