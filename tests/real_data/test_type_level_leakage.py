"""How many test items have a lemma that train has, too: in the published sets, and in ours that are cut at random.

The shares are worked out nowhere else: they hold what docs/generation.md and docs/generation_study.md tell the user.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.made_tests.row_statistics import memoriser_by, shared_with_train, wholly_in_train
from polyprobe.generation.type_level import make_test, rows_of, statistics_of
from polyprobe.generation.type_tests.ranked_lexicon import read_lexicon
from polyprobe.generation.type_tests.type_level_options import options_of
from polyprobe.generation.unimorph.inflections import read_inflections
from polyprobe.splits import SPLITS

pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def german_lemmas(data_folder: Path) -> Mapping[str, set[int]]:
    """The lemmas of each German form; the table has 93 to 98 % of the published test items."""
    inflections = read_inflections([data_folder / "unimorph/deu/deu.txt"], "kept", refuse)
    lemmas: dict[str, set[int]] = {}
    for form, lemma in zip(inflections.form_ids.tolist(), inflections.lemma_ids.tolist(), strict=True):
        lemmas.setdefault(inflections.forms[form], set()).add(lemma)
    return lemmas


def lemmas_of_rows(path: Path, lemmas: Mapping[str, set[int]]) -> Iterator[set[int]]:
    for row in path.read_text(encoding="utf-8").splitlines():
        yield set().union(*(lemmas.get(form, ()) for form in row.split("\t")[:-1]))


@pytest.mark.parametrize(
    ("name", "share"), [("POS", 0.401), ("Case", 0.416), ("Person", 0.645), ("Mood", 0.661), ("SameFeat", 0.991)]
)
def test_published_german_sets_share_lemmas_between_train_and_test(data_folder: Path, german_lemmas, name, share):
    folder = data_folder / f"linspector/type/german/{name}"
    keys = {split: list(lemmas_of_rows(folder / f"{split}.txt", german_lemmas)) for split in SPLITS}
    assert shared_with_train(keys)["test"] == share


@pytest.mark.parametrize(
    ("language", "both_forms", "memoriser"),
    [
        ("turkish", 0.748, 0.841),
        ("finnish", 0.876, 0.984),
        ("german", 0.891, 0.957),
        ("russian", 0.859, 0.957),
        ("spanish", 0.91, 0.961),
    ],
)
def test_published_pairs_of_same_feature_are_remembered_form_by_form(data_folder, language, both_forms, memoriser):
    folder = data_folder / f"linspector/type/{language}/SameFeat"
    texts = {split: (folder / f"{split}.txt").read_text(encoding="utf-8") for split in SPLITS}
    rows = {split: [tuple(line.split("\t")) for line in text.splitlines()] for split, text in texts.items()}
    forms = {split: [set(row[:-1]) for row in rows[split]] for split in SPLITS}
    assert wholly_in_train(forms)["test"] == both_forms
    assert memoriser_by(forms, rows) == memoriser


def test_turkish_sets_cut_at_random_share_nine_lemmas_in_ten(data_folder: Path):
    """So a part of speech need not be read off a form: it can be remembered by the lemma, and SameFeat by the forms."""
    options = options_of("released", "tr", 1, split="random")
    files = [data_folder / "unimorph/tur/tur.txt"], data_folder / "frequency/tr.txt"
    lexicon = read_lexicon(*files, options, refuse)
    found = {}
    for name in ("POS", "Case", "Possession", "SameFeat"):
        draw = make_test(lexicon, name, options)
        rows = {split: rows_of(items, lexicon) for split, items in draw.splits.items()}
        found[name] = statistics_of(draw, lexicon, rows)
    lemmas = {name: statistics["shared_with_train"]["lemma"]["test"] for name, statistics in found.items()}
    assert lemmas == {"POS": 0.907, "Case": 0.894, "Possession": 0.928, "SameFeat": 0.99}
    assert (found["POS"]["lemma_memoriser"], found["SameFeat"]["form_memoriser"]) == (0.981, 0.874)
    assert found["SameFeat"]["shared_with_train"]["both_forms"]["test"] == 0.819
