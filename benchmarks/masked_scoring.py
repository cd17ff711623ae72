"""Pseudo-log-likelihoods of published English minimal sets with a masked model of BERT's size, against minicons.

The model is random: 12 layers of 768, an output layer of 30,000. Its tokenizer is learned from the English corpus, so
that words of the sets which that corpus lacks are split. Whole constructions are scored, with " ." at the end of every
sentence, by both in turns, in CPU seconds, without loading; medians. minicons is given batches of sentences, and pads
the inputs of each to the longest. "Sharing" is masked inputs by distinct ones: of the constructions that are scored
and of the whole English suite.

With `--sample N` N batches of neighbouring sentences at even distances in the whole suite are scored. What the whole
suite gains is estimated from them: their ratio, times the sharing of the whole, by that of the sample.

Run: POLYPROBE_DATA=data python -m benchmarks.masked_scoring --minicons PYTHON   (of an environment with minicons)
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

from benchmarks.minicons_process import MiniconsProcess
from polyprobe.encoders.transformer.pieces import WordPieces
from polyprobe.named import built
from polyprobe.predictors.base.predictor import NothingKept, Question
from polyprobe.predictors.masked.masked_inputs import DistinctInputs, MaskedQuestion, distinct_inputs, one_by_one
from polyprobe.predictors.masked.predictor import MaskedPredictor
from polyprobe.runs.names.conf_folders import choice_settings

SCORES = ("pll", "pll_within_word")
N_PIECES = 30_000


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    data = Path(os.environ["POLYPROBE_DATA"])
    files = sorted((data / "clams/eval/en").glob("*.txt"))
    chosen = [file for file in files if file.stem in arguments.constructions]
    with tempfile.TemporaryDirectory() as work:
        model = _written_model(Path(work) / "model", data / "lm/en/train.txt")
        whole = _questions(files) if arguments.whole or arguments.sample else []
        questions = _sampled(whole, arguments) if arguments.sample else _questions(chosen)
        name = "a sample of the whole suite" if arguments.sample else ", ".join(arguments.constructions)
        sharing = _report_sharing(name, model, questions)
        gain = _report_sharing("the whole English suite", model, whole) / sharing if whole else 1.0
        with _minicons(arguments, model, questions, Path(work) / "sentences.txt") as theirs:
            for score in arguments.scores:
                ratio = _compare(score, _predictor(model, score), theirs, questions, arguments)
                if arguments.sample:
                    print(f"{score}, the whole suite: {ratio * gain:.1f} times, by what it shares", flush=True)


def _questions(files: Sequence[Path]) -> list[Question]:
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return [Question((*line.partition("\t")[2].split(), ".")) for line in lines]


def _sampled(questions: Sequence[Question], arguments: argparse.Namespace) -> list[Question]:
    starts = np.linspace(0, len(questions) - arguments.batch, arguments.sample).astype(int).tolist()
    return [question for start in starts for question in questions[start : start + arguments.batch]]


def _written_model(folder: Path, corpus: Path) -> Path:
    tokenizer = _tokenizer(corpus)
    torch.manual_seed(1)
    config = BertConfig(vocab_size=N_PIECES, initializer_range=0.05)  # its own sizes are those of BERT
    BertForMaskedLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    print(f"the tokenizer has {len(tokenizer):,} pieces, the output layer {N_PIECES:,}")
    return folder


def _tokenizer(corpus: Path) -> PreTrainedTokenizerFast:
    names = {
        name: f"[{name[:-6].upper()}]" for name in ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    }
    special = list(names.values())
    backend = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer()
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=N_PIECES, special_tokens=special, show_progress=False)
    backend.train([str(corpus)], trainer)
    ends = [(token, backend.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    backend.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    return PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=512, **names)


def _predictor(model: Path, score: str) -> MaskedPredictor:
    options = {**choice_settings("predictor", "masked"), "model": str(model), "score": score, "device": "cpu"}
    of_several = ("folders", "revisions")  # models, each of which is a predictor
    predictor = built({key: value for key, value in options.items() if key not in of_several}, "predictor")
    predictor.answer([Question(("the", "."))], NothingKept())  # loads the weights
    return predictor


def _report_sharing(name: str, model: Path, questions: Sequence[Question]) -> float:
    inputs, n_split, n_words = _inputs(WordPieces(model), questions)
    n_masked = len(inputs.target_of_token)
    print(
        f"{name}: {len(questions):,} sentences, {n_masked:,} masked inputs, {inputs.n_inputs:,} distinct: sharing "
        f"{n_masked / inputs.n_inputs:.2f}; words that are split: {n_split / n_words:.1%}",
        flush=True,
    )
    return n_masked / inputs.n_inputs


def _inputs(pieces: WordPieces, questions: Sequence[Question]) -> tuple[DistinctInputs, int, int]:
    """Returns the inputs of plain pseudo-log-likelihood, how many words are split, and how many words there are."""
    found = list(pieces([question.words for question in questions]))
    n_split = sum(int((np.bincount(one.words) > 1).sum()) for one in found)
    asked = [MaskedQuestion(one, *one_by_one(one)) for one in found]
    n_words = sum(len(question.words) for question in questions)
    return distinct_inputs(asked, pieces, 1024), n_split, n_words


def _minicons(arguments: argparse.Namespace, model: Path, questions: Sequence[Question], file: Path) -> MiniconsProcess:
    file.write_text("".join(" ".join(question.words) + "\n" for question in questions), encoding="utf-8")
    settings = {"model": str(model), "sentences": str(file), "threads": arguments.threads, "batch": arguments.batch}
    return MiniconsProcess(arguments.minicons, "minicons_masked.py", settings)


def _compare(
    score: str,
    ours: MaskedPredictor,
    theirs: MiniconsProcess,
    questions: Sequence[Question],
    arguments: argparse.Namespace,
) -> float:
    """Prints and returns how many times as fast ours is."""
    seconds: dict[str, list[float]] = {"ours": [], "minicons": []}
    for _ in range(arguments.repetitions):
        start = time.process_time()
        answers = ours.answer(questions, NothingKept())
        seconds["ours"].append(time.process_time() - start)
        answer = theirs.obey(score)
        seconds["minicons"].append(answer["seconds"])
    sums = np.add.reduceat(answers.log_probabilities.astype(np.float64), [0, *answers.ends[:-1]])
    median = {name: statistics.median(values) for name, values in seconds.items()}
    rates = ", ".join(f"{name} {len(questions) / value:.1f} sentences a second" for name, value in median.items())
    rounds = "; ".join(f"{name} {' '.join(f'{value:.1f}' for value in values)} s" for name, values in seconds.items())
    print(f"{score}, {arguments.threads} threads: {rates}: {median['minicons'] / median['ours']:.2f} times ({rounds})")
    difference = np.abs(sums - answer["sums"]).max()
    print(f"largest difference of a sum {difference:.1e}", flush=True)
    assert difference < 1e-4
    return median["minicons"] / median["ours"]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minicons", required=True, help="python of an environment with minicons")
    small = ["simple_agrmt", "simple_npi_anim", "simple_reflexives"]  # together they share as the whole suite does
    parser.add_argument("--constructions", nargs="+", default=small, metavar="NAME")
    parser.add_argument("--scores", nargs="+", default=list(SCORES), choices=SCORES, metavar="SCORE")
    parser.add_argument("--whole", action="store_true", help="say what the whole suite shares, too")
    parser.add_argument("--sample", type=int, default=0, help="so many batches of the whole suite, not constructions")
    parser.add_argument("--batch", type=int, default=32, help="sentences that minicons is given at once")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
