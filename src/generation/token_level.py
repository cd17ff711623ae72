"""Token-level probing tests from treebanks, as LINSPECTOR's (Şahin et al. 2020, section 3.4).

Published sets are cut at random, so that most test items of small treebanks stand in sentences of train. Here the
sentences are shuffled and dealt out until each split has its share of the tokens; the parts are the same for every test
of a language. Sentences of the same words are one sentence.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from polyprobe.generation.language_sources import is_named, one_source, sources
from polyprobe.generation.linspector_tests import LinspectorTests
from polyprobe.generation.made_tests.drawing import Candidates, Draw, draw_test
from polyprobe.generation.made_tests.frequent_words import Ranks, ranks_of, read_frequent_words
from polyprobe.generation.made_tests.labels import length_bins, parts_by_weight
from polyprobe.generation.made_tests.row_statistics import Row, row_statistics, share, shares_with_train
from polyprobe.generation.maker import DrawnTest, LeftOut, MakingSettings, Written
from polyprobe.generation.token_tests.token_level_options import TokenLevelOptions, token_options_of
from polyprobe.generation.token_tests.treebank_tokens import NO_ITEM, TreebankTokens, read_treebanks
from polyprobe.generation.unimorph.decoding import PART_OF_SPEECH
from polyprobe.generation.unimorph.inflections import ABSENT, DecodedInflections
from polyprobe.seeds import derived_seed
from polyprobe.splits import SPLITS

_POS = "Part of Speech"  # the folder of the test POS, as in the published sets
TOKEN_BOUNDS = (2, 4, 6, 8, 10)  # the longest form of each bin of CharacterBin but the last (released program)
_BINNED = ("CharacterBin", "CharacterBin2")
_COUNTED: Mapping[str, Callable[[DecodedInflections], np.ndarray]] = {  # what is counted of each token
    "TagCount": lambda decoded: decoded.tag_counts()[decoded.inflections.bundle_ids],
    "CharacterBin": lambda decoded: length_bins(decoded.inflections.forms, TOKEN_BOUNDS)[decoded.inflections.form_ids],
    "CharacterBin2": lambda decoded: length_bins(decoded.inflections.forms)[decoded.inflections.form_ids],
}


class TokenLevelTests(LinspectorTests):
    """Tests of words in sentences.

    Files: `treebanks`, CoNLL-U, read one after the other; `surface`, as `read_treebanks` takes it; `frequency`, a list
    for what is said of the items: it changes none of them. Of the last two there may be none.
    """

    section = "token_level"
    known = ("rules", "tests", "token_level", "on_malformed")
    options: TokenLevelOptions

    @classmethod
    def of(cls, settings: MakingSettings) -> Self:
        options = token_options_of(**cls.arguments_of(settings))
        named = settings.files
        files = {
            "treebanks": sources(named, "treebanks", options.parts),
            "surface": sources(named, "surface") if is_named(named, "surface") else [],
            "frequency": [one_source(named, "frequency")] if is_named(named, "frequency") else [],
        }
        return cls(options, files, settings.handler())

    @cached_property
    def treebank(self) -> TreebankTokens:
        treebank = read_treebanks(self.paths("treebanks"), self.paths("surface"), self.options, self.on_malformed)
        treebank.decoded.warn_of_unknown_codes(self.paths("treebanks"))
        return treebank

    @cached_property
    def listed(self) -> Ranks | None:
        """The words of the frequency list."""
        path, options = self.path_if_any("frequency"), self.options
        if path is None:
            return None
        return read_frequent_words(path, options.frequent_words, options.normalization, self.on_malformed)

    @cached_property
    def ranks(self) -> np.ndarray | None:
        """Of each form in the frequency list, 0 where it is not frequent, `[forms]`; None without a list."""
        forms = self.treebank.decoded.inflections.forms
        return None if self.listed is None else ranks_of(forms, self.listed, self.options.case)

    @property
    def possible(self) -> Collection[str]:
        return possible_token_tests(self.treebank)

    @property
    def unnamed(self) -> Collection[str]:
        return feature_tests(self.treebank) if self.options.tests_without_names == "features" else self.possible

    def make(self, folder: Path, tests: Sequence[str] | None) -> Iterator[Written | LeftOut]:
        """Writes tests, which may be named as their folders, too: see `Maker`."""
        return super().make(folder, None if tests is None else ["POS" if one == _POS else one for one in tests])

    def of_files(self) -> dict[str, Any]:
        return {"treebank": _of_treebank(self.treebank, len(self.on_malformed.places))}

    def of_other_files(self) -> dict[str, Any]:
        n_before = len(self.on_malformed.places)
        if self.listed is None:
            return {}
        n_malformed = len(self.on_malformed.places) - n_before
        return {"frequency_list": {"frequent_words": len(self.listed), "malformed_rows_left_out": n_malformed}}

    def drawn(self, name: str) -> DrawnTest:
        generator = np.random.default_rng(derived_seed(self.options.seed, "token level", name))
        draw = draw_test(name, candidates_of(self.treebank, name, self.options), self.options, generator)
        rows = {split: token_rows(self.treebank, items) for split, items in draw.splits.items()}
        origins = (origin for split in SPLITS for origin in self._origins(draw.splits[split], split))
        folder = _POS if name == "POS" else name
        return DrawnTest(folder, rows, origins, draw.candidates.steps, lambda: self._statistics(draw, rows))

    def _origins(self, items: Candidates, split: str) -> Iterator[dict[str, Any]]:
        """Says for every row of a split where it comes from.

        Yields:
            Split and line; form, its rank (None where it is not frequent, or there is no frequency list) and label;
            file of the treebank, line there and sentence; lemma, UPOS, FEATS (of the words of a multiword token, joined
            by `+`) and the bundle that the label was read from.
        """
        treebank, ranks = self.treebank, self.ranks
        inflections = treebank.decoded.inflections
        pairs = zip(items.made_of[:, 0].tolist(), items.label_ids.tolist(), strict=True)
        for line, (token, label) in enumerate(pairs, start=1):
            sentence = treebank.sentence_ids[token]
            yield {
                "split": split,
                "line": line,
                "form": inflections.forms[inflections.form_ids[token]],
                "rank": None if ranks is None else int(ranks[inflections.form_ids[token]]) or None,
                "label": items.labels[label],
                "file": treebank.files[treebank.file_ids[sentence]],
                "file_line": int(treebank.lines[token]),
                "sentence": treebank.identifiers[sentence],
                "lemma": inflections.lemmas[inflections.lemma_ids[token]],
                "upos": treebank.upos[treebank.upos_ids[token]],
                "feats": treebank.feats[treebank.feats_ids[token]],
                "bundle": inflections.bundles[inflections.bundle_ids[token]],
            }

    def _statistics(self, draw: Draw, rows: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
        """Counts what a reader of a test asks for; shares are from 0 to 1.

        Returns:
            memoriser: that of forms without their sentences.
            ambiguity: as in `Candidates`.
            frequent_share: by split, of items whose form is frequent; None where there is no frequency list.
            shared_with_train: items whose sentence, lemma, form train has, too.
        """
        treebank, ranks = self.treebank, self.ranks
        inflections = treebank.decoded.inflections
        tokens = {split: items.made_of[:, 0] for split, items in draw.splits.items()}
        forms = {split: inflections.form_ids[tokens[split]].tolist() for split in SPLITS}
        keys = {
            "sentence": lambda token: {treebank.text_ids[treebank.sentence_ids[token]]},
            "lemma": lambda token: {inflections.lemma_ids[token]},
            "form": lambda token: {inflections.form_ids[token]},
        }
        of_forms = {
            split: [(inflections.forms[form], row[-1]) for form, row in zip(forms[split], rows[split], strict=True)]
            for split in SPLITS
        }
        return {
            "memoriser": row_statistics(of_forms)["memoriser"],
            "ambiguity": dict(draw.candidates.ambiguity),
            "frequent_share": {
                split: None if ranks is None else share(np.count_nonzero(ranks[ids]), len(ids))
                for split, ids in forms.items()
            },
            "shared_with_train": shares_with_train(tokens, keys),
        }


def feature_tests(treebank: TreebankTokens) -> dict[str, str]:
    """Returns the features that have a test, by the names of their tests; the last is the part of speech."""
    found = treebank.decoded
    return {**found.feature_tests(), **({"POS": PART_OF_SPEECH} if PART_OF_SPEECH in found.features() else {})}


def possible_token_tests(treebank: TreebankTokens) -> tuple[str, ...]:
    """Returns the names of the tests that treebanks may have, those of features first."""
    return (*feature_tests(treebank), *_COUNTED)


def candidates_of(treebank: TreebankTokens, test: str, options: TokenLevelOptions) -> Candidates:
    """Finds the tokens that one of `possible_token_tests` can have."""
    if test in _COUNTED:
        values, label_ids = np.unique(_COUNTED[test](treebank.decoded), return_inverse=True)
        labels = tuple(map(str, values.tolist()))
        found = _of_tokens(treebank, labels, np.arange(len(treebank)), label_ids.astype(np.int32), options)
    else:
        found = _labelled(treebank, test, options)
    found = found.filtered("a blank inside", treebank.places[found.made_of[:, 0]] != NO_ITEM)
    if test not in _BINNED or options.character_bin_lengths == "as_others":
        is_near = _has_usual_length(treebank, options)
        found = found.filtered("sentences too short or too long", is_near[treebank.sentence_ids[found.made_of[:, 0]]])
    is_rare = np.bincount(found.label_ids, minlength=len(found.labels)) < options.least_of_label
    found = found.filtered("labels that are too rare", ~is_rare[found.label_ids])
    return found if test in _COUNTED else replace(found, ambiguity=_ambiguity(treebank, found))


def _labelled(treebank: TreebankTokens, test: str, options: TokenLevelOptions) -> Candidates:
    decoded = treebank.decoded
    feature = feature_tests(treebank)[test]
    values = decoded.values(feature)
    tokens = np.flatnonzero(decoded.presence(feature))
    found = _of_tokens(treebank, values.labels, tokens, values.of_triples[tokens], options)
    if ignored := options.ignored.get(feature, ()):
        found = found.filtered("parts of speech passed over", ~decoded.has_part_of_speech(ignored)[tokens])
    return found.filtered("a person without a number", found.label_ids != ABSENT)


def _of_tokens(
    treebank: TreebankTokens, labels: Sequence[str], tokens: np.ndarray, ids: np.ndarray, options: TokenLevelOptions
) -> Candidates:
    """Returns tokens, places in the treebank, with their labels."""
    parts = parts_of_sentences(treebank, options)[treebank.sentence_ids[tokens]]
    return Candidates(labels, tokens[:, None], ids, parts, "tokens")


def parts_of_sentences(treebank: TreebankTokens, options: TokenLevelOptions) -> np.ndarray:
    """Returns the split of each sentence, from 0, `[sentences]`; sentences of the same words are in one."""
    generator = np.random.default_rng(derived_seed(options.seed, "token level", "sentences"))
    n_tokens = np.bincount(treebank.text_ids, treebank.n_tokens, minlength=len(treebank.texts))
    order = generator.permutation(len(treebank.texts))
    parts = np.zeros(len(order), np.int8)
    parts[order] = parts_by_weight(n_tokens[order], [options.items[split] for split in SPLITS])
    return parts[treebank.text_ids]


def _has_usual_length(treebank: TreebankTokens, options: TokenLevelOptions) -> np.ndarray:
    """Says which sentences are neither too short nor too long, `[sentences]`."""
    n_tokens = treebank.n_tokens
    if options.sentence_lengths == "all" or not len(n_tokens):
        return np.ones(len(n_tokens), bool)
    return np.abs(n_tokens - n_tokens.mean()) <= options.deviations * n_tokens.std()


def _ambiguity(treebank: TreebankTokens, found: Candidates) -> dict[str, float]:
    forms = treebank.decoded.inflections.form_ids[found.made_of[:, 0]]
    order = np.lexsort((found.label_ids, forms))
    forms, labels = forms[order], found.label_ids[order]
    is_new_form = np.diff(forms, prepend=-1) != 0
    is_new_label = is_new_form | (np.diff(labels, prepend=-1) != 0)
    starts = np.flatnonzero(is_new_form)
    n_tokens = np.diff(starts, append=len(forms))
    n_labels = np.add.reduceat(is_new_label.astype(np.int32), starts) if len(starts) else starts
    return {
        "several_labels": share(np.count_nonzero(n_labels > 1), len(starts)),
        "repeated": share(np.count_nonzero(n_tokens > 1), len(starts)),
        "tokens_of_several_labels": share(n_tokens[n_labels > 1].sum(), len(forms)),
    }


def token_rows(treebank: TreebankTokens, items: Candidates) -> list[Row]:
    """Returns the rows of a split: sentence, index, label."""
    tokens = items.made_of[:, 0]
    sentences = treebank.text_ids[treebank.sentence_ids[tokens]].tolist()
    places, labels = treebank.places[tokens].tolist(), items.label_ids.tolist()
    return [
        (treebank.texts[sentence], str(place), items.labels[label])
        for sentence, place, label in zip(sentences, places, labels, strict=True)
    ]


def share_of_several_bundles(form_ids: np.ndarray, bundle_ids: np.ndarray) -> float:
    """Returns which share of the forms has several bundles, as the article counts ambiguity at this level (Table 5).

    Args:
        form_ids, bundle_ids: of each token, `[tokens]`.
    """
    pairs = np.unique(np.stack([form_ids, bundle_ids], axis=1), axis=0)
    n_bundles = np.bincount(pairs[:, 0])
    return share(np.count_nonzero(n_bundles > 1), np.count_nonzero(n_bundles))


def _of_treebank(treebank: TreebankTokens, n_malformed: int) -> dict[str, Any]:
    inflections = treebank.decoded.inflections
    n_forms = len(np.unique(inflections.form_ids))
    return {
        **treebank.met,
        "malformed_sentences_left_out": n_malformed,
        "tokens": len(treebank),
        "distinct_sentences": len(treebank.texts),
        "mean_length": round(float(treebank.n_tokens.mean()), 6),
        "deviation_of_length": round(float(treebank.n_tokens.std()), 6),
        "forms": n_forms,
        "tokens_per_form": round(len(treebank) / n_forms, 6),
        "forms_of_several_bundles": share_of_several_bundles(inflections.form_ids, inflections.bundle_ids),
        "spellings_changed_by_nfc": inflections.reading.normalized,
        "unknown_codes": treebank.decoded.unknown_codes(),
        "undecided_dimensions": treebank.decoded.undecided(),
    }
