"""Majority, length and character tf-idf on the published sentence tests: figures computed elsewhere, on raw strings."""

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from polyprobe.encoders.base.build import make_encoder
from polyprobe.formats.reading.malformed import refuse
from polyprobe.named import built
from polyprobe.probing.baselines.columns import count_outcome, length_accuracy
from polyprobe.probing.baselines.memory import majority_accuracy
from polyprobe.probing.design import shared_probe
from polyprobe.probing.suites.tests import load_test
from polyprobe.runs.command.script import CONF

pytestmark = pytest.mark.real_data

# Suite, language, test, train and test rows; percent accuracy of majority, length, tf-idf.
FIGURES = [
    ("rusenteval", "ru", "Gapping", 6233, 741, 63.43, 63.43, 87.58),
    ("eger2020", "ru", "BShift", 8002, 999, 51.25, 51.25, 55.26),
    ("eger2020", "ru", "SubjNum", 9878, 1000, 50.00, 51.90, 58.80),
    ("eger2020", "ru", "Voice", 8002, 999, 67.97, 69.57, 91.49),
    ("eger2020", "ru", "SVDist", 6587, 822, 51.34, 52.43, 59.85),
    ("eger2020", "tr", "BShift", 8002, 999, 50.45, 49.05, 62.16),
    ("eger2020", "tr", "SubjNum", 3040, 500, 83.40, 83.40, 89.40),
    ("eger2020", "tr", "Voice", 6419, 999, 86.29, 86.79, 88.79),
    ("eger2020", "tr", "SVDist", 450, 596, 65.44, 65.44, 67.45),
]


def outcome(config, test):
    settings = OmegaConf.to_container(config, resolve=True)
    return count_outcome(make_encoder(settings["encoder"]), shared_probe(settings["probe"]), test)


@pytest.mark.parametrize("row", FIGURES, ids=lambda row: "-".join(row[:3]))
def test_figures_are_those_of_another_program(data_folder, row):
    suite, lang, name, n_train, n_test, *expected = row
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose("probe", [f"suite={suite}", f"lang={lang}", "encoder=tfidf"])
    tests = built(OmegaConf.to_container(config.suite, resolve=True), "suite")
    test = load_test(tests, config.lang, name, data_folder, None, refuse)
    assert (len(test.train.items), len(test.test.items)) == (n_train, n_test)
    predicted = outcome(config, test).test_predictions
    figures = majority_accuracy(test.train.label_ids, test.test.label_ids), length_accuracy(test)
    figures += ((predicted == test.test.label_ids).mean(),)
    assert [round(100 * figure, 2) for figure in figures] == expected


@pytest.mark.parametrize("name", ["SentLen", "WC", "Tense", "CoordInv"])
@pytest.mark.parametrize("encoder", ["nb_unigrams", "nb_bigrams"])
def test_naive_bayes_says_what_the_pipeline_of_scikit_learn_says(data_folder, name, encoder):
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose("probe", ["suite=xprobe", "lang=en", f"encoder={encoder}"])
    suite = built(OmegaConf.to_container(config.suite, resolve=True), "suite")
    test = load_test(suite, config.lang, name, data_folder, None, refuse)
    longest = config.encoder.max_n
    pipeline = make_pipeline(
        TfidfVectorizer(lowercase=False, tokenizer=str.split, token_pattern=None, ngram_range=(1, longest)),
        MultinomialNB(),
    )
    paths = {path.name: path.read_text("utf-8").splitlines() for path in test.files}
    train, asked = ([paths[file][line - 1].split("\t") for line in split.lines] for file, split in
                    (("va.txt", test.train), ("te.txt", test.test)))  # fmt: skip
    pipeline.fit([text for text, _ in train], [label for _, label in train])
    ours = outcome(config, test).test_predictions
    theirs = pipeline.predict([text for text, _ in asked])
    assert [test.labels[label_id] for label_id in ours] == theirs.tolist()
