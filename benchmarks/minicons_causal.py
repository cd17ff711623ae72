"""minicons under the orders of causal_scoring, which runs it in an environment of its own.

Each line it reads is a JSON list of sentences; the answer is a line of JSON: CPU seconds and the sentences' sums.
"""

import json
import sys
import time

import torch
from minicons.scorer import IncrementalLMScorer


def main() -> None:
    settings = json.loads(sys.argv[1])
    torch.set_num_threads(settings["threads"])
    torch.set_flush_denormal(True)
    scorer = IncrementalLMScorer(settings["folder"], "cpu")
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        sentences = json.loads(line)
        start = time.process_time()
        sums = []
        for place in range(0, len(sentences), settings["batch"]):
            batch = sentences[place : place + settings["batch"]]
            sums += scorer.sequence_score(batch, reduction=lambda scores: scores.sum().item(), bos_token=True)
        print(json.dumps({"seconds": time.process_time() - start, "sums": sums}), flush=True)


if __name__ == "__main__":
    main()
