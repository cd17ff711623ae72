from functools import partial

from polyprobe.predictors.base.predictor import Question
from tests.predictors.kind import Kind
from tests.predictors.tiny_masked import masked, plain

QUESTIONS = tuple(
    Question(tuple(words.split()), span)
    for words, span in (
        ("the dog barks .", (2, 3)),
        ("the dog bark .", (2, 3)),
        ("the dogs barks .", (2, 3)),
        ("the cats barks", (1, 2)),
        ("the dog that the cats love barks .", (6, 7)),
        ("the dog that the cats love barks .", (5, 6)),
        ("the meow barks", (1, 2)),
        ("dogs bark", (0, 1)),
        ("Ω bark", (1, 2)),
    )
)

KIND = Kind(
    "masked",
    partial(masked, score="focus"),
    (
        {"architecture": "roberta"},
        {"multi_token": True},
        {"number_type": "bfloat16"},
        {"weights": "random"},
        {"weights": "random", "seed": 2},
    ),
    QUESTIONS,
    alike=(Question(("Ω", "bark"), (1, 2)), Question(("ζζ", "bark"), (1, 2))),
    unknown=Question(("the", "Ω"), (1, 2)),
    expected=plain,
)
