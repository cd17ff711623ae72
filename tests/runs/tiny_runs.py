"""Runs of every kind, as small as they can be and made as users make them, with the cache that they leave."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyprobe.probing.door import probe_settings
from polyprobe.probing.minimal_sets.settings import MinimalSetSettings
from polyprobe.probing.settings import ProbingSettings
from polyprobe.runs.directory import RunDirectory
from polyprobe.training.run import train
from tests.commands.scripts import on_small_data, small_training
from tests.predictors.saved_run import write_run
from tests.probed import probe, score_minimal_sets
from tests.runs.composed import composed

SETS = "True\tthe dogs bark\nFalse\tthe dogs barks\nTrue\tthe dog barks\nFalse\tthe dog bark\n"


@dataclass(frozen=True)
class TinyRuns:
    """A work folder with runs, and the configurations that made them.

    Attributes:
        work: the folder.
        trained: a tagger after one epoch.
        probed, probed_again: probes of it at epochs 0 and 1, with two seeds.
        scored, scored_too: two epochs of a language model, scored on the user's own minimal sets.
        configs: by the name of the attribute.
    """

    work: Path
    trained: RunDirectory
    probed: RunDirectory
    probed_again: RunDirectory
    scored: RunDirectory
    scored_too: RunDirectory
    configs: dict[str, dict[str, Any]]


def tiny_runs(data: Path, work: Path) -> TinyRuns:
    """Makes the runs below a work folder; a few seconds."""
    configs = {"trained": composed("train", *small_training(data, work, "trainer.max_epochs=1", task="pos"))}
    trained = train(configs["trained"])
    common = ["encoder=checkpoint", f"encoder.run={trained.path}", "tests=[Case]", "seeds=1", "trainer.threads=1"]
    sets = work / "dogs.txt"
    sets.write_text(SETS, encoding="utf-8")
    language_model = write_run(work / "runs" / "train", epochs=(1, 2))
    own = ["suite=own", f"suite.path={sets}", "suite.format=clams", "lang=en", "trainer.threads=1"]
    own += ["predictor=lstm", f"predictor.run={language_model}", "predictor.device=cpu", f"paths.work={work}"]
    for name, seed in (("probed", 1), ("probed_again", 2)):
        configs[name] = composed("probe", *on_small_data(data, work), *common, f"seed={seed}")
    for name, epoch in (("scored", 1), ("scored_too", 2)):
        configs[name] = composed("probe", *own, f"predictor.epoch={epoch}")
    runs = {name: probe(ProbingSettings.of(probe_settings(configs[name]))) for name in ("probed", "probed_again")}
    for name in ("scored", "scored_too"):
        runs[name] = score_minimal_sets(MinimalSetSettings.of(probe_settings(configs[name])))
    return TinyRuns(work, trained, **runs, configs=configs)
