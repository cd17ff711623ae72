"""Which forms a test of one feature can have: those whose label of the feature is one.

The article (Şahin et al. 2020) removes "words with multiple interpretations for the same feature": forms with several
labels ("values" here). The released program removes every form that occurs more than once among the triples that have
the feature, also where they agree, and then also triples without part of speech ("occurrences").
"""

from dataclasses import dataclass

import numpy as np

from src.generation.unimorph.decoding import PART_OF_SPEECH
from src.generation.unimorph.inflections import ABSENT, DecodedInflections


@dataclass(frozen=True)
class LabelledForms:
    """Forms with one label of a feature.

    Attributes:
        labels: the names.
        form_ids: in the order of their first triples, `[forms]`.
        label_ids: of each form, `[forms]`, its place in `labels`.
        n_triples: with a label of the feature.
        n_forms: distinct forms among them.
        n_repeated: forms with more than one of these triples.
        n_ambiguous: forms with more than one label.
        n_rare: forms that only had labels that are too rare.
        n_without_part_of_speech: forms left out because their triple names no part of speech.
    """

    labels: tuple[str, ...]
    form_ids: np.ndarray
    label_ids: np.ndarray
    n_triples: int
    n_forms: int
    n_repeated: int
    n_ambiguous: int
    n_rare: int
    n_without_part_of_speech: int


def labelled_forms(
    lexicon: DecodedInflections, feature: str, ambiguity: str, least_of_label: int, is_excluded: np.ndarray | None = None
) -> LabelledForms:
    """Finds the forms with one label of a feature.

    Args:
        lexicon: the triples.
        feature: a dimension.
        ambiguity: "values" or "occurrences".
        least_of_label: labels of fewer triples are left out first; 1 leaves out none.
        is_excluded: triples that are passed over, `[triples]`.
    """
    values = lexicon.values(feature)
    of_triples = values.of_triples.copy()
    if is_excluded is not None:
        of_triples[is_excluded] = ABSENT
    n_triples, all_forms = _present(lexicon, of_triples)
    if n_triples:
        counts = np.bincount(of_triples[of_triples != ABSENT], minlength=len(values.labels))
        is_rare = np.append(counts < least_of_label, False)  # the last one is what ABSENT, -1, looks up
        of_triples = np.where(is_rare[of_triples], ABSENT, of_triples)
    n_left, forms = _present(lexicon, of_triples)
    order, starts, n_of_form = _by_form(lexicon.inflections.form_ids, of_triples)
    by_form = of_triples[order]
    least, most = (
        np.minimum.reduceat(by_form, starts) if n_left else by_form,
        np.maximum.reduceat(by_form, starts) if n_left else by_form,
    )
    is_repeated, is_ambiguous = n_of_form > 1, least != most
    is_kept = ~(is_repeated if ambiguity == "occurrences" else is_ambiguous)
    n_before = int(is_kept.sum())
    if ambiguity == "occurrences" and (is_repeated.any() or n_left < n_triples):
        is_kept &= lexicon.presence(PART_OF_SPEECH)[order[starts]] if n_left else is_kept
    first = np.sort(order[starts][is_kept]) if n_left else order
    return LabelledForms(
        labels=tuple(values.labels),
        form_ids=lexicon.inflections.form_ids[first],
        label_ids=of_triples[first],
        n_triples=n_triples,
        n_forms=all_forms,
        n_repeated=int(is_repeated.sum()),
        n_ambiguous=int(is_ambiguous.sum()),
        n_rare=all_forms - forms,
        n_without_part_of_speech=n_before - int(is_kept.sum()),
    )


def forms_without(lexicon: DecodedInflections, feature: str, is_excluded: np.ndarray | None = None) -> np.ndarray:
    """Returns the ids of the forms no triple of which has the feature, in the order of their first triples.

    Args:
        is_excluded: triples that are passed over, `[triples]`: a form needs another one.
    """
    form_ids, n_forms = lexicon.inflections.form_ids, len(lexicon.inflections.forms)
    has = np.zeros(n_forms, bool)
    is_open = np.ones(n_forms, bool)
    presence = lexicon.presence(feature)
    if is_excluded is not None:
        presence = presence & ~is_excluded
        is_open[:] = False
        is_open[form_ids[~is_excluded]] = True
    has[form_ids[presence]] = True
    return np.flatnonzero(~has & is_open).astype(np.int32)


def _present(lexicon: DecodedInflections, of_triples: np.ndarray) -> tuple[int, int]:
    """Counts the triples with a label, and their forms."""
    form_ids = lexicon.inflections.form_ids[of_triples != ABSENT]
    return len(form_ids), int(np.count_nonzero(np.bincount(form_ids, minlength=1)))


def _by_form(form_ids: np.ndarray, of_triples: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sorts the triples with a label by form, keeping their order within a form.

    Returns:
        The triples, `[labelled]`; where each form starts among them, `[forms]`; how many it has, `[forms]`.
    """
    labelled = np.flatnonzero(of_triples != ABSENT)
    order = labelled[np.argsort(form_ids[labelled], kind="stable")]
    sorted_forms = form_ids[order]
    starts = np.flatnonzero(np.diff(sorted_forms, prepend=-1))
    return order, starts, np.diff(starts, append=len(order))
