"""Makes minimal sets from grammars: python generate.py suite=clams lang=de (see --help)."""

from src.runs.command.signals import end_clearly

end_clearly()  # before what takes time to import

from collections.abc import Collection  # noqa: E402
from pathlib import Path  # noqa: E402

from src.analysis.reports.finished_sweep import report_sweep  # noqa: E402
from src.runs.command.script import command  # noqa: E402


@command("generate", report_sweep)
def main(config: dict) -> None:
    from src.analysis.reports.generated_sets import report_generated
    from src.generation.grammars.evaluation_sets import generate
    from src.resources.data_root import data_root
    from src.resources.pace import limit_downloads
    from src.runs.workspace import Workspace

    limit_downloads(config["download"])
    report_generated(generate(config, lambda: data_root(config["lang"], Workspace.of(config["paths"])), _words_of_run))


def _words_of_run(run: Path) -> Collection[str]:
    from src.predictors.word_level.trained_run import words_of_run  # torch is slow to import, and few ask for it

    return words_of_run(run, "check_vocabulary")


if __name__ == "__main__":
    main()
