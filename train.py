"""Trains a model: python train.py task=srl lang=fi (see --help)."""

from src.runs.command import command


@command("train")
def main(config: dict) -> None:
    from src.analysis.report import report_run
    from src.training.run import train

    run = train(config)
    if run is not None:
        report_run(run.path, config.get("expected"))


if __name__ == "__main__":
    main()
