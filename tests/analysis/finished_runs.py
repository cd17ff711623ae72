"""Runs that are finished as the commands finish them, with digests of their files in run.json."""

from pathlib import Path

from polyprobe.runs.array_records import SetScores
from polyprobe.runs.directory import RunDirectory
from tests.analysis.handmade import PROBING, TRAINING, predictions, probing, probing_run, training_run


def finished(folder: Path, rows, config: str = "seed: 1\n", *tests, scores: SetScores | None = None, **notes):
    """Makes a finished run of rows, of predictions for tests, and of scores of sets."""
    run = RunDirectory(folder)
    run.open(config)
    run.begin({"train.txt": "digest"})
    for one in tests:
        one.write(run.predictions)
    if scores is not None:
        scores.write(run.set_scores)
    run.finish(rows, notes)
    run.close()
    return run


def training(work: Path) -> RunDirectory:
    """A training run, with metrics.csv."""
    folder = work / "runs" / "train" / TRAINING
    folder.mkdir(parents=True)
    (folder / "metrics.csv").write_text("epoch,dev/role_f1\n0,0.01\n1,0.64\n2,0.6\n")
    return finished(folder, training_run(), "monitor: dev/role_f1\nencoder: {}\n", best_epoch=1)


def probed(work: Path, name: str = PROBING) -> RunDirectory:
    """A probing run over epochs, without predictions."""
    return finished(work / "runs" / "probe" / name, probing_run(), "encoder: {}\n")


def predicted(work: Path, name: str, right: list[list[int]]) -> RunDirectory:
    """A probing run of one layer with predictions for the test Case."""
    test = predictions("Case", {"0": right})
    row = probing("Case", float(test.correct("0").mean()), layer="0", n=len(test.gold))
    return finished(work / "runs" / "probe" / name, [row], "probe: {}\n", test)
