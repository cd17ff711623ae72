"""Candidates, in columns, of the tests of one form: a feature, POS, TagCount, CharacterCount, CharacterBin.

A form has one label of a feature. The article (Şahin et al. 2020) removes "words with multiple interpretations for the
same feature": forms with several labels ("values" here). The released program removes every form that occurs more than
once among the triples that have the feature, also where they agree; where there are such forms, triples without part of
speech go with them ("occurrences").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyprobe.generation.made_tests.drawing import Candidates
from polyprobe.generation.made_tests.frequent_words import Step
from polyprobe.generation.made_tests.labels import length_bins, lengths
from polyprobe.generation.type_tests.ranked_lexicon import RankedLexicon
from polyprobe.generation.type_tests.type_level_options import TypeLevelOptions
from polyprobe.generation.unimorph.decoding import PART_OF_SPEECH
from polyprobe.generation.unimorph.inflections import ABSENT, DecodedInflections, Inflections

NONE_LABEL = "None"


@dataclass(frozen=True)
class LabelledForms:
    """Forms with one label of a feature."""

    labels: tuple[str, ...]
    triples: np.ndarray
    """The first triple of each form, ascending, `[kept]`."""
    label_ids: np.ndarray
    """Places in `labels`, `[kept]`."""
    n_triples: int
    """That have a label of the feature."""
    n_forms: int
    """That they have."""
    n_repeated: int
    """Forms with more than one of these triples."""
    n_ambiguous: int
    """Forms with more than one label, rare ones included."""
    n_rare: int
    """Forms all of whose labels are too rare."""
    n_without_part_of_speech: int
    """Forms that went because their triple names no part of speech."""

    @property
    def ambiguity(self) -> dict[str, float]:
        """The shares of the forms that are repeated and that have several labels."""
        n_forms = max(self.n_forms, 1)
        return {"repeated": self.n_repeated / n_forms, "several_labels": self.n_ambiguous / n_forms}


def feature_candidates(lexicon: RankedLexicon, feature: str, options: TypeLevelOptions) -> Candidates:
    """Finds the forms with one label of a feature, and those of the class None: forms that never have it.

    Where unknown codes count, a form with one is not None: the code may be of the feature.
    """
    is_ignored = lexicon.decoded.has_part_of_speech(options.language.ignored.get(feature, ()))
    kept = labelled_forms(lexicon.decoded, feature, options.ambiguity, options.least_of_label, is_ignored)
    none = forms_without(lexicon.decoded, feature, is_ignored)
    passed = lexicon.decoded.has_part_of_speech(options.language.not_none.get(feature, ()))
    if options.unknown_codes == "left_out":
        passed |= lexicon.decoded.has_unknown_code()
    none = none[~np.isin(lexicon.inflections.form_ids[none], lexicon.inflections.form_ids[passed])]
    triples = np.concatenate([kept.triples, none])
    label_ids = np.concatenate([kept.label_ids, np.full(len(none), len(kept.labels), kept.label_ids.dtype)])
    steps = (*_steps(kept, options), Step("with forms without the feature", "forms", 0, len(triples)))
    counted = {"none_share": options.none_share, "ambiguity": kept.ambiguity, "steps": steps}
    labels = (*kept.labels, NONE_LABEL)
    return _in_one_split(_of_forms(lexicon, labels, triples, label_ids, options, **counted), options)


def part_of_speech_candidates(lexicon: RankedLexicon, options: TypeLevelOptions) -> Candidates:
    """Finds the forms with one part of speech; there is no class None."""
    kept = labelled_forms(lexicon.decoded, PART_OF_SPEECH, options.ambiguity, options.least_of_label)
    counted = {"ambiguity": kept.ambiguity, "steps": _steps(kept, options)}
    return _in_one_split(_of_forms(lexicon, kept.labels, kept.triples, kept.label_ids, options, **counted), options)


def counted_candidates(lexicon: RankedLexicon, test: str, options: TypeLevelOptions) -> Candidates:
    """Finds the forms of TagCount, CharacterCount or CharacterBin, which are the same for all three."""
    inflections = lexicon.inflections
    triples = np.sort(inflections.first_triples)
    if test == "TagCount":
        counts = lexicon.decoded.tag_counts()[inflections.bundle_ids[triples]]
    else:
        of_forms = lengths if test == "CharacterCount" else length_bins
        counts = of_forms(inflections.forms)[inflections.form_ids[triples]]
    values, label_ids = np.unique(counts, return_inverse=True)
    found = _of_forms(lexicon, tuple(map(str, values.tolist())), triples, label_ids.astype(np.int32), options)
    has_several = np.zeros(len(inflections.forms), bool)
    if options.tag_count_sample == "unambiguous":
        forms, bundles = (ids[inflections.by_form] for ids in (inflections.form_ids, inflections.bundle_ids))
        has_several[forms[1:][(np.diff(forms) == 0) & (np.diff(bundles) != 0)]] = True
    found = found.filtered("several bundles", ~has_several[inflections.form_ids[triples]])
    if options.unknown_codes == "left_out":
        has_unknown = lexicon.decoded.has_unknown_code()
        found = found.filtered("codes that the schema lacks", ~has_unknown[found.made_of[:, 0]])
    return _in_one_split(found, options)


def _steps(kept: LabelledForms, options: TypeLevelOptions) -> tuple[Step, ...]:
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
    return tuple(steps)


def _of_forms(
    lexicon: RankedLexicon,
    labels: Sequence[str],
    triples: np.ndarray,
    label_ids: np.ndarray,
    options: TypeLevelOptions,
    **further: Any,
) -> Candidates:
    """Returns forms with their labels; `triples` has the first triple of each form, `[forms]`."""
    forms = lexicon.inflections.form_ids[triples]
    parts, is_frequent = lexicon.parts[forms], lexicon.ranks[forms] > 0
    share = options.frequent_share
    return Candidates(labels, triples[:, None], label_ids, parts, "forms", is_frequent, share, **further)


def _in_one_split(candidates: Candidates, options: TypeLevelOptions) -> Candidates:
    if options.split == "lemma":
        return candidates.filtered("lemmas of two splits", candidates.parts >= 0)
    return candidates


def labelled_forms(
    lexicon: DecodedInflections, feature: str, ambiguity: str, least_of_label: int, is_ignored: np.ndarray | None = None
) -> LabelledForms:
    """Finds the forms with one label of a feature.

    A form that has a rare label beside a frequent one is repeated and ambiguous: whether a form is, is asked of all
    triples that have the feature, as in the released program.

    Args:
        ambiguity: "values" or "occurrences".
        least_of_label: labels of fewer triples are left out; 1 leaves out none.
        is_ignored: triples that are passed over, `[triples]`.
    """
    values = lexicon.values(feature)
    of_triples = values.of_triples if is_ignored is None else np.where(is_ignored, ABSENT, values.of_triples)
    has_label = of_triples != ABSENT
    is_frequent = np.bincount(of_triples[has_label], minlength=len(values.labels)) >= least_of_label
    has_frequent = np.append(is_frequent, False)[of_triples]  # ABSENT, -1, looks up the last one
    order, starts = _by_form(lexicon.inflections, has_label)
    first = order[starts]
    is_repeated, is_ambiguous = np.diff(starts, append=len(order)) > 1, np.zeros(len(starts), bool)
    if len(starts):
        labels = of_triples[order]
        is_ambiguous = np.minimum.reduceat(labels, starts) != np.maximum.reduceat(labels, starts)
    has_one = ~(is_repeated if ambiguity == "occurrences" else is_ambiguous) & has_frequent[first]
    is_kept = has_one
    if ambiguity == "occurrences" and (is_repeated.any() or not has_frequent[has_label].all()):
        is_kept = has_one & lexicon.presence(PART_OF_SPEECH)[first]
    kept = np.sort(first[is_kept])
    return LabelledForms(
        labels=tuple(values.labels),
        triples=kept,
        label_ids=of_triples[kept],
        n_triples=int(np.count_nonzero(has_label)),
        n_forms=len(starts),
        n_repeated=int(np.count_nonzero(is_repeated)),
        n_ambiguous=int(np.count_nonzero(is_ambiguous)),
        n_rare=len(starts) - int(np.count_nonzero(np.bincount(lexicon.inflections.form_ids[has_frequent]))),
        n_without_part_of_speech=int(np.count_nonzero(has_one) - len(kept)),
    )


def forms_without(lexicon: DecodedInflections, feature: str, is_ignored: np.ndarray | None = None) -> np.ndarray:
    """Returns the first triple of each form that has no triple with the feature, ascending.

    Args:
        is_ignored: triples that are passed over, `[triples]`: forms that have no other are left out, too.
    """
    inflections, is_present = lexicon.inflections, lexicon.presence(feature)
    is_candidate = np.ones(len(is_present), bool) if is_ignored is None else ~is_ignored
    has_feature = np.zeros(len(inflections.forms), bool)
    has_feature[inflections.form_ids[is_present & is_candidate]] = True
    order, starts = _by_form(inflections, is_candidate)
    first = order[starts]
    return np.sort(first[~has_feature[inflections.form_ids[first]]])


def _by_form(inflections: Inflections, is_member: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns triples, those of a form side by side in the order of the file, and where each form starts in them."""
    order = inflections.by_form[is_member[inflections.by_form]]
    return order, np.flatnonzero(np.diff(inflections.form_ids[order], prepend=-1))
