"""Which probe goes with counts."""

import pytest

from src.encoders.base.build import make_encoder
from src.errors import BadValue
from src.probing.count_classifiers.count_classifier import classifier_of_counts, with_own_probe
from tests.runs.composed import composed


def configured(*typed):
    config = composed("probe", *typed)
    return config, make_encoder(config["encoder"])


def test_a_baseline_keeps_its_probe_in_the_table_of_an_experiment():
    config, encoder = configured("experiment=senteval_table2", "encoder=nb_bigrams")
    assert config["choices"]["probe"] == "senteval"
    own = with_own_probe(config, encoder)
    assert (own["choices"]["probe"], own["probe"]["variant"]) == ("naive_bayes", "multinomial")
    alone, _ = configured("encoder=nb_bigrams")
    assert own["probe"] == alone["probe"]
    changed, _ = configured("encoder=nb_bigrams", "probe.variant=complement")
    assert with_own_probe(changed, encoder) is changed


def test_tf_idf_takes_the_probe_of_an_experiment():
    config, encoder = configured("experiment=senteval_table2", "encoder=tfidf")
    assert with_own_probe(config, encoder) is config


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
