"""The page around the data: its own markup, style and script, and the policy that admits these alone."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib import resources
from typing import Final, NamedTuple

from traceview.sanitize import visible

__all__ = ["Page"]

_STYLES: Final = ("page.css", "overview.css", "runs.css", "timeline.css", "print.css")
_SCRIPTS: Final = ("dom.js", "filter.js", "overview.js", "timeline.js", "runs.js", "main.js")
_TITLE, _POLICY, _STYLE, _HEADLINE, _DATA, _SCRIPT = (
    f"<!-- {name} -->" for name in ("title", "policy", "style", "headline", "data", "script")
)


class Page(NamedTuple):
    """What stands before the data, with a place for the headline in it, and what stands after."""

    template: str
    after: str

    @classmethod
    @cache
    def read(cls) -> Page:
        """The page as it is installed."""
        style = "\n" + "".join(map(_asset, _STYLES))
        script = '\n(() => {\n"use strict";\n\n' + "\n".join(map(_asset, _SCRIPTS)) + "})();\n"
        policy = "; ".join(
            [
                "default-src 'none'",
                f"script-src '{_hash(script)}'",
                f"style-src '{_hash(style)}'",
                "img-src data:",  # its own icon
                "base-uri 'none'",
                "form-action 'none'",
                "require-trusted-types-for 'script'",  # no text becomes markup, not even by mistake
                "trusted-types 'none'",
            ]
        )
        before, _, after = _asset("page.html").partition(_DATA + "\n")
        before = before.replace(_POLICY, f'<meta http-equiv="Content-Security-Policy" content="{policy}">')
        before = before.replace(_STYLE, f"<style>{style}</style>")
        return cls(before, after.replace(_SCRIPT, f"<script>{script}</script>"))

    def before(self, headline: str) -> str:
        """The page up to its data.

        :param headline: what is read in the window's title, and where scripts do not run.
        """
        text = escape(visible(headline))
        return self.template.replace(_TITLE, f"<title>{text} · traceview</title>").replace(_HEADLINE, text)


def _asset(name: str) -> str:
    return (resources.files(__package__) / "assets" / name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
