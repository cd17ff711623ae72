"""Sentence encoders of each objective, small enough to be trained inside a test process within a second or two."""

import random
from pathlib import Path
from typing import Any

from polyprobe.training.run import train_sentence_encoder
from tests.training.five_tasks import composed

OBJECTIVES = ("autoencoder", "nmt", "seq2tree", "skipthought", "nli")
SIZES = {"train": 24, "dev": 10, "test": 6}
NOUNS, VERBS = ("kedi", "köpek", "adam", "çocuk"), ("gördü", "sevdi", "aldı")
WRITERS = ("model.head.hidden_size=8", "model.head.unit_size=6", "model.head.n_layers=1", "model.objective.longest=12")
MERGES = ("task.datamodule.merges=20",)
SMALL = {
    "autoencoder": (*WRITERS, *MERGES),
    "nmt": (*WRITERS, *MERGES),
    "seq2tree": WRITERS,
    "skipthought": (*WRITERS, *MERGES),
    "nli": ("model.head.hidden_size=8",),
}


def settings(objective: str, work: Path, *more: str) -> list[str]:
    """Returns the command line of a small run; its files are made where they are missing."""
    data = make_files(work / "data")
    model = ["model.encoder.hidden_size=6", "model.encoder.n_layers=1", "encoder.word_size=8", *SMALL[objective]]
    where = ["lang.generator=null", f"paths.data={data}", f"paths.work={work}"]
    start = ["task=sentence", f"objective={objective}", "lang=mini", "seed=4", "trainer.threads=1"]
    return [*start, *model, *where, "trainer.max_epochs=3", "trainer.early_stopping=null", *more]


def trained(objective: str, work: Path, *more: str) -> Path:
    """Trains in this process, and returns the folder of the run."""
    return train_sentence_encoder(configured(objective, work, *more)).path


def configured(objective: str, work: Path, *more: str) -> dict[str, Any]:
    """Returns what train.py gets of the command line of a small run."""
    return composed(*settings(objective, work, *more))


def make_files(folder: Path) -> Path:
    """Makes sentences of three words with their translations, trees, order and relations; returns the data folder."""
    generator = random.Random(3)
    for split, n in SIZES.items():
        sentences = [(generator.choice(NOUNS), generator.choice(NOUNS), generator.choice(VERBS)) for _ in range(n)]
        _write(folder / f"parallel/mini/{split}.mini", [" ".join(one) for one in sentences])
        _write(folder / f"parallel/mini/{split}.ana", [f"na {one[0]} {one[2]} {one[1]}" for one in sentences])
        _write(folder / f"trees/mini/{split}.tsv", [f"d\t{_tree(*one)}" for one in sentences])
        _write(folder / f"ordered/mini/{split}/stories.txt", [*(" ".join(one) for one in sentences), ""])
        pairs = zip(sentences, sentences[1:] + sentences[:1], strict=True)
        rows = [f"{' '.join(one)}\t{' '.join(other)}\t{_label(one, other)}" for one, other in pairs]
        _write(folder / f"nli/mini/{split}.tsv", ["premise\thypothesis\tlabel", *rows])
    return folder


def _tree(subject: str, thing: str, verb: str) -> str:
    return f"(S (NP (N {subject})) (VP (NP (N {thing})) (V {verb})))"


def _label(one: tuple[str, ...], other: tuple[str, ...]) -> str:
    if one[2] != other[2]:
        return "contradiction"
    return "entailment" if one[0] == other[0] else "neutral"


def _write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
