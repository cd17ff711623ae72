"""Asks an encoder what it knows: python probe.py lang=fi encoder=checkpoint encoder.run=… (see --help).

Or scores it on downstream tasks: python probe.py suite=senteval_downstream lang=en encoder=…
Or scores a language model on minimal sets: python probe.py suite=clams lang=fr predictor=lstm predictor.run=…
"""

from src.runs.command.signals import end_clearly

end_clearly()  # before what takes time to import

from pathlib import Path  # noqa: E402

from src.analysis.reports.finished_sweep import report_sweep  # noqa: E402
from src.runs.command.script import command  # noqa: E402
from src.runs.directory import RunDirectory  # noqa: E402


def check(config: dict, typed: list[str]) -> None:
    from src.probing.effect import check_effect

    check_effect(config, typed)


@command("probe", report_sweep, check)
def main(config: dict) -> Path | None:
    from src.probing.suites.chosen import has_downstream_tasks, has_minimal_sets
    from src.resources.pace import limit_downloads

    limit_downloads(config["download"])
    has_sets, has_tasks = has_minimal_sets(config["suite"]), has_downstream_tasks(config["suite"])
    if config["list"]:
        from src.display.terminal import Terminal
        from src.probing.listed import listed

        for one in listed(config):
            Terminal().print(one)
        return None
    from src.analysis.pictures.percent_axes import checked_extent
    from src.analysis.reports.finished_run import report_run
    from src.runs.machine import check_machine

    check_machine(config["trainer"])
    axis = checked_extent(config["pictures"]["axis"])
    # A predictor chosen for tests to train probes on is refused as the settings of minimal sets are read.
    is_of_predictor = has_sets or config.get("predictor") is not None
    run = scored(config) if is_of_predictor else fitted(config) if has_tasks else probed(config)
    report_run(run.path, config.get("expected"), axis)
    if config["logger"]["wandb"] is not None:
        from src.analysis.reports.wandb_dashboard import log_probing_run

        log_probing_run(run, config)
    return run.path


def probed(config: dict) -> RunDirectory:
    from src.encoders.before_torch import check_encoder
    from src.probing.settings import ProbingSettings

    check_encoder(config["encoder"])  # and what follows: refused before torch is imported
    settings = ProbingSettings.of(config)
    from src.probing.run import probe

    return probe(config, settings)


def fitted(config: dict) -> RunDirectory:
    from src.encoders.before_torch import check_encoder
    from src.probing.downstream.settings import DownstreamSettings

    check_encoder(config["encoder"])  # and what follows: refused before torch is imported
    settings = DownstreamSettings.of(config)
    from src.probing.downstream.run import score_downstream_tasks

    return score_downstream_tasks(config, settings)


def scored(config: dict) -> RunDirectory:
    from src.encoders.before_torch import check_predictor
    from src.probing.minimal_sets.settings import MinimalSetSettings

    settings = MinimalSetSettings.of(config)  # a wrong one is refused before torch is imported
    for one in settings.predictors:
        check_predictor(one)
    from src.probing.minimal_sets.run import score_minimal_sets

    return score_minimal_sets(config, settings)


if __name__ == "__main__":
    main()
