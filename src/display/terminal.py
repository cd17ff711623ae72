"""What is printed: plain text, without markup, in which nothing steers the terminal."""

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from polyprobe.display.shown import leave_unread, shown, shown_lines


class Terminal(Console):
    """A console that takes strings as they are: brackets are brackets, and what would steer is shown escaped."""

    def __init__(self, **settings: Any):
        super().__init__(markup=False, highlight=False, emoji=False, **settings)

    def on_broken_pipe(self) -> None:
        leave_unread()  # rich would end the process, and with it what is yet to be written to files

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(shown_lines(text), **{**options, "markup": False, "emoji": False})


def in_a_bar(name: str) -> str:
    """Writes a name for a progress bar, which would take brackets for markup."""
    return escape(shown(name))
