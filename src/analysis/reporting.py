"""What a command does with its finished run: the report, its page, its dashboard."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyprobe.analysis.output.tables import Printable
from polyprobe.runs.directory import RunDirectory

if TYPE_CHECKING:
    from polyprobe.training.settings import LoggerSettings


@dataclass(frozen=True, slots=True)
class Reporting:
    """Where and how a command reports its run."""

    page_in: Path | None
    """The work folder of a run that gets its page; None for no page."""
    logger: "LoggerSettings | None"
    config: Mapping[str, Any]


def reported(run: RunDirectory, reporting: Reporting) -> Iterator[Printable]:
    """Reports a run on the terminal, in its folder, as a page, on a dashboard."""
    from polyprobe.analysis.reports.finished_run import report_run  # what every kind of results needs

    yield from report_run(run.path)
    if reporting.page_in is not None:
        from polyprobe.analysis.reports.run_pages import write_reports  # jinja2

        yield from write_reports(reporting.page_in, [str(run.path)])
    if reporting.logger is not None:
        from polyprobe.analysis.dashboard import log_run  # wandb

        log_run(run, reporting.logger, reporting.config)
