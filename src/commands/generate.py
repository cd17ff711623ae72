"""Makes minimal sets and probing tests: python generate.py suite=clams lang=de (see --help)."""

from collections.abc import Collection
from pathlib import Path

from polyprobe.analysis.reports.finished_sweep import report_sweep
from polyprobe.runs.command.script import command


def check(config: dict, typed: list[str]) -> None:
    from polyprobe.generation.door import check_effect

    check_effect(config, typed)


@command("generate", report_sweep, check)
def main(config: dict) -> None:
    from polyprobe.analysis.output.tables import show
    from polyprobe.analysis.reports.generated import published_beside, report_made
    from polyprobe.generation.door import generate_settings
    from polyprobe.generation.suites import study_of
    from polyprobe.resources.pace import limit_downloads
    from polyprobe.runs.study import done

    def words(run: Path) -> Collection[str]:
        from polyprobe.predictors.word_level.trained_run import (
            words_of_run,
        )  # torch is slow to import, and few ask for it

        return words_of_run(run, "check_vocabulary")

    limit_downloads(config["download"])
    settings = generate_settings(config)
    published = published_beside(settings)  # checked first
    show(report_made(done(study_of(settings, words)), settings, published))


if __name__ == "__main__":
    main()
