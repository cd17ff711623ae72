"""The Finnish type-level tests on 300-dimensional vectors, or made-up tests of the same sizes."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from polyprobe.encoders.base.encoder import Encoder
from polyprobe.formats.reading.malformed import refuse
from polyprobe.items import Item
from polyprobe.named import built
from polyprobe.probing.bank.jobs import ProbeData
from polyprobe.probing.suites.availability import available_tests
from polyprobe.probing.suites.tests import ProbingTest, load_test
from polyprobe.runs.command.own_choices import search_own_folder
from polyprobe.runs.command.script import CONF

WIDTH = 300
SIZES = {"train": 7000, "dev": 2000, "test": 1000}
# Test: labels, parts. As counted in the published files.
SHAPES = {
    "Case": (14, 1),
    "CharacterBin": (6, 1),
    "CharacterCount": (28, 1),
    "Mood": (5, 1),
    "Number": (3, 1),
    "OddFeat": (7, 2),
    "POS": (4, 1),
    "Person": (7, 1),
    "SameFeat": (6, 2),
    "TagCount": (4, 1),
    "Tense": (3, 1),
    "Voice": (3, 1),
}


def finnish_tests() -> tuple[str, dict[str, ProbeData]]:
    """Returns a sentence about the data, and the tests by name."""
    folder = os.environ.get("POLYPROBE_DATA")
    if folder is None:
        return "Made-up tests of the sizes of the Finnish ones (POLYPROBE_DATA is not set).", dict(_made_up())
    return "The Finnish type-level tests; vectors: hashed character n-grams, width 300.", dict(_published(Path(folder)))


def composed(*overrides: str) -> dict[str, Any]:
    """Composes conf/probe.yaml, as plain values."""
    search_own_folder()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return OmegaConf.to_container(compose("probe", list(overrides)), resolve=True)


def _published(root: Path) -> Iterator[tuple[str, ProbeData]]:
    config = composed("lang=fi", "suite=linspector_type", "encoder=char_ngrams")
    suite, encoder = (built(config[group], group) for group in ("suite", "encoder"))
    language = config["lang"]
    assert encoder.layers[0].width == WIDTH
    for status in available_tests(suite, language, root):
        test = load_test(suite, language, status.name, root, None, refuse)
        yield test.name, _with_vectors(test, encoder)


def _with_vectors(test: ProbingTest, encoder: Encoder) -> ProbeData:
    splits = {"train": test.train, "dev": test.dev, "test": test.test}
    row_of: dict[Item, int] = {}
    tensors = {}
    for name, split in splits.items():
        rows = [[row_of.setdefault(item, len(row_of)) for item in items] for items in split.items]
        tensors |= {f"{name}_rows": torch.tensor(rows), f"{name}_labels": torch.tensor(split.label_ids)}
    vectors = np.concatenate([block for (block,) in encoder.encode(list(row_of))])
    return ProbeData(torch.from_numpy(vectors), **tensors, n_labels=len(test.labels))


def _made_up() -> Iterator[tuple[str, ProbeData]]:
    """Draws vectors, and labels by a noisy random teacher."""
    for number, (name, (n_labels, parts)) in enumerate(SHAPES.items()):
        generator = torch.Generator().manual_seed(number)
        n_examples = sum(SIZES.values())
        vectors = torch.randn(n_examples, WIDTH, generator=generator)
        rows = torch.stack([torch.randperm(n_examples, generator=generator) for _ in range(parts)], 1)
        teacher = torch.randn(WIDTH * parts, n_labels, generator=generator) / WIDTH**0.5
        noise = 0.5 * torch.randn(n_examples, n_labels, generator=generator)
        labels = (torch.tanh(vectors[rows].flatten(1) @ teacher) + noise).argmax(1)
        sizes = list(SIZES.values())
        yield name, ProbeData(vectors, *rows.split(sizes), *labels.split(sizes), n_labels)
