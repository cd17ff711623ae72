"""Candidates, in columns, of the tests of one form: a feature, POS, TagCount, CharacterCount, CharacterBin."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from src.generation.made_tests.frequent_words import Step
from src.generation.made_tests.labels import length_bins, lengths
from src.generation.type_tests.ambiguity import LabelledForms, forms_without, labelled_forms
from src.generation.type_tests.ranked_lexicon import RankedLexicon
from src.generation.type_tests.type_level_options import TypeLevelOptions
from src.generation.unimorph.decoding import PART_OF_SPEECH
from src.generation.unimorph.inflections import DecodedInflections

NONE_LABEL = "None"


@dataclass(frozen=True)
class Candidates:
    """Items that a test may have."""

    labels: Sequence[str]
    """The names; `None` is the last one where the test has it."""
    triples: np.ndarray
    """What each item is made of, `[items, 1]` (a form) or `[items, 2]` (a pair): the first triple of a form."""
    label_ids: np.ndarray
    """`[items]`, places in `labels`."""
    is_frequent: np.ndarray
    """`[items]`."""
    parts: np.ndarray
    """`[items]`, the split that all lemmas of the item are in (0 to 2), -1 where they are in several."""
    asks_frequent: bool
    """Whether frequent items have a share of their own when items are drawn."""
    has_none: bool
    """Whether the last label is the class `None`, which has a share of its own."""
    ambiguity: dict[str, float]
    """Shares of forms: those that occur more than once, those with several labels; empty where nothing is counted."""
    steps: tuple[Step, ...]
    """What the filters so far did."""

    def __len__(self) -> int:
        return len(self.label_ids)

    def chosen(self, places: np.ndarray) -> "Candidates":
        """Returns the items at these places, in this order."""
        columns = ("triples", "label_ids", "is_frequent", "parts")
        return replace(self, **{name: getattr(self, name)[places] for name in columns})

    def filtered(self, name: str, is_kept: np.ndarray) -> "Candidates":
        """Leaves items out and says so."""
        left = int(np.count_nonzero(is_kept))
        step = Step(name, "pairs" if self.is_paired else "forms", len(self) - left, left)
        return replace(self.chosen(np.flatnonzero(is_kept)), steps=(*self.steps, step))

    @property
    def is_paired(self) -> bool:
        """Whether an item is two forms."""
        return self.triples.shape[1] == 2

    @property
    def is_none(self) -> np.ndarray:
        """Which items are of the class None, `[items]`."""
        return self.label_ids == len(self.labels) - 1 if self.has_none else np.zeros(len(self), bool)


@dataclass(frozen=True)
class _Labelled:
    """Forms with their labels, as in `Candidates`; `triples` has the first triple of each form, `[forms]`."""

    labels: Sequence[str]
    triples: np.ndarray
    label_ids: np.ndarray
    has_none: bool


def feature_candidates(lexicon: RankedLexicon, feature: str, options: TypeLevelOptions) -> Candidates:
    """Finds the forms with one label of a feature, and those of the class None: forms that never have it.

    Where unknown codes count, a form with one is not None: the code may be of the feature.
    """
    is_ignored = _of_parts_of_speech(lexicon.decoded, options.language.ignored.get(feature, ()))
    kept = labelled_forms(lexicon.decoded, feature, options.ambiguity, options.least_of_label, is_ignored)
    none = forms_without(lexicon.decoded, feature, is_ignored)
    unusable = _of_parts_of_speech(lexicon.decoded, options.language.not_none.get(feature, ()))
    for passed in (unusable, _with_unknown_code(lexicon, options)):
        if passed is not None:
            none = none[~np.isin(lexicon.inflections.form_ids[none], lexicon.inflections.form_ids[passed])]
    triples = np.concatenate([kept.triples, none])
    label_ids = np.concatenate([kept.label_ids, np.full(len(none), len(kept.labels), kept.label_ids.dtype)])
    found = _Labelled((*kept.labels, NONE_LABEL), triples, label_ids, has_none=True)
    steps = [*_steps(kept, options), Step("with forms without the feature", "forms", 0, len(triples))]
    return _with_parts(lexicon, found, kept.ambiguity, steps, options)


def part_of_speech_candidates(lexicon: RankedLexicon, options: TypeLevelOptions) -> Candidates:
    """Finds the forms with one part of speech; there is no class None."""
    kept = labelled_forms(lexicon.decoded, PART_OF_SPEECH, options.ambiguity, options.least_of_label)
    found = _Labelled(kept.labels, kept.triples, kept.label_ids, has_none=False)
    return _with_parts(lexicon, found, kept.ambiguity, _steps(kept, options), options)


def counted_candidates(lexicon: RankedLexicon, test: str, options: TypeLevelOptions) -> Candidates:
    """Finds the forms of TagCount, CharacterCount or CharacterBin, which are the same for all three."""
    inflections = lexicon.inflections
    triples = np.sort(inflections.first_triples)
    n_forms = len(triples)
    if options.tag_count_sample == "unambiguous":
        forms, bundles = (ids[inflections.by_form] for ids in (inflections.form_ids, inflections.bundle_ids))
        changes = (np.diff(forms) == 0) & (np.diff(bundles) != 0)
        has_several = np.zeros(len(inflections.forms), bool)
        has_several[forms[1:][changes]] = True
        triples = triples[~has_several[inflections.form_ids[triples]]]
    steps = [Step("several bundles", "forms", n_forms - len(triples), len(triples))]
    if (has_unknown := _with_unknown_code(lexicon, options)) is not None:
        n_forms, triples = len(triples), triples[~has_unknown[triples]]
        steps.append(Step("codes that the schema lacks", "forms", n_forms - len(triples), len(triples)))
    numbers = _numbers(lexicon, test, triples)
    values, label_ids = np.unique(numbers, return_inverse=True)
    found = _Labelled(tuple(map(str, values.tolist())), triples, label_ids.astype(np.int32), has_none=False)
    return _with_parts(lexicon, found, {}, steps, options)


def _numbers(lexicon: RankedLexicon, test: str, triples: np.ndarray) -> np.ndarray:
    """What is counted of each triple or its form, `[triples]`."""
    if test == "TagCount":
        return lexicon.decoded.tag_counts()[lexicon.inflections.bundle_ids[triples]]
    count = {"CharacterCount": lengths, "CharacterBin": length_bins}[test]
    return count(lexicon.inflections.forms)[lexicon.inflections.form_ids[triples]]


def _of_parts_of_speech(lexicon: DecodedInflections, names: Sequence[str]) -> np.ndarray | None:
    """Says which triples have one of these parts of speech, `[triples]`; None where none is named."""
    if not names:
        return None
    values = lexicon.values(PART_OF_SPEECH)
    return np.isin(values.of_triples, [place for place, label in enumerate(values.labels) if label in names])


def _with_unknown_code(lexicon: RankedLexicon, options: TypeLevelOptions) -> np.ndarray | None:
    """Says which triples have a code that the schema lacks, `[triples]`; None where such codes are passed over."""
    return lexicon.decoded.has_unknown_code() if options.unknown_codes == "left_out" else None


def _steps(kept: LabelledForms, options: TypeLevelOptions) -> list[Step]:
    """Says what went before one label was left to each form."""
    n_left, steps = kept.n_forms, []
    n_ambiguous = kept.n_forms - kept.n_rare - kept.n_without_part_of_speech - len(kept.triples)
    for name, taken in (
        ("labels that are too rare", kept.n_rare),
        ("several labels" if options.ambiguity == "values" else "several occurrences", n_ambiguous),
        ("no part of speech", kept.n_without_part_of_speech),
    ):
        n_left -= taken
        steps.append(Step(name, "forms", taken, n_left))
    return steps


def _with_parts(
    lexicon: RankedLexicon,
    found: _Labelled,
    ambiguity: dict[str, float],
    steps: Sequence[Step],
    options: TypeLevelOptions,
) -> Candidates:
    forms = lexicon.inflections.form_ids[found.triples]
    candidates = Candidates(
        labels=found.labels,
        triples=found.triples[:, None],
        label_ids=found.label_ids,
        is_frequent=lexicon.ranks[forms] > 0,
        parts=lexicon.parts[forms],
        asks_frequent=True,
        has_none=found.has_none,
        ambiguity=ambiguity,
        steps=tuple(steps),
    )
    if options.split == "lemma":
        return candidates.filtered("lemmas of two splits", candidates.parts >= 0)
    return candidates
