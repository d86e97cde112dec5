"""Messages between the loader, the panes and the screen."""

from __future__ import annotations

from textual.message import Message


class LoadAdvanced(Message):
    """Something was read: take it from the loader's inbox. One such message in the queue is enough."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, LoadAdvanced)


class SearchAdvanced(Message):
    """A search in arguments and results found more, or is done."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, SearchAdvanced)


class FilterTyped(Message):
    """The text of the filter field is another one."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class FilterKept(Message):
    """The filter is to stay as it is."""


class FilterCancelled(Message):
    """Everything is to be as it was before the field was opened."""
