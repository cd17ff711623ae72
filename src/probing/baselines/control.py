"""The control task of a probing test: labels that only memory can give (Hewitt & Liang 2019)."""

from collections.abc import Hashable, Mapping
from dataclasses import replace

import numpy as np

from src.probing.suites.surface_forms import inputs
from src.probing.suites.tests import Examples, ProbingTest
from src.seeds import derived_seed
from src.splits import SPLITS


def control_test(test: ProbingTest, seed: int) -> ProbingTest:
    """Returns the test with other labels: each distinct input gets one at random, in whichever split it stands.

    The labels are drawn from those of train, each as often as train has it. An input is a word type: a form, or a
    token's form wherever it stands; for pairs and sentences it is the whole item. So a probe can do well only by
    remembering inputs that train has too; where the splits share no input (the type-level sets of LINSPECTOR), a
    control score is that of chance.

    Args:
        seed: the same test and seed give the same labels.
    """
    splits = {name: getattr(test, name) for name in SPLITS}
    distinct = sorted({known for split in splits.values() for known in inputs(split)})
    generator = np.random.default_rng(derived_seed(seed, "control", test.name))
    drawn = generator.choice(np.array(test.train.label_ids), size=len(distinct))
    labels = dict(zip(distinct, drawn.tolist(), strict=True))
    return replace(test, **{name: _relabelled(split, labels) for name, split in splits.items()})


def _relabelled(examples: Examples, labels: Mapping[Hashable, int]) -> Examples:
    return replace(examples, label_ids=tuple(labels[known] for known in inputs(examples)))
