"""Counts of UniMorph files by the rules of the released program: the figures that are known for them, all exact."""

import dataclasses
import functools
from pathlib import Path

import numpy as np
import pytest

from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.made_tests.frequent_words import ranks_of, read_frequent_words
from polyprobe.generation.made_tests.labels import length_bins
from polyprobe.generation.type_tests.single_forms import LabelledForms, forms_without, labelled_forms
from polyprobe.generation.unimorph.decoding import RELEASED, Decisions
from polyprobe.generation.unimorph.inflections import DecodedInflections, Inflections, read_inflections

pytestmark = pytest.mark.real_data

PERSON_ALONE = dataclasses.replace(RELEASED, person="alone")
TURKISH = {  # triples, forms, repeated, of several values, kept by occurrences, kept by values, frequent of the former
    "Case": (33214, 27488, 3606, 886, 23882, 26602, 2198),
    "Number": (42709, 36593, 3932, 1130, 32661, 35463, 3172),
    "Part of Speech": (42709, 36593, 3932, 3, 32661, 36590, 3172),
    "Possession": (26785, 22029, 2873, 2771, 19156, 19258, 1163),
    "Tense": (7922, 7767, 155, 0, 7612, 7767, 1165),
    "Person": (5056, 5043, 13, 0, 5030, 5043, 956),
    "Polarity": (5056, 5043, 13, 0, 5030, 5043, 956),
    "Aspect": (1903, 1895, 8, 0, 1887, 1895, 295),
}
TURKISH_LABELS = {
    "Case": {
        **{"Nominative": 4214, "Dative": 4164, "Locative": 4123, "Ablative": 4094, "Accusative": 3727, "Genitive": 3560}
    },
    "Number": {"Singular": 17336, "Plural": 15325},
    "Part of Speech": {"Noun": 27634, "Verb": 4776, "Adjective": 251},
    "Possession": {
        f"Possession by {who}": count
        for who, count in zip(
            ("1.pl", "2.pl", "2.sg", "3.sg", "3.pl", "1.sg"), (5037, 5019, 2730, 2497, 2288, 1585), strict=True
        )
    },
    "Tense": {"Past": 3342, "Present": 3336, "Future": 934},
    "Polarity": {"Positive": 2612, "Negative": 2418},
}
TURKISH_2021 = {
    "Case": {
        **{"Locative": 1899, "Ablative": 1869, "Nominative": 1858, "Dative": 1856, "Accusative": 1766, "Genitive": 1710}
    },
    "Polarity": {"Negative": 4715, "Positive": 4597},
    "Tense": {"Past": 5080, "Present": 2553, "Future": 1315},
    "Mood": {"Indicative": 5113, "Irrealis": 3762, "Imperative-Jussive": 334},
}
# Triples without blank, forms; of each feature: forms, % repeated, % of several values, kept, number of values.
OTHERS = {
    "deu": (166429, 66113, """Case 33402 60.36 60.32 13241 4|Mood 28655 65.70 60.84 9830 3
        |Number 62057 62.82 8.80 23071 2
        |Part of Speech 66113 58.99 1.86 27110 3|Person 28655 65.70 47.87 9830 3|Tense 30535 60.09 3.92 12185 2"""),
    "rus": (72634, 65090, """Case 44475 14.09 11.72 38207 6|Gender 18762 16.42 7.49 15681 3
        |Number 59871 10.62 1.75 53514 2|Part of Speech 65090 9.78 0.45 58726 5|Person 9013 0.85 0.00 8936 3
        |Tense 15258 0.02 0.00 15255 3|Voice 2324 0.00 0.00 2324 2"""),
    "spa": (156574, 132855, """Gender 9867 1.74 0.00 9695 2|Mood 117956 18.09 7.28 96621 4
        |Number 127818 16.83 0.00 106307 2|Part of Speech 132855 16.19 0.00 111343 3
        |Person 117956 18.09 12.70 96621 3|Tense 114225 11.35 1.76 101262 3"""),
    "eng": (115523, 91870, "Part of Speech 91870 25.05 24.69 68854 2|Tense 69496 32.91 0.01 46622 2"),
    "fin": (170526, 158688, """Case 131296 7.88 6.82 120951 15|Mood 24997 2.86 0.74 24281 4
        |Number 153840 7.27 0.09 142653 2|Part of Speech 158688 7.20 0.95 147269 4|Person 21170 3.36 0.87 20459 3
        |Tense 25483 2.82 2.44 24765 2|Voice 25483 2.82 0.03 24765 2"""),
}  # fmt: skip


def lexicon(data_folder: Path, *names: str, decisions: Decisions = PERSON_ALONE) -> DecodedInflections:
    return DecodedInflections(read(tuple(data_folder / "unimorph" / name for name in names)), decisions)


@functools.cache
def read(paths: tuple[Path, ...]) -> Inflections:
    return read_inflections(paths, "nfc", refuse)


@pytest.fixture(scope="module")
def turkish(data_folder: Path) -> DecodedInflections:
    return lexicon(data_folder, "tur/tur.txt")


def counted(kept: LabelledForms) -> dict[str, int]:
    counts = np.bincount(kept.label_ids, minlength=len(kept.labels)).tolist()
    return dict(zip(kept.labels, counts, strict=True))


def test_turkish_has_the_known_numbers_of_triples_and_forms(turkish: DecodedInflections):
    reading = turkish.inflections.reading
    assert (reading.triples, reading.with_blank, reading.normalized) == (51557, 8848, 0)
    assert len(turkish.inflections.form_ids) == 42709
    assert len(turkish.inflections.forms) == 36593


