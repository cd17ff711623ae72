"""What is typed and has no effect is refused."""

import pytest

from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.probing.door import check_effect
from tests.runs.composed import composed

SETS, TASKS, OWN = ["suite=clams", "predictor=random"], ["suite=senteval_downstream"], ["suite=senteval"]
TOKENS = ["suite=linspector_token", "lang=fi"]


def check(typed):
    check_effect(composed("probe", *typed), typed)


@pytest.mark.parametrize(
    "typed",
    [
        [*SETS, "ties=half", "unknown_focus=skipped"],
        [*TASKS, "seeds=3", "protocol=released", "encoder=char_ngrams", "cache.number=float16"],
        [*TASKS, "encoder=tfidf", "probe=logistic_regression", "probe.inverse_penalty=2"],
        [*TOKENS, "encoder=transformer", "encoder.model=bert", "cache.kept_words=all"],
        [*TOKENS, "encoder=c_elmo", "encoder.path=elmo", "cache.kept_words=all", "export=folder"],
        [*TOKENS, "encoder=fasttext", "encoder.path=vectors", "cache.kept_words=asked"],
        [*OWN, "seeds=3", "probe=senteval", "probe.hidden_size=[8]", "baselines=all"],
        [*OWN, "encoder=tfidf", "probe=rusenteval", "seeds=3"],
        [*OWN, "encoder=tfidf", "encoder.unit=word", "probe=naive_bayes"],
        [*OWN, "encoder=nb_unigrams", "probe=naive_bayes", "probe.smoothing=0.5"],
        [*OWN, "experiment=senteval_table2", "encoder=length"],  # whose probe is of other rows
    ],
)
def test_what_has_an_effect_is_taken(typed):
    assert check(typed) is None  # nothing is refused


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ([*SETS, "probe=linear"], "probe=linear"),
        ([*SETS, "probe.dropout=0.1"], "probe.dropout=0.1"),
        ([*SETS, "seeds=3"], "seeds=3"),
        ([*SETS, "seed=2"], "seed=2"),
        ([*SETS, "encoder=random"], "encoder=random"),
        ([*SETS, "baselines=all"], "baselines=all"),
        ([*SETS, "protocol=released"], "protocol=released"),
        ([*TASKS, "probe=linear"], "probe=linear"),
        ([*TASKS, "baselines=all"], "baselines=all"),
        ([*TASKS, "ties=half"], "ties=half"),
        ([*OWN, "ties=half"], "ties=half"),
        ([*OWN, "unknown_focus=skipped"], "unknown_focus=skipped"),
        ([*OWN, "protocol=released"], "protocol=released"),
        ([*OWN, "encoder=nb_unigrams", "probe=rusenteval"], "probe=rusenteval"),
        ([*OWN, "encoder=length", "probe=senteval"], "probe=senteval"),
        ([*SETS, "cache.kept_words=all"], "cache.kept_words=all"),
        ([*TASKS, "encoder=transformer", "encoder.model=bert", "cache.kept_words=all"], "cache.kept_words=all"),
        ([*OWN, "encoder=transformer", "encoder.model=bert", "cache.kept_words=all"], "cache.kept_words=all"),
        ([*TOKENS, "encoder=transformer", "encoder.sentence_pooling=cls"], "encoder.sentence_pooling=cls"),
        ([*TASKS, "encoder=transformer", "encoder.word_pooling=first"], "encoder.word_pooling=first"),
        ([*TOKENS, "encoder=fasttext", "encoder.path=vectors", "cache.kept_words=all"], "cache.kept_words=all"),
        ([*TOKENS, "encoder=d_elmo", "encoder.path=elmo", "cache.kept_words=all", "export=x"], "cache.kept_words=all"),
    ],
)
def test_what_has_none_is_refused_by_name(typed, word):
    with pytest.raises(PolyprobeError, match=f"^{word} has no effect: "):
        check(typed)


def test_a_strategy_that_divides_a_model_is_refused():
    check([*OWN, "trainer=ddp", "trainer.devices=3"])
    with pytest.raises(BadValue, match=r"^trainer\.strategy must be auto or ddp: processes share items .*, got 'fsdp'"):
        check([*OWN, "trainer.devices=2", "trainer.strategy=fsdp"])


@pytest.mark.parametrize("instead", ["list=true", "check=true"])
def test_a_page_of_no_run_is_refused(instead):
    with pytest.raises(PolyprobeError, match=r"^report=true has no effect with list= or check="):
        check(["report=true", instead])


def own_files(format_name, *typed):
    return ["suite=own", "suite.path=x", f"suite.format={format_name}", *typed]


@pytest.mark.parametrize(
    "typed",
    [
        own_files("conllu", "suite.level=token", "suite.column=upos", "suite.where={upos:NOUN}", "suite.split_seed=2"),
        own_files("linspector", "suite.level=type", "suite.pairs=[Mine]", "suite.lowercase=true"),
        own_files("clams", "predictor=random", "suite.end_of_sentence=.", "suite.capitalise=true"),
    ],
)
def test_settings_of_the_format_of_ones_own_files_are_taken(typed):
    assert check(typed) is None


@pytest.mark.parametrize(
    ("format_name", "typed"),
    [
        ("conllu", "suite.pairs=[Mine]"),
        ("conllu", "suite.end_of_sentence=."),
        ("conllu", "suite.capitalise=true"),
        ("senteval", "suite.pairs=[Mine]"),
        ("senteval", "suite.split=lemma"),
        ("linspector", "suite.most_per_label=10"),
        ("clams", "suite.where={upos:NOUN}"),
        ("clams", "suite.pairs=[Mine]"),
    ],
)
def test_settings_of_other_formats_are_refused_by_name(format_name, typed):
    with pytest.raises(PolyprobeError) as refused:
        check(own_files(format_name, typed))
    assert str(refused.value) == f"{typed} has no effect with suite.format={format_name}. Leave it out."
