from collections.abc import Sequence
from pathlib import Path

from polyprobe.predictors.base.predictor import Question
from polyprobe.predictors.causal.predictor import CausalPredictor
from tests.predictors.kind import Kind
from tests.predictors.tiny_causal import plain_log_probabilities, write_causal

OPTIONS = {
    "revision": None,
    "start": "bos",
    "first": True,
    "end": False,
    "unknown": "scored",
    "words": "plain",
    "number_type": "float32",
    "device": "cpu",
    "token_budget": 24,
    "weights": "pretrained",
    "seed": 1,
}


def causal(folder: Path, **changes) -> CausalPredictor:
    return CausalPredictor(**{**OPTIONS, "model": str(folder), **changes})


def build(folder: Path, architecture: str = "llama", **changes) -> CausalPredictor:
    return causal(write_causal(folder, architecture), **changes)


def expected(predictor: CausalPredictor, question: Question) -> Sequence[float]:
    return plain_log_probabilities(predictor.folder, question.words, "<s>")[1]


SENTENCES = (
    "the dog barks",
    "the dog bark",
    "the dogs bark",
    "the dogs that bark love the dog",
    "the dogs that bark loves the dog",
    "a",
    "the",
    "the dog",
    "talo ωξ dog",
    "the dog " * 5,  # longer than the model allows
    "dog dog dog dog dog dog",
)

KIND = Kind(
    "causal",
    build,
    (
        {"architecture": "gpt2"},
        {"start": "none", "first": False},
        {"first": False},
        {"end": True},
        {"unknown": "left_out"},
        {"words": "begin_corrected"},
        {"words": "begin_corrected", "end": True},
        {"number_type": "bfloat16"},
        {"weights": "random"},
        {"weights": "random", "seed": 2},
    ),
    tuple(Question(tuple(sentence.split())) for sentence in SENTENCES),
    alike=(Question(("the", "ω", "barks")), Question(("the", "ξ", "barks"))),
    unknown=Question(("ω", "barks")),
    expected=expected,
)