def test_kept_and_frequent_forms_of_turkish_are_those_of_the_table(turkish: DecodedInflections, data_folder: Path):
    words = read_frequent_words(data_folder / "frequency/tr.txt", 500_000, "nfc", refuse)
    ranks = ranks_of(turkish.inflections.forms, words, "unicode")
    assert np.count_nonzero(ranks) == 4089
    for feature, expected in TURKISH.items():
        released = labelled_forms(turkish, feature, "occurrences", least_of_label=5)
        article = labelled_forms(turkish, feature, "values", least_of_label=5)
        n_frequent = np.count_nonzero(ranks[turkish.inflections.form_ids[released.triples]])
        kept = len(released.triples), len(article.triples), n_frequent
        found = released.n_triples, released.n_forms, released.n_repeated, released.n_ambiguous, *kept
        assert found == expected, feature


def test_labels_of_turkish_are_those_of_the_table(turkish: DecodedInflections):
    for feature, expected in TURKISH_LABELS.items():
        assert counted(labelled_forms(turkish, feature, "occurrences", 5)) == expected, feature
    persons = counted(labelled_forms(turkish, "Person", "occurrences", 5))
    assert persons == {"First person": 1690, "Second person": 1650, "Third person": 1690}
    for feature in ("Mood", "Interrogativity"):
        assert len(labelled_forms(turkish, feature, "occurrences", 5).labels) == 1


def test_a_turkish_person_is_labelled_with_its_number(data_folder: Path):
    triples = read_inflections([data_folder / "unimorph/tur/tur.txt"], "kept", refuse)
    found = counted(labelled_forms(DecodedInflections(triples, RELEASED), "Person", "occurrences", 1))
    expected = (("First", "Plural", 860), ("Third", "Singular", 847), ("Third", "Plural", 843))
    expected += (("Second", "Plural", 831), ("First", "Singular", 830), ("Second", "Singular", 819))
    assert found == {f"{person} person {number}": count for person, number, count in expected}


def test_turkish_forms_without_a_feature_are_as_many_as_known(turkish: DecodedInflections):
    expected = {"Case": 9105, "Tense": 28826, "Person": 31550, "Polarity": 31550, "Possession": 14564, "Number": 0}
    assert {feature: len(forms_without(turkish, feature)) for feature in expected} == expected


def test_tag_counts_and_lengths_of_turkish_are_those_of_the_table(turkish: DecodedInflections):
    bundles = turkish.inflections.bundle_ids[turkish.inflections.first_triples]
    counts = np.bincount(turkish.tag_counts()[bundles])
    assert {n: count for n, count in enumerate(counts.tolist()) if count} == {
        3: 7687,
        4: 23864,
        6: 86,
        7: 3061,
        8: 1895,
    }
    lengths = np.bincount(length_bins(turkish.inflections.forms)).tolist()
    assert lengths == [0, 290, 7202, 17755, 9807, 1428, 111]


def test_the_turkish_of_2021_has_the_known_counts(data_folder: Path):
    later = lexicon(data_folder, "tur/tur-2021.txt")
    assert (len(later.inflections.form_ids), len(later.inflections.forms)) == (21735, 21031)
    for feature, expected in TURKISH_2021.items():
        assert counted(labelled_forms(later, feature, "occurrences", 5)) == expected, feature
    kept = {"Case": 10958, "Polarity": 9312, "Person": 9312, "Tense": 8948}
    assert {feature: len(labelled_forms(later, feature, "occurrences", 5).triples) for feature in kept} == kept


def test_both_turkish_files_together_have_the_known_counts(data_folder: Path):
    both = lexicon(data_folder, "tur/tur.txt", "tur/tur-2021.txt")
    expected = {
        "Case": (35894, 29233, 34717),
        "Tense": (16216, 15558, 16215),
        "Person": (13849, 13326, 13849),
        "Polarity": (13849, 13326, 13844),
        "Possession": (28350, 23155, 24764),
    }
    for feature, figures in expected.items():
        released, article = (labelled_forms(both, feature, rule, 5) for rule in ("occurrences", "values"))
        assert (released.n_forms, len(released.triples), len(article.triples)) == figures, feature


@pytest.mark.parametrize("language", OTHERS)
def test_other_languages_have_the_known_counts(language: str, data_folder: Path):
    n_triples, n_forms, rows = OTHERS[language]
    other = lexicon(data_folder, f"{language}/{language}.txt")
    assert (len(other.inflections.form_ids), len(other.inflections.forms)) == (n_triples, n_forms)
    for row in rows.split("|"):
        *feature, forms, repeated, ambiguous, kept, n_values = row.split()
        found = labelled_forms(other, " ".join(feature), "occurrences", 5)
        assert found.n_forms == int(forms), row
        assert f"{100 * found.n_repeated / found.n_forms:.2f}" == repeated, row
        assert f"{100 * found.n_ambiguous / found.n_forms:.2f}" == ambiguous, row
        assert (len(found.triples), len(found.labels)) == (int(kept), int(n_values)), row


def test_codes_that_the_schema_lacks_are_counted(data_folder: Path):
    for language in ("deu", "rus", "spa", "eng"):
        assert lexicon(data_folder, f"{language}/{language}.txt", decisions=RELEASED).unknown_codes() == {}, language
    assert lexicon(data_folder, "fin/fin.txt").unknown_codes() == {"GEADJ": 1513}
    assert lexicon(data_folder, "fin/fin.txt", decisions=Decisions()).unknown_codes() == {"GEADJ": 1513}
    turkish = lexicon(data_folder, "tur/tur.txt").unknown_codes()
    assert set(turkish) <= {"1S", "2S", "3S", "1P", "2P", "3P"}
