"""The biaffine parser against SuPar's (1.1.4): epochs and passes over dev in turns, CPU seconds, medians.

Both have the sizes, dropout and clipping of conf/model/biaffine_parser.yaml, read words and gold tags, and train on
batches of like length with as many words on average; SuPar keeps its own buckets, rates and evaluation batches. Both
loops are bare: coded sentences are joined to batches, losses are brought down, trees are found and compared, nothing
else. LAS is that of whole relations, punctuation included. Ours also reads character n-grams; SuPar's letters, which a
bi-LSTM reads, are off.

Run: POLYPROBE_DATA=data python -m benchmarks.parser --supar PYTHON   (that of an environment with supar==1.1.4, torch)
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from operator import eq
from pathlib import Path

import torch
import yaml
from torch.optim import Optimizer
from torch.utils.data import DataLoader

from polyprobe.datamodules.base.word_inputs import LearnedInputs
from polyprobe.datamodules.dependencies import DependenciesDataModule
from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.treebanks.dependencies import dependency_sentences
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.models.base.task_model import TaskModel
from tests.models.in_memory import InMemory

CONF = Path(__file__).resolve().parents[1] / "conf"
MODEL = yaml.safe_load((CONF / "model/biaffine_parser.yaml").read_text(encoding="utf-8"))
READER = {"word_size": 100, "least_word_count": 2, "ngram_lengths": [2, 5], "least_ngram_words": 3}


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    folder = Path(os.environ["POLYPROBE_DATA"]) / arguments.treebank
    files = {split: folder / f"{split}.conllu" for split in ("train", "dev")}
    ours = Ours(files, arguments.batch_sentences)
    with tempfile.TemporaryDirectory() as own, Supar(arguments, files, ours, own) as theirs:
        print(f"{arguments.treebank}: {ours.n_words:,} words, {len(ours.data.train):,} sentences of train, ", end="")
        print(f"{len(ours.data.dev):,} of dev; batches {ours.n_batches}, SuPar's {theirs.n_batches}")
        rows = [_round(epoch, ours, theirs) for epoch in range(1, arguments.epochs + 1)]
    for name, n_sentences in (("train", len(ours.data.train)), ("parse", len(ours.data.dev))):
        own, other = (statistics.median(row[who][name] for row in rows) for who in ("ours", "SuPar"))
        rates = f"ours {n_sentences / own:6.0f} sentences a second, SuPar {n_sentences / other:6.0f}"
        print(f"{name}  {rates}   {other / own:.2f} times")


def _round(epoch: int, ours: "Ours", theirs: "Supar") -> dict[str, dict[str, float]]:
    """Lets both train an epoch and parse dev, in turns; prints and gives their seconds and scores."""
    row: dict[str, dict[str, float]] = {"ours": {}, "SuPar": {}}
    for order in ("train", "parse"):
        for name, one in (("ours", ours), ("SuPar", theirs)):
            answer = one.obey(order)
            row[name] |= {**answer, order: answer["seconds"]}
    told = (f"{name} {one['train']:6.1f} s, {one['parse']:5.2f} s, LAS {one['las']:.2%}" for name, one in row.items())
    print(f"epoch {epoch}:  " + "   ".join(told), flush=True)
    return row


def learn(model: TaskModel, loader: DataLoader, optimizer: Optimizer) -> None:
    """Trains an epoch."""
    model.train()
    for batch in loader:
        optimizer.zero_grad()
        model.loss(batch).backward()
        model.configure_gradient_clipping(optimizer)
        optimizer.step()


class Ours:
    """Our parser, its optimiser and its data."""

    def __init__(self, files: dict[str, Path], batch_sentences: int):
        settings = yaml.safe_load((CONF / "task/dep.yaml").read_text(encoding="utf-8"))["task"]["datamodule"]
        del settings["_target_"]
        settings |= {"batch_sentences": batch_sentences, "inputs": LearnedInputs(**READER)}
        train, dev = (list(dependency_sentences(files[split], refuse)) for split in ("train", "dev"))
        self.data = DependenciesDataModule(InMemory.of(train, dev), seed=1, **settings)
        self.data.setup()
        self.model = build_model({**MODEL, "seed": 1}, self.data.model_inputs())
        self.optimizer = self.model.configure_optimizers()
        self.loader = self.data.train_dataloader()
        self.n_batches, self.n_words = len(self.loader), sum(len(one.words) for one in train)
        torch.manual_seed(1)

    def obey(self, order: str) -> dict[str, float]:
        orders: dict[str, Callable[[], dict[str, float]]] = {"train": self.train, "parse": self.parse}
        start = time.process_time()
        answer = orders[order]()
        return {"seconds": time.process_time() - start, **answer}

    def train(self) -> dict[str, float]:
        learn(self.model, self.loader, self.optimizer)
        order = self.loader.batch_sampler.sampler
        order.set_epoch(order.epoch + 1)
        return {}

    @torch.no_grad()
    def parse(self) -> dict[str, float]:
        self.model.eval()
        right = total = 0
        for batch in self.data.val_dataloader():
            for gold, (heads, relations) in zip(batch.sentences, self.model.decode(batch), strict=True):
                found, expected = zip(heads, relations, strict=True), zip(gold.heads, gold.relations, strict=True)
                right += sum(map(eq, found, expected))
                total += len(heads)
        return {"las": right / total}


class Supar:
    """SuPar's parser in a process of its own."""

    def __init__(self, arguments: argparse.Namespace, files: dict[str, Path], ours: Ours, folder: str):
        n_words = ours.n_words + len(ours.data.train)  # SuPar counts the root of each sentence
        settings = {
            **{split: str(path) for split, path in files.items()},
            "threads": arguments.threads,
            "path": f"{folder}/model",
            "batch_words": n_words // ours.n_batches,
            "clip_norm": MODEL["clip_norm"],
            "model": _model_of_supar(),
        }
        script = str(Path(__file__).with_name("supar_parser.py"))
        command = [arguments.supar, "-W", "ignore", script, json.dumps(settings)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def __enter__(self) -> "Supar":
        self.n_batches = self._answer()["batches"]
        return self

    def __exit__(self, *_) -> None:
        self.process.stdin.close()
        self.process.wait()

    def obey(self, order: str) -> dict[str, float]:
        print(order, file=self.process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, float]:
        line = self.process.stdout.readline()
        while line and not line.startswith("{"):
            line = self.process.stdout.readline()
        return json.loads(line or "{}")


def _model_of_supar() -> dict:
    dropout = dict.fromkeys(("embed_dropout", "encoder_dropout", "mlp_dropout"), MODEL["dropout"])
    words = {"embed": None, "min_freq": READER["least_word_count"]}
    widths = {"n_embed": READER["word_size"], "n_pretrained": READER["word_size"]}  # equal: no projection between
    return {
        "encoder": "lstm",
        "feat": ["tag"],
        "n_feat_embed": MODEL["tag_size"],
        "n_lstm_hidden": MODEL["hidden_size"],
        "n_lstm_layers": MODEL["n_layers"],
        "n_arc_mlp": MODEL["projection_size"],
        "n_rel_mlp": MODEL["projection_size"],
        **words,
        **widths,
        **dropout,
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--supar", required=True, help="python of SuPar's environment")
    parser.add_argument("--treebank", default="ud/tr_imst", help="folder with train.conllu and dev.conllu")
    parser.add_argument("--batch-sentences", type=int, default=32, help="of training")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
