"""Trains a model: python train.py task=srl lang=fi (see --help)."""

from src.runs.command import command


@command("train")
def main(config: dict) -> None:
    from hydra.utils import get_method

    from src.analysis.report import report_run

    if config["predict"] is not None:
        get_method("src.training.predict.predict")(config)
        return
    run = get_method(config["trained_by"])(config)
    if run is not None:
        report_run(run.path, config.get("expected"))


if __name__ == "__main__":
    main()
