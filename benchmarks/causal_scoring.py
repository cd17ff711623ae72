"""Minimal sets scored by a causal transformer of GPT-2's size, against minicons: CPU seconds, in turns, medians.

The model is random: 12 layers of 768, 50,257 pieces. Its tokenizer is a byte-level BPE of as many pieces, trained on
the text of the language models' corpora. Sentences are the first sets of each of the seven constructions of CLAMS in
English, in their order, with " ." behind. Both begin with <|endoftext|>, score every piece of the sentence and leave
its end out; minicons has batches of --batch sentences, padded. Loading is not counted.

The sharing factor of the sentences is the number of their pieces over that of distinct prefixes that have to be run. It
grows with a suite: --whole runs all sets of the seven constructions once, and sets minicons' rate on the first sets
against it.

Run: POLYPROBE_DATA=data python -m benchmarks.causal_scoring --minicons PYTHON   (with minicons==0.3.39, torch)
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoModelForCausalLM, GPT2Config, PreTrainedTokenizerFast

from benchmarks.minicons_process import MiniconsProcess
from polyprobe.formats.minimal_sets.clams import read_published
from polyprobe.formats.reading.malformed import refuse
from polyprobe.predictors.base.predictor import NothingKept, Question
from polyprobe.predictors.causal.packed_prefixes import pack
from polyprobe.predictors.causal.predictor import CausalPredictor

CONSTRUCTIONS = (
    "simple_agrmt",
    "vp_coord",
    "long_vp_coord",
    "subj_rel",
    "obj_rel_within_anim",
    "obj_rel_across_anim",
    "prep_anim",
)
START = "<|endoftext|>"


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    data = Path(os.environ["POLYPROBE_DATA"])
    sentences = list(_sentences(data, arguments.sets))
    with tempfile.TemporaryDirectory() as folder:
        write_model(Path(folder), data)
        ours = Ours(Path(folder))
        ours.sums(["the author laughs ."])  # loads
        print(f"{arguments.threads} threads; {_told(ours, sentences)}", flush=True)
        settings = {"folder": folder, "threads": arguments.threads, "batch": arguments.batch}
        with MiniconsProcess(arguments.minicons, "minicons_causal.py", settings) as theirs:
            rounds = [_round(ours, theirs, sentences) for _ in range(arguments.rounds)]
        own, other = (statistics.median(seconds) for seconds in zip(*rounds, strict=True))
        print(_compared(len(sentences) / own, len(sentences) / other))
        if arguments.whole:
            whole = list(_sentences(data, None))
            print(_told(ours, whole), flush=True)
            print(_compared(len(whole) / ours.sums(whole)[0], len(sentences) / other))


def write_model(folder: Path, data: Path) -> None:
    """Writes the model and its tokenizer as transformers saves them."""
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    config = GPT2Config()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=config.vocab_size, special_tokens=[START], initial_alphabet=alphabet, show_progress=False
    )
    backend.train([str(data / "lm" / language / "train.txt") for language in ("en", "fr", "de", "ru")], trainer)
    PreTrainedTokenizerFast(tokenizer_object=backend, bos_token=START, eos_token=START).save_pretrained(folder)
    config.bos_token_id = config.eos_token_id = backend.token_to_id(START)
    torch.manual_seed(1)
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)


class Ours:
    """The predictor with nothing kept."""

    def __init__(self, folder: Path):
        self.predictor = CausalPredictor(
            model=str(folder),
            revision=None,
            start="bos",
            first=True,
            end=False,
            unknown="scored",
            words="plain",
            number_type="float32",
            device="cpu",
            token_budget=None,
            weights="pretrained",
            seed=1,
        )

    def sums(self, sentences: Sequence[str]) -> tuple[float, np.ndarray]:
        """Returns CPU seconds and the log-probability of each sentence."""
        start = time.process_time()
        answers = self.predictor.answer([Question(tuple(one.split(" "))) for one in sentences], NothingKept())
        sums = np.add.reduceat(answers.log_probabilities, np.r_[0, answers.ends[:-1]])
        return time.process_time() - start, sums


def _sums_of_minicons(theirs: MiniconsProcess, sentences: Sequence[str]) -> tuple[float, np.ndarray]:
    """Returns CPU seconds and the log-probability of each sentence."""
    answer = theirs.obey(json.dumps(sentences))
    return answer["seconds"], np.array(answer["sums"])


def _sentences(data: Path, n_sets: int | None) -> Iterator[str]:
    for name in CONSTRUCTIONS:
        for one in islice(read_published(data / "clams/eval/en" / f"{name}.txt", refuse), n_sets):
            yield from (f"{variant.sentence} ." for variant in one.variants)


def _round(ours: Ours, theirs: MiniconsProcess, sentences: Sequence[str]) -> tuple[float, float]:
    """Lets both score the sentences and gives their seconds; prints how far their sums are apart."""
    (own, own_sums), (other, other_sums) = ours.sums(sentences), _sums_of_minicons(theirs, sentences)
    apart = np.abs(own_sums - other_sums)
    print(f"ours {own:6.1f} s, minicons {other:6.1f} s, sums differ by at most {apart.max():.1e}", flush=True)
    assert apart.max() < 1e-4
    return own, other


def _told(ours: Ours, sentences: Sequence[str]) -> str:
    pieces = ours.predictor.pieces([one.split(" ") for one in sentences])
    sequences = [(-1, *ids.tolist()) for ids, _ in pieces]
    n_pieces, n_prefixes = sum(map(len, sequences)) - len(sequences), len(pack(sorted(set(sequences))).ids)
    counts = f"{len(sentences):,} sentences ({len(set(sentences)):,} distinct), {n_pieces:,} pieces"
    return f"{counts}, {n_prefixes:,} prefixes, sharing {n_pieces / n_prefixes:.1f}"


def _compared(own: float, other: float) -> str:
    return f"ours {own:.1f} sentences a second, minicons {other:.1f}: {own / other:.1f} times"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minicons", required=True, help="python of minicons' environment")
    parser.add_argument("--sets", type=int, default=120, help="of each construction")
    parser.add_argument("--batch", type=int, default=32, help="sentences of minicons' batches")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--whole", action="store_true", help="also score all sets once")
    return parser.parse_args()


if __name__ == "__main__":
    main()
