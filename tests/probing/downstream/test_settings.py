"""Which probe goes with counts."""

import pytest

from polyprobe.encoders.base.build import make_encoder
from polyprobe.errors import BadValue
from polyprobe.probing.door import probe_settings
from polyprobe.probing.downstream.settings import classifier_of_counts
from tests.runs.composed import composed


def configured(*typed):
    asked = probe_settings(composed("probe", *typed))
    return asked, make_encoder(asked.encoder.options)


def test_a_baseline_keeps_its_probe_in_the_table_of_an_experiment():
    asked, encoder = configured("experiment=senteval_table2", "encoder=nb_bigrams")
    assert asked.probe.name == "senteval"
    own = asked.with_own_probe(encoder)
    assert (own.probe.name, own.probe.options["variant"]) == ("naive_bayes", "multinomial")
    assert (own.kept["choices"]["probe"], own.kept["probe"]) == ("naive_bayes", own.probe.options)
    alone, _ = configured("encoder=nb_bigrams")
    assert own.probe.options == alone.probe.options
    changed, _ = configured("encoder=nb_bigrams", "probe.variant=complement")
    assert changed.with_own_probe(encoder) is changed


def test_tf_idf_takes_the_probe_of_an_experiment():
    asked, encoder = configured("experiment=senteval_table2", "encoder=tfidf")
    assert asked.with_own_probe(encoder) is asked


def test_downstream_tasks_are_fitted_by_a_classifier_of_counts():
    settings = classifier_of_counts(*configured("encoder=tfidf", "probe.inverse_penalty=2")).settings
    assert settings == {"inverse_penalty": 2, "max_iterations": 1000}
    assert classifier_of_counts(*configured("encoder=nb_unigrams")).name == "naive_bayes"


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("probe=rusenteval", "probe must be logistic_regression or naive_bayes with encoder=tfidf"),
        ("seeds=3", "seeds must be 1 with probe=logistic_regression of encoder=tfidf, which draws nothing"),
    ],
)
def test_probes_of_vectors_and_several_seeds_are_refused_there(typed, message):
    with pytest.raises(BadValue, match=message):
        classifier_of_counts(*configured("encoder=tfidf", typed))
