from functools import partial

from polyprobe.predictors.base.predictor import Question
from tests.predictors.kind import Kind
from tests.predictors.tiny_masked import masked, plain

QUESTIONS = tuple(
    Question(tuple(text.split()))
    for text in (
        "the dog barks .",
        "the dog bark .",
        "the dogs barks .",
        "the dog that the cats love barks .",
        "the meow barks",
        "the meows. barks",
        "dogs",
        "Ω bark",
        "the the the",
    )
)

KIND = Kind(
    "masked",
    partial(masked, score="pll"),
    (
        {"score": "focus"},
        {"score": "pll_within_word"},
        {"architecture": "roberta"},
        {"reading": "words"},
        {"unknown": "left_out"},
        {"weights": "random"},
    ),
    QUESTIONS,
    alike=(Question(("Ω", "bark")), Question(("ζζ", "bark"))),
    unknown=Question(("the", "Ω")),
    expected=plain,
)
