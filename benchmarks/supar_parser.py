"""SuPar's biaffine parser under the orders of parser, which runs it in SuPar's own environment.

Its model, losses, buckets, batches by tokens, decoding and rates are its own; the loop around them is bare: SuPar's
trainer also decodes and counts every training batch, which is not charged to it here.

Orders come one to a line: "train" runs an epoch, "parse" parses dev. The answer to each is a line of JSON.
"""

import json
import sys
import time

import torch
from supar import BiaffineDependencyParser
from supar.utils import Dataset

EVALUATION = {"batch_size": 5000, "n_buckets": 8}  # SuPar's own


def main() -> None:
    settings = json.loads(sys.argv[1])
    torch.set_num_threads(settings["threads"])
    torch.set_flush_denormal(True)
    torch.manual_seed(1)
    rival = Rival(settings)
    orders = {"train": rival.train, "parse": rival.parse}
    print(json.dumps({"batches": len(rival.train_loader)}), flush=True)
    for line in sys.stdin:
        start = time.process_time()
        answer = orders[line.strip()]()
        print(json.dumps({"seconds": time.process_time() - start, **answer}), flush=True)


class Rival:
    """The parser, its optimiser and its data."""

    def __init__(self, settings: dict):
        self.clip_norm = settings["clip_norm"]
        files = {"train": settings["train"], "path": settings["path"], "build": True}
        self.parser = BiaffineDependencyParser.build(**files, **settings["model"])
        transform, self.model = self.parser.transform, self.parser.model
        batches = {"batch_size": settings["batch_words"], "n_buckets": 32, "shuffle": True}
        self.train_loader = Dataset(transform, settings["train"]).build(**batches).loader
        self.dev_loader = Dataset(transform, settings["dev"]).build(**EVALUATION).loader
        self.optimizer = torch.optim.Adam(self.model.parameters(), 2e-3, (0.9, 0.9), 1e-12)
        self.scheduler = torch.optim.lr_scheduler.ExponentialLR(self.optimizer, 0.75 ** (1 / 5000))

    def train(self) -> dict:
        self.model.train()
        for words, _, *features, arcs, relations in self.train_loader:
            scores = self.model(words, features)
            self.model.loss(*scores, arcs, relations, self._is_word(words)).backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip_norm)
            self.optimizer.step()
            self.scheduler.step()
            self.optimizer.zero_grad()
        return {}

    @torch.no_grad()
    def parse(self) -> dict:
        """Counts as SuPar does with punctuation, whole relations with their subtypes."""
        self.model.eval()
        right_heads = right = total = 0
        for words, _, *features, arcs, relations in self.dev_loader:
            is_word = self._is_word(words)
            heads, found = self.model.decode(*self.model(words, features), is_word, tree=True)
            has_head = (heads == arcs)[is_word]
            right_heads += has_head.sum().item()
            right += (has_head & (found == relations)[is_word]).sum().item()
            total += len(has_head)
        return {"uas": right_heads / total, "las": right / total}

    def _is_word(self, words: torch.Tensor) -> torch.Tensor:
        is_word = words.ne(self.parser.args.pad_index)
        is_word[:, 0] = False
        return is_word


if __name__ == "__main__":
    main()
