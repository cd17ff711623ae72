"""What is typed and has no effect is refused."""

import pytest

from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.probing.door import check_effect
from tests.runs.composed import composed

SETS, TASKS, OWN = ["suite=clams", "predictor=random"], ["suite=senteval_downstream"], ["suite=senteval"]


def own_files(format_name, *typed):
    return ["suite=own", "suite.path=x", f"suite.format={format_name}", *typed]


def check(typed):
    check_effect(composed("probe", *typed), typed)


@pytest.mark.parametrize(
    "typed",
    [
        [*SETS, "ties=half", "unknown_focus=skipped"],
        [*TASKS, "seeds=3", "protocol=released", "encoder=char_ngrams", "cache.number=float16"],
        [*TASKS, "encoder=tfidf", "probe=logistic_regression", "probe.inverse_penalty=2"],
        [*OWN, "seeds=3", "probe=senteval", "probe.hidden_size=[8]", "baselines=all"],
        [*OWN, "encoder=nb_unigrams", "probe=naive_bayes", "probe.smoothing=0.5"],
        [*OWN, "experiment=senteval_table2", "encoder=length"],  # whose probe is of other rows
        own_files("conllu", "suite.level=token", "suite.column=upos", "suite.where={upos:NOUN}", "suite.split_seed=2"),
        own_files("linspector", "suite.level=type", "suite.pairs=[Mine]", "suite.lowercase=true"),
        own_files("clams", "predictor=random", "suite.end_of_sentence=.", "suite.capitalise=true"),
    ],
)
def test_what_has_an_effect_is_taken(typed):
    assert check(typed) is None  # nothing is refused


@pytest.mark.parametrize(
    ("beside", "typed"),
    [
        (SETS, "probe.dropout=0.1"),
        (SETS, "seeds=3"),
        (SETS, "encoder=random"),
        (TASKS, "probe=linear"),
        (TASKS, "ties=half"),
        (OWN, "unknown_focus=skipped"),
        (OWN, "protocol=released"),
        ([*OWN, "encoder=nb_unigrams"], "probe=rusenteval"),
        (own_files("conllu"), "suite.end_of_sentence=."),
        (own_files("senteval"), "suite.split=lemma"),
        (own_files("clams"), "suite.where={upos:NOUN}"),
    ],
)
def test_what_has_none_is_refused_by_name(beside, typed):
    with pytest.raises(PolyprobeError) as refused:
        check([*beside, typed])
    assert str(refused.value).startswith(f"{typed} has no effect")


def test_a_strategy_that_divides_a_model_is_refused():
    check([*OWN, "trainer=ddp", "trainer.devices=3"])
    with pytest.raises(BadValue, match=r"^trainer\.strategy must be auto or ddp: processes share items .*, got 'fsdp'"):
        check([*OWN, "trainer.devices=2", "trainer.strategy=fsdp"])
