"""Published minimal sets, as a run of probe.py reads them."""

import logging

import pytest
import yaml

from src.formats.reading.malformed import refuse
from src.named import built
from src.probing.suites.minimal_set_files import available, chosen, load
from src.probing.suites.region_tests import load_regions
from src.runs.command.script import CONF

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
    settings = yaml.safe_load((CONF / f"suite/{name}.yaml").read_text(encoding="utf-8"))
    files, lang = built(settings, "suite"), {"code": code, "generator": None}
    return load(files, lang, chosen(available(files, lang, data_folder), files, None), data_folder, None, refuse)


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_constructions_of_the_paper_have_its_numbers_of_sets_and_a_full_stop(code, data_folder):
    suite = suite_of("clams", code, data_folder)
    counted = {one.name: len(one.sets) for one in suite.constructions}
    assert list(counted.items()) == [(name, of[LANGUAGES.index(code)]) for name, of in N_SETS.items()]
    for construction in suite.constructions:
        assert construction.identical == []
        for one in construction.sets:
            assert [variant.sentence[-2:] for variant in one.variants] == [" .", " ."]


def test_pairs_of_blimp_that_are_identical_are_said(data_folder, caplog):
    caplog.set_level(logging.WARNING)
    suite = suite_of("blimp", "en", data_folder)
    assert {one.name: len(one.sets) for one in suite.constructions} == {one.name: 1000 for one in suite.constructions}
    assert len(suite.constructions) >= 12  # what is laid out, of 67
    identical = {one.name: len(one.identical) for one in suite.constructions if one.identical}
    assert identical == {"passive_1": 2, "principle_A_case_2": 5}
    assert "passive_1.jsonl: 2 of 1000 sets have a variant spelt as the grammatical sentence" in caplog.text


def test_test_suites_of_syntaxgym_have_the_published_numbers_of_items(data_folder):
    settings = yaml.safe_load((CONF / "suite/syntaxgym.yaml").read_text(encoding="utf-8"))
    files, lang = built(settings, "suite"), {"code": "en", "generator": None}
    listed = available(files, lang, data_folder)
    assert len(listed) == 34  # here or pinned
    here = [one for one in listed if (data_folder / one.target).is_file()]
    suite = load_regions(files, lang, here, data_folder, None, refuse)
    counted = {one.name: (one.n_sets, one.n_sentences) for one in suite.constructions}
    expected = {"center_embed": (28, 56), "fgd_hierarchy": (24, 144), "nn-nv-rpl": (1, 4), "subordination": (23, 92)}
    assert {name: counted[name] for name in expected} == expected
    assert len(here) < 32 or sum(n for n, _ in counted.values()) >= 785
