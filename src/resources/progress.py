"""A progress bar that appears only where one waits for more than two seconds."""

import time
from types import TracebackType

_PATIENCE_SECONDS = 2.0


class LateProgress:
    """Counts bytes; shows them as a bar once two seconds have passed.

    Args:
        name: what is on its way.
        total: bytes in all; None where unknown.
        done: bytes that were there before.
    """

    def __init__(self, name: str, total: int | None, done: int):
        self.name, self.total, self.done = name, total, done
        self.began = time.monotonic()
        self.bar = None

    def __enter__(self) -> "LateProgress":
        return self

    def advance(self, n_bytes: int) -> None:
        """Says that more bytes have come."""
        self.done += n_bytes
        if self.bar is None and time.monotonic() - self.began > _PATIENCE_SECONDS:
            self._show()
        if self.bar is not None:
            self.bar.update(self.task, completed=self.done)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

        from src.display.terminal import in_a_bar

        columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn()
        self.bar = Progress(*columns, console=Console(stderr=True))
        self.task = self.bar.add_task(in_a_bar(self.name), total=self.total)
        self.bar.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bar is not None:
            self.bar.stop()
