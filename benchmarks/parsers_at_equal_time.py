"""The default biaffine parser against the one that LINSPECTOR ran, at equal processor time.

All parsers stand in one process; always that which has used the least time trains its next epoch and is scored on dev,
both on its clock. At each mark a parser that has come so far is scored on dev and test (off the clock) with the weights
of its best epoch. Words (with character n-grams) are learned and gold tags read, by all alike:

    ours            conf/model/biaffine_parser.yaml, batches of 32 sentences cut once, best epoch by LAS of all words
    allennlp        conf/model/biaffine_parser_allennlp.yaml, batches of 128 drawn anew with noise 0.1, best epoch by
                    LAS without PUNCT and SYM: as released
    allennlp_32     the same with batches of 32

Run: POLYPROBE_DATA=data python -m benchmarks.parsers_at_equal_time --treebank ud/tr_imst --seed 1 --minutes 1 2 5 10
"""

import argparse
import copy
import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import yaml

from benchmarks.parser import CONF, READER, learn
from polyprobe.datamodules.base.word_inputs import LearnedInputs
from polyprobe.datamodules.corpora.corpus_files import InMemory
from polyprobe.datamodules.dependencies import DependenciesDataModule
from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.treebanks.dependencies import dependency_sentences
from polyprobe.metrics.official.attachment import Attachment
from polyprobe.models.base.checkpoint_file import build_model

SPLITS = ("train", "dev", "test")
METRICS = ("las", "las_without_punctuation")


@dataclass(frozen=True, slots=True)
class Arm:
    """A parser and how it is trained."""

    model: str
    batch_sentences: int
    padding_noise: float
    monitor: str


ARMS = {
    "ours": Arm("biaffine_parser", 32, 0.0, "las"),
    "allennlp": Arm("biaffine_parser_allennlp", 128, 0.1, "las_without_punctuation"),
    "allennlp_32": Arm("biaffine_parser_allennlp", 32, 0.1, "las_without_punctuation"),
}


@dataclass
class Runner:
    """A parser in training, its clock and its best epoch."""

    name: str
    data: DependenciesDataModule
    model: Any
    minutes_due: list[float]
    seconds: float = 0.0
    epoch: int = 0
    best: float = -1.0
    best_epoch: int = 0
    best_weights: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self):
        self.optimizer = self.model.configure_optimizers()
        self.loader = self.data.train_dataloader()

    def advance(self, seed: int) -> float:
        """Trains an epoch and scores dev, both on the clock; returns what the best epoch is known by."""
        torch.manual_seed(1000 * seed + self.epoch)
        start = time.process_time()
        learn(self.model, self.loader, self.optimizer)
        score = self.dev_score()
        self.seconds += time.process_time() - start
        self.epoch += 1
        self.loader.batch_sampler.sampler.set_epoch(self.epoch)
        if score > self.best:
            self.best, self.best_epoch = score, self.epoch
            self.best_weights = copy.deepcopy(self.model.state_dict())
        return score

    @torch.no_grad()
    def dev_score(self) -> float:
        """Returns the score on dev by which the best epoch is known."""
        self.model.eval()
        metric = Attachment()
        for batch in self.data.val_dataloader():
            self.model.count(metric, batch)
        return metric.compute()[ARMS[self.name].monitor]

    def rows(self) -> list[dict[str, Any]]:
        """Returns the scores of the best epoch so far, with their intervals."""
        now = copy.deepcopy(self.model.state_dict())
        self.model.load_state_dict(self.best_weights)
        found = []
        for split in ("dev", "test"):
            for score in self.model.scores(getattr(self.data, split)):
                if score.metric in METRICS and not score.part:
                    low, high = score.interval_low, score.interval_high
                    values = {"value": score.value, "n": score.n, "low": low, "high": high}
                    found.append({"split": split, "metric": score.metric, **values})
        self.model.load_state_dict(now)
        return found


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    runners = [_runner(name, arguments) for name in arguments.arms]
    while waiting := [one for one in runners if one.minutes_due]:
        one = min(waiting, key=lambda runner: runner.seconds)
        score = one.advance(arguments.seed)
        at = {"treebank": arguments.treebank, "seed": arguments.seed, "parser": one.name, "epoch": one.epoch}
        print(json.dumps({**at, "seconds": round(one.seconds, 1), ARMS[one.name].monitor: round(score, 4)}), flush=True)
        while one.minutes_due and one.seconds >= 60 * one.minutes_due[0]:
            mark = {"minutes": one.minutes_due.pop(0), "best_epoch": one.best_epoch}
            for row in one.rows():
                print(json.dumps({**at, **mark, **row}), flush=True)


def _runner(name: str, arguments: argparse.Namespace) -> Runner:
    arm, folder = ARMS[name], Path(os.environ["POLYPROBE_DATA"]) / arguments.treebank
    sentences = (list(dependency_sentences(folder / f"{split}.conllu", refuse)) for split in SPLITS)
    data = DependenciesDataModule(
        InMemory.of(*sentences),
        LearnedInputs(**READER),
        seed=arguments.seed,
        upos="gold",
        batch_sentences=arm.batch_sentences,
        evaluation_sentences=128,
        padding_noise=arm.padding_noise,
    )
    data.setup()
    settings = yaml.safe_load((CONF / f"model/{arm.model}.yaml").read_text(encoding="utf-8"))
    model = build_model({**settings, "seed": arguments.seed}, data.model_inputs())
    return Runner(name, data, model, sorted(arguments.minutes))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebank", default="ud/tr_imst", help="folder with train, dev and test .conllu")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, nargs="+", default=[1, 2, 5, 10], help="marks, of processor time each")
    parser.add_argument("--arms", nargs="+", choices=list(ARMS), default=list(ARMS))
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
