"""Times SuPar's one-root spanning trees; spanning_trees runs it in SuPar's own environment."""

import json
import sys
import time

import numpy as np
import torch
from supar.structs.fn import mst


def main() -> None:
    torch.set_num_threads(1)
    kinds, repetitions = np.load(sys.argv[1]), int(sys.argv[2])
    for name, scores in kinds.items():
        batch = torch.from_numpy(scores)
        mask = torch.ones(batch.shape[:2], dtype=torch.bool)
        mask[:, 0] = False
        seconds = []
        for _ in range(repetitions + 1):
            start = time.process_time()
            heads = mst(batch, mask)
            seconds.append(time.process_time() - start)
        print(json.dumps({"kind": name, "seconds": seconds[1:], "heads": heads[:, 1:].tolist()}))


if __name__ == "__main__":
    main()
