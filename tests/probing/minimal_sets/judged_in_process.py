"""Judges a suite in a process of its own: says that it is ready, waits for a line, and may kill itself.

python -m tests.probing.minimal_sets.judged_in_process <folder> <blocks after which it kills itself, or 0>
"""

import hashlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from src.formats.avg import read
from src.generation.grammar import minimal_sets
from src.generation.grammar_patterns import patterns
from src.generation.mini.data_files import FOLDER
from src.predictors.base import Answers, Predictor, Question
from src.predictors.kept_blocks import KeptBlocks
from src.probing.minimal_sets.judgement import judged
from src.probing.minimal_sets.outcome import Judging
from src.probing.minimal_sets.suite import Construction, MinimalSuite
from src.runs.results import write_rows

QUESTIONS_PER_BLOCK = 16


class Blockwise(Predictor):
    """Scores words by a digest of theirs, block by block, and notes each block that it computes.

    Args:
        log: a file that gets a line for every block.
        last: the number of blocks after which the process is killed; 0: it is not.
    """

    conventions, fingerprint, seed = "every word counts", "b10c", 1

    def __init__(self, log: Path, last: int):
        self.log, self.last = log, last

    def answer(self, questions, keeper):
        blocks = [questions[n : n + QUESTIONS_PER_BLOCK] for n in range(0, len(questions), QUESTIONS_PER_BLOCK)]
        names = [hashlib.sha256(repr(block).encode()).hexdigest()[:32] for block in blocks]
        n_computed = iter(range(len(blocks)))

        def compute(number: int) -> dict[str, np.ndarray]:
            if self.last and next(n_computed) == self.last:
                os.kill(os.getpid(), signal.SIGKILL)
            with open(self.log, "a", encoding="utf-8") as log:
                log.write(f"{names[number]}\n")
            return {"scores": np.concatenate([_scores(one) for one in blocks[number]])}

        found = [arrays["scores"] for arrays in keeper.blocks(names, compute)]
        n_words = [len(one.words) for one in questions]
        return Answers(
            log_probabilities=np.concatenate(found),
            word_of_token=np.concatenate([np.arange(n, dtype=np.int32) for n in n_words]),
            is_unknown=np.zeros(sum(n_words), dtype=bool),
            ends=np.cumsum(n_words, dtype=np.int64),
            refusals=("",) * len(questions),
        )


def _scores(question: Question) -> np.ndarray:
    digests = [hashlib.sha256(word.encode()).digest()[0] for word in question.words]
    return -np.array(digests, dtype=np.float32) / 16


def main(arguments: Sequence[str]) -> None:
    folder, last = Path(arguments[0]), int(arguments[1])
    sets = list(minimal_sets(patterns(read(FOLDER / "grammars/tense_agrmt.avg"))))
    suite = MinimalSuite("clams", [Construction("tense_agrmt", sets)], {"tense_agrmt": "00"})
    print("ready", flush=True)
    sys.stdin.readline()
    predictor = Blockwise(folder / "log", last)
    judging = Judging("mini", "blockwise", "wrong", "judged")
    found = judged(suite, [predictor], [KeptBlocks(folder / "scores")], judging)
    write_rows(folder / f"{os.getpid()}.jsonl", "run", found.rows())


if __name__ == "__main__":
    main(sys.argv[1:])
