from collections import defaultdict
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.made_tests.drawing import Candidates, draw_test
from polyprobe.generation.made_tests.row_statistics import TooFew
from polyprobe.generation.token_level import candidates_of, possible_token_tests, token_rows
from polyprobe.generation.token_tests.token_level_options import TokenLevelOptions, token_options_of
from polyprobe.generation.token_tests.treebank_tokens import TreebankTokens, read_treebanks
from polyprobe.splits import SPLITS
from tests.generation.token_tests.treebanks import sentence, unimorph_sentence


def read(folder: Path, text: str, options: TokenLevelOptions) -> TreebankTokens:
    (folder / "train.conllu").write_text(text, encoding="utf-8")
    return read_treebanks([folder / "train.conllu"], [], options, refuse)


def found(folder: Path, test: str, text: str, language: str = "tr", rules: str = "article", **changes) -> list[str]:
    """Returns the candidates of a test as "form label"."""
    options = token_options_of(rules, language, 1, **{"labels": "unimorph", **changes})
    treebank = read(folder, text, options)
    return shown(treebank, candidates_of(treebank, test, options))


def shown(treebank: TreebankTokens, candidates: Candidates) -> list[str]:
    forms = treebank.decoded.inflections.form_ids[candidates.made_of[:, 0]]
    labels = (candidates.labels[label] for label in candidates.label_ids)
    return [f"{treebank.decoded.inflections.forms[form]} {label}" for form, label in zip(forms, labels, strict=True)]


def test_a_person_is_labelled_with_its_number_and_has_no_label_without_one(tmp_path):
    text = unimorph_sentence([("geldik", "V;1;PL"), ("gelen", "V;3"), ("ev", "N;SG")])
    assert found(tmp_path, "Person", text) == ["geldik First person Plural"]
    assert found(tmp_path, "Person", text, decoding={"person": "alone"}) == [
        "geldik First person",
        "gelen Third person",
    ]


def test_every_occurrence_is_an_item_whatever_its_other_labels(tmp_path):
    text = unimorph_sentence([("ev", "N;NOM"), ("ev", "N;NOM")]) + unimorph_sentence([("ev", "N;ACC")])
    assert found(tmp_path, "Case", text) == ["ev Nominative", "ev Nominative", "ev Accusative"]


def test_russian_participles_have_no_case_and_no_gender(tmp_path):
    text = unimorph_sentence([("говорящий", "V;V.PTCP;NOM;MASC"), ("стол", "N;NOM;MASC")])
    assert found(tmp_path, "Case", text, "ru") == ["стол Nominative"]
    assert found(tmp_path, "Gender", text, "ru") == ["стол Masculine"]
    assert found(tmp_path, "Case", text, "ru", ignored={}) == ["говорящий Nominative", "стол Nominative"]
    assert len(found(tmp_path, "Case", text, "tr")) == 2


def test_punctuation_has_no_tags_and_its_length_is_counted(tmp_path):
    text = unimorph_sentence([("evlerimizdekiler", "N;PL;NOM"), ("ve", "CONJ"), (".", "_")])
    assert found(tmp_path, "TagCount", text) == ["evlerimizdekiler 3", "ve 1", ". 0"]
    assert found(tmp_path, "CharacterBin", text) == ["evlerimizdekiler 6", "ve 1", ". 1"]
    assert found(tmp_path, "CharacterBin2", text) == ["evlerimizdekiler 4", "ve 1", ". 1"]


def test_bins_end_at_even_lengths(tmp_path):
    text = unimorph_sentence([("a" * length, "N") for length in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11)])
    assert [one[-1] for one in found(tmp_path, "CharacterBin", text)] == list("1223344556")


def test_sentences_far_from_the_mean_length_are_passed_over_but_for_character_bin(tmp_path):
    text = unimorph_sentence([("ev", "N;NOM")] * 4) * 9 + unimorph_sentence([("su", "N;NOM")] * 14)
    # Nine sentences of 4 tokens, one of 14: mean 5, deviation of the population 3; 11 is the longest within two.
    assert len(found(tmp_path, "Case", text, sentence_lengths="near_mean")) == 36
    assert len(found(tmp_path, "CharacterBin", text, sentence_lengths="near_mean")) == 50
    assert (
        len(found(tmp_path, "CharacterBin", text, sentence_lengths="near_mean", character_bin_lengths="as_others"))
        == 36
    )
    assert len(found(tmp_path, "Case", text, sentence_lengths="near_mean", deviations=3)) == 50


def test_rare_labels_are_left_out_where_that_is_asked_for(tmp_path):
    text = unimorph_sentence([("a", "N;NOM"), ("b", "N;NOM"), ("c", "N;ACC")])
    assert found(tmp_path, "Case", text, least_of_label=2) == ["a Nominative", "b Nominative"]


WORDS = st.tuples(
    st.sampled_from(["ev", "evi", "göl", "su", "10 000", "a  b", "gel"]),
    st.sampled_from(["NOUN", "VERB", "PUNCT"]),
    st.sampled_from(["_", "Case=Nom|Number=Sing", "Case=Acc|Number=Sing", "Number=Plur|Person=3"]),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sentences=st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=12, max_size=40), seed=st.integers(1, 9))
def test_no_sentence_is_in_two_splits_and_the_index_names_the_word(sentences, seed, tmp_path):
    options = token_options_of("article", "tr", seed, items={"train": 4, "dev": 2, "test": 2})
    treebank = read(tmp_path, "".join(map(sentence, sentences)), options)
    for test in possible_token_tests(treebank):
        candidates = candidates_of(treebank, test, options)
        if candidates.ambiguity:
            assert abs(candidates.ambiguity["several_labels"] - _ambiguous(shown(treebank, candidates))) < 1e-6
        try:
            draw = draw_test(test, candidates, options, np.random.default_rng(seed))
        except TooFew:
            continue
        texts = {}
        for split in SPLITS:
            items = draw.splits[split]
            rows = token_rows(treebank, items)
            texts[split] = {text for text, _, _ in rows}
            for (text, place, label), name in zip(rows, shown(treebank, items), strict=True):
                assert f"{text.split(' ')[int(place)]} {label}" == name
        assert not (texts["train"] & texts["dev"] | texts["train"] & texts["test"] | texts["dev"] & texts["test"])


def _ambiguous(items: list[str]) -> float:
    labels = defaultdict(set)
    for item in items:
        form, label = item.split(" ", maxsplit=1)
        labels[form].add(label)
    return sum(len(of_form) > 1 for of_form in labels.values()) / max(len(labels), 1)
