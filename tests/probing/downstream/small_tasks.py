"""Small files of downstream tasks, laid out as SentEval's, with sentences that a word or two give away."""

import random
from pathlib import Path

import yaml

from polyprobe.named import built
from polyprobe.probing.suites.downstream_tasks import DownstreamSuite
from tests.commands.scripts import ROOT

CONF = ROOT / "conf/suite/senteval_downstream.yaml"
GOOD, BAD = ("good", "fine", "warm"), ("poor", "dull", "cold")
QUICK = [
    *(
        "suite.folds=3",
        "suite.inner_folds=2",
        "suite.classifier.max_epochs=24",
        "suite.classifier.learning_rate=0.05",
        "suite.classifier.weight_decay=[1e-4,1e-2]",
    ),
    *("suite.regression.max_epochs=20", "suite.regression.epochs_per_evaluation=10", "trainer.threads=1"),
]
NOUNS = ("film", "plot", "song", "cast", "tale", "scene")


def suite(**changes) -> DownstreamSuite:
    return built({**yaml.safe_load(CONF.read_text(encoding="utf-8")), **changes}, "suite")


def write(path: Path, lines, encoding="utf-8", end="\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}{end}" for line in lines).encode(encoding))


def sentences(words, n, seed=0):
    """Different sentences, each with one of the words."""
    draw = random.Random(seed)
    return [f"the {draw.choice(NOUNS)} number {seed}{number} is {draw.choice(words)}" for number in range(n)]


def write_reviews(root: Path, n: int = 30) -> None:
    """Writes MR, with a byte of cp1252, and CR, with two blank lines."""
    folder = root / "senteval/downstream"
    good, bad = sentences(GOOD, n, 1), sentences(BAD, n, 2)
    write(folder / "MR/rt-polarity.pos", [*good[:-1], "a good café …"], "cp1252")
    write(folder / "MR/rt-polarity.neg", bad, "cp1252")
    write(folder / "CR/custrev.pos", [*good, ""])
    write(folder / "CR/custrev.neg", ["", *bad])


def write_similarities(root: Path, n: int = 24) -> None:
    """Writes STS14's six sets; pairs of equal sentences have 5, pairs without a common noun 0."""
    for name in suite().tasks["STS14"].files:
        lines = []
        for number, sentence in enumerate(sentences(GOOD, n, number_of(name))):
            other = sentence if number % 2 else "nothing alike here"
            lines.append(f"{5 if number % 2 else number % 5 / 10}\t{sentence}\t{other}")
        write(root / f"senteval/downstream/STS/2014/{name}.test.tsv", [*lines, "\tnever\tscored"])


def number_of(name: str) -> int:
    return sum(map(ord, name))


def write_benchmark(root: Path, n: int = 40) -> None:
    """Writes STS Benchmark with scores from 0 to 5, by how many words of five a pair shares."""
    for place, part in enumerate(("train", "dev", "test")):
        draw = random.Random(place)
        lines = []
        for number in range(n):
            shared = draw.sample(NOUNS, number % 6 if number % 6 < 6 else 5)
            left, right = ([*shared, *(f"{side}{number}" for _ in range(6 - len(shared)))] for side in "lr")
            lines.append(f"main\tf\t2017\t{number}\t{len(shared)}.0\t{' '.join(left)}\t{' '.join(right)}")
        write(root / f"senteval/downstream/STSBenchmark/sts-{part}.csv", lines)


def write_questions(root: Path) -> None:
    """Writes TREC: two words give the label away, and quotation marks stand in the way."""
    words = {"NUM": "many", "LOC": "where", "HUM": "who", "ABBR": "stand", "DESC": "why", "ENTY": "what"}
    folder = root / "senteval/downstream/TREC"
    for name, n in (("train_5500", 12), ("TREC_10", 3)):
        lines = [f"{label}:x `` {word} '' is it {name}{i}" for label, word in words.items() for i in range(n)]
        write(folder / f"{name}.label", lines, "cp1252")
