"""Which forms a test of one feature can have: those whose label of the feature is one.

The article (Şahin et al. 2020) removes "words with multiple interpretations for the same feature": forms with several
labels ("values" here). The released program removes every form that occurs more than once among the triples that have
the feature, also where they agree; where there are such forms, triples without part of speech go with them
("occurrences").
"""

from dataclasses import dataclass

import numpy as np

from src.generation.unimorph.decoding import PART_OF_SPEECH
from src.generation.unimorph.inflections import ABSENT, DecodedInflections, Inflections


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
    has_frequent = _has_frequent_label(of_triples, len(values.labels), least_of_label)
    groups = _Groups.of(lexicon.inflections, has_label)
    least, most = groups.extremes(of_triples)
    is_repeated, is_ambiguous = groups.sizes > 1, least != most
    has_one = ~(is_repeated if ambiguity == "occurrences" else is_ambiguous) & has_frequent[groups.first]
    is_kept = has_one
    if ambiguity == "occurrences" and (is_repeated.any() or not has_frequent[has_label].all()):
        is_kept = has_one & lexicon.presence(PART_OF_SPEECH)[groups.first]
    kept = np.sort(groups.first[is_kept])
    return LabelledForms(
        labels=tuple(values.labels),
        triples=kept,
        label_ids=of_triples[kept],
        n_triples=int(np.count_nonzero(has_label)),
        n_forms=len(groups.starts),
        n_repeated=int(np.count_nonzero(is_repeated)),
        n_ambiguous=int(np.count_nonzero(is_ambiguous)),
        n_rare=len(groups.starts) - int(np.count_nonzero(np.bincount(lexicon.inflections.form_ids[has_frequent]))),
        n_without_part_of_speech=int(np.count_nonzero(has_one) - len(kept)),
    )


def _has_frequent_label(of_triples: np.ndarray, n_labels: int, least_of_label: int) -> np.ndarray:
    """Says which triples have a label that is not too rare, `[triples]`."""
    is_frequent = np.bincount(of_triples[of_triples != ABSENT], minlength=n_labels) >= least_of_label
    return np.append(is_frequent, False)[of_triples]  # ABSENT, -1, looks up the last one


def forms_without(lexicon: DecodedInflections, feature: str, is_ignored: np.ndarray | None = None) -> np.ndarray:
    """Returns the first triple of each form that has no triple with the feature, ascending.

    Args:
        is_ignored: triples that are passed over, `[triples]`: forms that have no other are left out, too.
    """
    inflections, is_present = lexicon.inflections, lexicon.presence(feature)
    is_candidate = np.ones(len(is_present), bool) if is_ignored is None else ~is_ignored
    has_feature = np.zeros(len(inflections.forms), bool)
    has_feature[inflections.form_ids[is_present & is_candidate]] = True
    first = _Groups.of(inflections, is_candidate).first
    return np.sort(first[~has_feature[inflections.form_ids[first]]])


@dataclass(frozen=True)
class _Groups:
    """Triples by form."""

    order: np.ndarray
    """The triples, those of a form side by side in the order of the file, `[triples]`."""
    starts: np.ndarray
    """Where each form starts in `order`, `[forms]`."""
    sizes: np.ndarray
    """Triples of each form, `[forms]`."""

    @classmethod
    def of(cls, inflections: Inflections, is_member: np.ndarray) -> "_Groups":
        order = inflections.by_form[is_member[inflections.by_form]]
        starts = np.flatnonzero(np.diff(inflections.form_ids[order], prepend=-1))
        return cls(order, starts, np.diff(starts, append=len(order)))

    @property
    def first(self) -> np.ndarray:
        return self.order[self.starts]

    def extremes(self, of_triples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not len(self.starts):
            return self.starts, self.starts
        sorted_values = of_triples[self.order]
        return np.minimum.reduceat(sorted_values, self.starts), np.maximum.reduceat(sorted_values, self.starts)
