"""What a run says when it starts: where its results will be, and how much there is to do."""

from collections.abc import Sequence
from pathlib import Path

from src.display.shown import say
from src.encoders.base.encoder import CountEncoder, Encoder
from src.probing.all_layers import layers_together
from src.probing.count_classifiers.count_classifier import CountClassifier
from src.probing.study import Study
from src.probing.suites.downstream_tasks import DownstreamTask
from src.probing.suites.minimal_sets import MinimalSuite
from src.probing.suites.region_tests import RegionSuite


def report_start(run: Path, is_resumed: bool, counts: dict[str, int]) -> None:
    """Prints the run directory and, on a line below, what is counted."""
    say(f"{'resuming' if is_resumed else 'starting'} {run}")
    print("  " + ", ".join(f"{name}: {count:,}" for name, count in counts.items()), flush=True)


def counts_of_study(study: Study, encoder: Encoder | CountEncoder, has_baselines: bool) -> dict[str, int]:
    """Counts tests, layers, seeds, probes and items (as often as the tests have them).

    Args:
        has_baselines: whether a random encoder and a control task are probed, too.
    """
    n_of_one_layer = sum(study.probe_of(test.name).n_probes for test in study.tests)
    if isinstance(encoder, CountEncoder):
        n_stages = 2 if has_baselines else 1
        kind = "classifiers" if isinstance(study.probe, CountClassifier) else "probes"
        counted = {"tests": len(study.tests), kind: n_stages * n_of_one_layer * len(study.seeds)}
    else:
        layers = list(layers_together(encoder.layers)) if study.probe.over_all_layers else encoder.layers
        n_layers = len(layers)
        # The random counterpart of a checkpoint has each layer once, whatever the epochs.
        n_of_baselines = n_layers + len({layer.name for layer in layers}) if has_baselines else 0
        n_probes = n_of_one_layer * len(study.seeds) * (n_layers + n_of_baselines)
        counted = {"tests": len(study.tests), "layers": n_layers, "seeds": len(study.seeds), "probes": n_probes}
    return {**counted, "items": sum(1 for _ in study.items())}


def counts_of_tasks(tasks: Sequence[DownstreamTask], n_layers: int, n_seeds: int) -> dict[str, int]:
    """Counts downstream tasks, layers, seeds, items and sentences."""
    items = [item for task in tasks for item in task.items]
    n_sentences = sum(len(item.sentences) for item in items)
    counted = {"tasks": len(tasks), "layers": n_layers, "seeds": n_seeds}
    return {**counted, "items": len(items), "sentences": n_sentences}


def counts_of_suite(suite: MinimalSuite | RegionSuite, n_models: int) -> dict[str, int]:
    """Counts constructions, sets, those of them with identical sentences, if any, sentences and models."""
    of_sets = suite.constructions if isinstance(suite, MinimalSuite) else ()
    n_identical = sum(len(one.identical) for one in of_sets)
    return {
        "constructions": len(suite.constructions),
        "sets": sum(one.n_sets for one in suite.constructions),
        **({"of them with identical sentences": n_identical} if n_identical else {}),
        "sentences": sum(one.n_sentences for one in suite.constructions),
        "models": n_models,
    }
