"""Makes minimal sets and probing tests: python generate.py suite=clams lang=de (see --help)."""

from src.runs.command.signals import end_clearly

end_clearly()  # before what takes time to import

from collections.abc import Collection  # noqa: E402
from pathlib import Path  # noqa: E402

from src.analysis.reports.finished_sweep import report_sweep  # noqa: E402
from src.runs.command.script import command  # noqa: E402


def check(config: dict, typed: list[str]) -> None:
    from src.generation.effect import check_effect

    check_effect(config, typed)


@command("generate", report_sweep, check)
def main(config: dict) -> None:
    from src.analysis.published.scoreboard import report_published
    from src.analysis.reports.generated import TEXT, report_generated, report_generated_tests, report_generated_text
    from src.analysis.tables.made_sets import PublishedSets
    from src.generation.grammars.evaluation_sets import generate
    from src.generation.suites import MAKERS
    from src.generation.tests_run import check_choices, make_tests
    from src.resources.pace import limit_downloads

    limit_downloads(config["download"])
    making = MAKERS.get(config["choices"]["suite"])
    if making is not None:
        check_choices(config)
        expected = config.get("expected")
        published = PublishedSets.of_language(expected, config["lang"]["code"]) if expected else None  # checked first
        made = make_tests(config, making(config, lambda: _root(config)))
        if config["suite"]["format"] == TEXT:
            report_generated_text(made)
        else:
            report_generated_tests(made, published)
            report_published([made.path])
    else:
        report_generated(generate(config, lambda: _root(config), _words_of_run))


def _root(config: dict) -> Path:
    from src.resources.data_root import data_root
    from src.runs.workspace import Workspace

    return data_root(config["lang"], Workspace.of(config["paths"]))


def _words_of_run(run: Path) -> Collection[str]:
    from src.predictors.word_level.trained_run import words_of_run  # torch is slow to import, and few ask for it

    return words_of_run(run, "check_vocabulary")


if __name__ == "__main__":
    main()
