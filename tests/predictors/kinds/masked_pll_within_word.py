from dataclasses import replace
from functools import partial

from polyprobe.predictors.base.predictor import Question
from tests.predictors.kinds.masked_pll import KIND as PLL
from tests.predictors.tiny_masked import masked

KIND = replace(
    PLL,
    build=partial(masked, architecture="roberta", score="pll_within_word"),
    options=({"score": "pll"}, {"architecture": "bert"}, {"unknown": "left_out"}),
    alike=None,
    unknown=Question(("the", "Ω")),
)
