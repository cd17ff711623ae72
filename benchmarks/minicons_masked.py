"""minicons' scorer for masked models under the orders of masked_scoring, which runs it in an environment of its own.

minicons 0.3.39 calls a method of tokenizers that transformers 5 lacks; it is given the one that took its place.

Orders come one to a line: the score of all sentences, "pll" or "pll_within_word". Each answer is a line of JSON.
"""

import json
import sys
import time

import torch
from minicons.scorer import MaskedLMScorer

METRICS = {"pll": "original", "pll_within_word": "within_word_l2r"}


def main() -> None:
    settings = json.loads(sys.argv[1])
    torch.set_num_threads(settings["threads"])
    scorer = MaskedLMScorer(settings["model"], "cpu")
    scorer.tokenizer.batch_encode_plus = scorer.tokenizer.__call__
    with open(settings["sentences"], encoding="utf-8") as file:
        sentences = file.read().splitlines()
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        start = time.process_time()
        sums = _sums(scorer, sentences, METRICS[line.strip()], settings["batch"])
        print(json.dumps({"seconds": time.process_time() - start, "sums": sums}), flush=True)


def _sums(scorer: MaskedLMScorer, sentences: list[str], metric: str, size: int) -> list[float]:
    sums: list[float] = []
    for start in range(0, len(sentences), size):
        batch = sentences[start : start + size]
        sums += scorer.sequence_score(batch, reduction=lambda scores: scores.sum().item(), PLL_metric=metric)
    return sums


if __name__ == "__main__":
    main()
