"""From the loader to the screen: takes what was read, a little at a time, and passes it on.

Imported when the first frame is drawn: what reads and judges is not loaded before.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from msgspec.structs import replace

from traceview.follow import Grown
from traceview.load import Progress, Rows, Scanned
from traceview.sanitize import visible
from traceview.tui.following import Following, Lost, Rewritten
from traceview.tui.loading import Ended, Failed, Load, Started
from traceview.tui.messages import LoadAdvanced
from traceview.tui.process import ReaderProcess, is_large
from traceview.tui.progress import Pace
from traceview.tui.screens import growth

if TYPE_CHECKING:
    from traceview.tui.application import TraceviewApp

_TRY_AGAIN = 1.0  # seconds until a followed file that could not be read is tried again


class Feed:
    """The readings of one application: the present one, and those whose rows may still be open."""

    def __init__(self, app: TraceviewApp, process: ReaderProcess | None) -> None:
        self._app = app
        self._started = process
        self._load: Load | None = None
        self._old: list[Load] = []
        self._pace = Pace()
        self._again = False
        self._note = ""
        self._held: list[Started | Rows] | None = None  # of a further reading, until its traces were read

    def begin(self) -> None:
        """Read everything; a reading that is under way ends."""
        if self._load is not None:
            self._again = True
            self._load.stop()
            self._old.append(self._load)
        self._held = [] if self._again else None
        self._pace = Pace()
        gc.disable()  # millions of new objects, none of them garbage: looking for it would be felt
        request = self._app.request
        process, self._started = self._started, None
        if process is None and is_large(request):
            process = ReaderProcess(request, None)
        baseline = self._app.screen_main.baseline
        if baseline.path is None and request.baseline is not None:
            self._read_baseline(request.baseline)
        self._load = Load(request, process)
        self._load.start(lambda: self._app.post_message(LoadAdvanced()))
        self._app.screen_main.status.progress("reading")

    def _read_baseline(self, path: str) -> None:
        """By the same contract; a file that holds both sides is its own cases."""
        app, screen = self._app, self._app.screen_main
        request = replace(app.request, traces=(path,), follow=False, temp_folder=None)
        load = Load(request, ReaderProcess(request, None) if is_large(request) else None)
        app.session.transitions = {}
        screen.baseline.path = path
        screen.baseline.read(load)
        load.start(lambda: app.post_message(LoadAdvanced()))

    def advance(self) -> None:
        """Take what has arrived, for as long as nobody notices."""
        self._app.screen_main.baseline.advance()
        load, screen, session = self._load, self._app.screen_main, self._app.session
        if load is None:
            return
        rows_came = False
        for message in load.take():
            if isinstance(message, Started | Rows):
                if self._held is not None:
                    self._held.append(message)
                else:
                    self._take(message)
                    rows_came = isinstance(message, Rows) or rows_came
            elif isinstance(message, Scanned):
                held, self._held = self._held or (), None
                for each in held:
                    self._take(each)
            elif isinstance(message, Progress):
                screen.status.progress(self._pace.words(message))
            elif isinstance(message, Ended):
                session.reader = load.reader
                session.finish(message.report)
                rows_came = False
                self._ended()
            elif isinstance(message, Failed):
                self._failed(message.message)
                return
            elif isinstance(message, Grown):
                growth.take(screen, message)
            elif isinstance(message, Following):
                self._follows(message)
            elif isinstance(message, Lost):
                session.following = False
                screen.status.say(visible(message.message), "fail")
                screen.refresh_titles()
            elif isinstance(message, Rewritten):
                self._note = visible(message.message)
                self.begin()
                return
            session.reader = load.reader or session.reader
        if rows_came:
            screen.rows_came()
        if load.waiting or screen.baseline.waiting:
            self._app.post_message(LoadAdvanced())

    def _take(self, message: Started | Rows) -> None:
        if isinstance(message, Rows):
            self._app.session.update(message.start, message.rows)
        else:
            self._app.screen_main.begin(message)
            self._app.session.light = self._load is not None and self._load.light

    def _ended(self) -> None:
        # A collection that goes through a million rows takes a third of a second; one that goes through an
        # opened run of thousands of steps, which is no garbage either, a good part of what a key may take.
        # What can wait for that is left to a quiet moment.
        gc.freeze()
        gc.set_threshold(20_000, 100, 1000)
        gc.enable()
        screen = self._app.screen_main
        screen.status.progress(None)
        screen.ended()
        screen.baseline.compare()
        for load in self._old:
            load.close()
        self._old.clear()
        if self._again:
            self._again = False
            screen.status.say(f"{self._note}: read again" if self._note else "read again")
        self._note = ""

    def _follows(self, message: Following) -> None:
        screen, names = self._app.screen_main, message.unfollowed
        self._app.session.following = message.any
        if names:
            more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
            screen.status.say(
                f"{visible(names[0])}{more} cannot be followed: only plain files with one event a line can",
                "unknown",
            )
        screen.refresh_titles()

    def _failed(self, message: str) -> None:
        """The first time there is nothing to show; later what was read before stays."""
        gc.enable()
        self._held = None
        if not self._again:
            self._app.exit(message)
            return
        self._again = False
        screen = self._app.screen_main
        screen.status.progress(None)
        if self._app.request.follow:  # it may be in the middle of being written anew
            screen.status.say(f"{visible(message)}; trying again", "fail")
            screen.set_timer(_TRY_AGAIN, self._try_again)
            return
        screen.status.say(visible(message), "fail")

    def _try_again(self) -> None:
        if not self._again:
            self.begin()

    def close(self) -> None:
        """End every reading and remove what it left behind."""
        gc.enable()
        self._app.screen_main.baseline.close()
        for load in (*self._old, *([self._load] if self._load else [])):
            load.close()
