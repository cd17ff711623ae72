"""Published minimal sets, as a run of probe.py reads them."""

from collections import Counter

import pytest

from polyprobe.formats.reading.malformed import refuse
from polyprobe.named import built
from polyprobe.probing.suites.minimal_set_files import available, chosen, load
from polyprobe.runs.names.conf_folders import choice_settings

pytestmark = pytest.mark.real_data

LANGUAGES = ("en", "fr", "de", "he", "ru")
N_SETS = {
    "simple_agrmt": (140, 280, 140, 140, 280),
    "vp_coord": (840, 980, 980, 980, 980),
    "long_vp_coord": (400, 500, 500, 500, 500),
    "subj_rel": (11200, 11200, 11200, 11200, 10080),
    "obj_rel_within_anim": (11200,) * 5,
    "obj_rel_across_anim": (11200,) * 5,
    "prep_anim": (16800, 14000, 12600, 5600, 5880),
}


def suite_of(name, code, data_folder):
    settings = choice_settings("suite", name)
    files, lang = built(settings, "suite"), {"code": code, "generator": None}
    listed = chosen(available(files, lang, data_folder), files, None)
    here = [one for one in listed if one.is_grammar or (data_folder / one.target).is_file()]
    return load(files, lang, here, data_folder, None, refuse)


def n_listed(name, code, data_folder):
    """Counts the constructions that are here or can be fetched."""
    settings = choice_settings("suite", name)
    return len(available(built(settings, "suite"), {"code": code, "generator": None}, data_folder))


def sizes(suite, grouping):
    """Returns how many sets each group has."""
    return Counter(group for one in suite.constructions for group in one.groups[grouping].tolist())


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_constructions_of_the_paper_have_its_numbers_of_sets_and_a_full_stop(code, data_folder):
    suite = suite_of("clams", code, data_folder)
    counted = {one.name: len(one.sets) for one in suite.constructions}
    assert list(counted.items()) == [(name, of[LANGUAGES.index(code)]) for name, of in N_SETS.items()]
    for construction in suite.constructions:
        assert construction.identical == []
        for one in construction.sets:
            assert [variant.sentence[-2:] for variant in one.variants] == [" .", " ."]


def test_pairs_of_blimp_that_are_identical_are_counted(data_folder):
    suite = suite_of("blimp", "en", data_folder)
    assert {one.name: len(one.sets) for one in suite.constructions} == {one.name: 1000 for one in suite.constructions}
    assert len(suite.constructions) >= 12  # what is laid out, of 67
    assert n_listed("blimp", "en", data_folder) == 67
    identical = {one.name: len(one.identical) for one in suite.constructions if one.identical}
    assert identical == {"passive_1": 2, "principle_A_case_2": 5}


def test_blimp_has_the_twelve_phenomena_and_four_fields_of_its_article(data_folder):
    suite = suite_of("blimp", "en", data_folder)
    phenomena, fields = sizes(suite, "phenomenon"), sizes(suite, "field")
    assert phenomena["argument_structure"] == 9000  # with the two files whose term is s-selection
    assert set(fields) == {"morphology", "semantics", "syntax", "syntax_semantics"}
    assert len(phenomena) == 12 or len(suite.constructions) < 65


@pytest.mark.parametrize(
    ("name", "code", "n_all", "n_sets", "n_identical"),
    [("turblimp", "tr", 16, 1000, 20), ("turblimp_experimental", "tr", 22, 100, 10), ("rublimp", "ru", 45, 1000, 0)],
)
def test_tables_of_published_pairs_are_read_whole(data_folder, name, code, n_all, n_sets, n_identical):
    suite = suite_of(name, code, data_folder)
    assert n_listed(name, code, data_folder) == n_all
    assert {len(one.sets) for one in suite.constructions} == {n_sets}
    assert sum(len(one.identical) for one in suite.constructions) == n_identical


def test_the_first_pair_of_turblimps_anaphors_is_one_sentence(data_folder):
    (anaphors,) = [one for one in suite_of("turblimp", "tr", data_folder).constructions if "anaphor" in one.name]
    assert anaphors.sets[0].has_identical
    assert anaphors.identical[0] == 1


def test_the_words_that_rublimp_names_are_found_in_every_pair_and_a_moved_word_is_the_focus_alone(data_folder):
    suite = suite_of("rublimp", "ru", data_folder)
    assert all(a_set.named is not None for one in suite.constructions for a_set in one.sets)
    (concord,) = [one for one in suite.constructions if one.name == "negative_concord"]
    for one in concord.sets:
        words = [sentence[start:end] for sentence, (start, end) in zip(one.words, one.focus, strict=True)]
        assert [[word.lower() for word in of_sentence] for of_sentence in words] == [["не"], ["не"]]


def test_sling_is_grouped_by_folder_and_its_words_are_characters(data_folder):
    suite = suite_of("sling", "zh", data_folder)
    assert len(suite.constructions) == 54
    assert sizes(suite, "phenomenon")["Anaphor"] == 18560
    assert sum(len(one.sets) for one in suite.constructions) == 40560
    assert sum(len(one.identical) for one in suite.constructions) == 24
    assert suite.constructions[0].sets[0].words[0] == tuple(suite.constructions[0].sets[0].grammatical.sentence)
