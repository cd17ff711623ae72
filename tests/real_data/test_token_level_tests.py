"""The published Turkish token-level sets against the treebank that they were made from, as far as it is at hand."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from polyprobe.formats.probing_sets import linspector
from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.token_level import candidates_of
from polyprobe.generation.token_tests.token_level_options import TokenLevelOptions, token_options_of
from polyprobe.generation.token_tests.treebank_tokens import TreebankTokens, read_treebanks
from polyprobe.splits import SPLITS

pytestmark = pytest.mark.real_data
PARTS = ("train", "dev", "test")

# Of 10,000 published rows: those whose sentence the treebank has. The others are of other treebanks and revisions.
FOUND = {
    "Aspect": 8430,
    "Case": 8184,
    "CharacterBin": 7595,
    "Mood": 8656,
    "Number": 6995,
    "POS": 7442,
    "Person": 9244,
    "Polarity": 8220,
    "TagCount": 7534,
    "Tense": 8477,
}
# Of these, rows with another label where an option is ours instead of the released program's.
OTHERWISE = {
    "multiword_labels": ("separated", {"Case": 2, "Mood": 1, "POS": 87, "Person": 24, "TagCount": 161, "Tense": 1}),
    "decoding": ({"two_labels": "specific"}, {"POS": 370}),
}


def treebank(root: Path, options: TokenLevelOptions) -> TreebankTokens:
    files = [root / f"unimorph/ud/tr_imst-um-{part}.conllu" for part in PARTS]
    return read_treebanks(files, [root / f"ud/tr_imst/{part}.conllu" for part in PARTS], options, refuse)


def labels_of(tokens: TreebankTokens, test: str, options: TokenLevelOptions) -> Mapping[tuple[str, int], set[str]]:
    """Returns the labels of each word, by sentence and index; sentences of the same words may have several."""
    found = candidates_of(tokens, test, options)
    places = found.made_of[:, 0]
    sentences = tokens.sentence_ids[places]
    labels: dict[tuple[str, int], set[str]] = {}
    for text, place, label in zip(tokens.text_ids[sentences], tokens.places[places], found.label_ids, strict=True):
        labels.setdefault((tokens.texts[text], int(place)), set()).add(found.labels[label])
    return labels


def published(root: Path, test: str) -> list[linspector.TokenRow]:
    folder = root / "linspector/token/turkish" / {"POS": "Part of Speech"}.get(test, test)
    return [row for split in SPLITS for row in linspector.read_tokens(folder / f"{split}.txt", refuse)]


def agreement(root: Path, options: TokenLevelOptions, test: str, tokens: TreebankTokens) -> tuple[int, int]:
    """Returns how many published rows have their sentence in the treebank, and how many of these another label."""
    known, labels = set(tokens.texts), labels_of(tokens, test, options)
    rows = [(" ".join(row.words), row.index, row.label) for row in published(root, test)]
    found = [row for row in rows if row[0] in known]
    return len(found), sum(label not in labels.get((text, index), ()) for text, index, label in found)


@pytest.fixture(scope="module")
def released(data_folder) -> tuple[TokenLevelOptions, TreebankTokens]:
    options = token_options_of("released", "tr", 1, labels="unimorph", sentence_lengths="all")
    return options, treebank(data_folder, options)


@pytest.mark.parametrize("test", FOUND)
def test_every_published_row_of_the_treebank_has_our_label(test, data_folder, released):
    options, tokens = released
    assert agreement(data_folder, options, test, tokens) == (FOUND[test], 0)


@pytest.mark.parametrize("option", OTHERWISE)
def test_rows_that_one_decision_changes_are_as_many_as_said(option, data_folder):
    value, others = OTHERWISE[option]
    options = token_options_of("released", "tr", 1, labels="unimorph", sentence_lengths="all", **{option: value})
    tokens = treebank(data_folder, options)
    found = {test: agreement(data_folder, options, test, tokens)[1] for test in FOUND}
    assert {test: n for test, n in found.items() if n} == others


def test_the_basic_table_gives_the_labels_of_the_published_conversion(data_folder):
    """Word by word, but for the order of labels: the files of SIGMORPHON 2019 come from the basic table alone."""
    by_ud, by_unimorph = {}, {}
    for labels, folder, bundles in (
        ("ud", "ud/tr_imst/{}.conllu", by_ud),
        ("unimorph", "unimorph/ud/tr_imst-um-{}.conllu", by_unimorph),
    ):
        options = token_options_of("article", "tr", 1, labels=labels, multiword="words")
        tokens = read_treebanks([data_folder / folder.format(part) for part in PARTS], [], options, refuse)
        inflections = tokens.decoded.inflections
        codes = [frozenset(filter(None, bundle.split(";"))) for bundle in inflections.bundles]
        starts = np.searchsorted(tokens.sentence_ids, np.arange(len(tokens.n_tokens)))
        for start, n_tokens, identifier in zip(starts, tokens.n_tokens, tokens.identifiers, strict=True):
            bundles[identifier] = [codes[bundle] for bundle in inflections.bundle_ids[start : start + n_tokens]]
    others = sum(
        ud != unimorph
        for identifier, of_sentence in by_ud.items()
        for ud, unimorph in zip(of_sentence, by_unimorph[identifier], strict=True)
    )
    assert (sum(map(len, by_ud.values())), others) == (57859, 0)
