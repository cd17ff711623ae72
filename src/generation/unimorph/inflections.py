"""The inflection table of a language in columns of integers: what millions of triples are counted with.

Forms with a blank are left out everywhere, as in the released program (Turkish questions such as `anlıyor musun`).
"""

import logging
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from polyprobe.formats.lexica import unimorph
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.frequency import by_frequency
from polyprobe.generation.unimorph.decoding import LANGUAGE_SPECIFIC, PART_OF_SPEECH, Decisions, Decoded, decode

_log = logging.getLogger(__name__)

ABSENT = -1
_MANY, _MOST_TOLD = 0.05, 8  # of all triples; codes that a line names


@dataclass(frozen=True, slots=True)
class Reading:
    """What was met when the files of a language were read."""

    triples: int
    """All of them."""
    with_blank: int
    """Those left out because their form has a blank."""
    bundles_with_blank: Sequence[str]
    """The bundles of these, each once."""
    normalized: int
    """Distinct spellings (of forms and lemmas) that NFC changed."""


@dataclass(frozen=True)
class Inflections:
    """Triples in the order of the files."""

    lemmas: Sequence[str]
    forms: Sequence[str]
    bundles: Sequence[str]
    """`lemmas`, `forms` and `bundles`: each once, in the order of their first triple."""
    lemma_ids: np.ndarray
    form_ids: np.ndarray
    bundle_ids: np.ndarray
    """`lemma_ids`, `form_ids` and `bundle_ids`: of each triple, `[triples]`, int32."""
    reading: Reading

    @cached_property
    def by_form(self) -> np.ndarray:
        """The triples sorted by form, those of a form in the order of the files, `[triples]`."""
        return np.argsort(self.form_ids, kind="stable").astype(np.int32)

    @cached_property
    def first_triples(self) -> np.ndarray:
        """The first triple of each form, `[forms]`."""
        return self.by_form[self._starts[:-1]]

    def triples_of(self, form_id: int) -> np.ndarray:
        """Returns the triples of a form, in the order of the files."""
        return self.by_form[self._starts[form_id] : self._starts[form_id + 1]]

    @cached_property
    def _starts(self) -> np.ndarray:
        return np.append(0, np.cumsum(np.bincount(self.form_ids, minlength=len(self.forms))))


@dataclass(frozen=True)
class Values:
    """The values of one feature."""

    labels: Sequence[str]
    """In alphabetical order."""
    of_bundles: np.ndarray
    """`[bundles]`, the place of the label in `labels`, or `ABSENT`; int32."""
    of_triples: np.ndarray
    """The same for triples, `[triples]`."""


class DecodedInflections:
    """Inflections with what their bundles say.

    Attributes:
        inflections: the triples.
        decisions: how they were decoded.
        bundles: each bundle in dimensions.
    """

    def __init__(self, inflections: Inflections, decisions: Decisions):
        self.inflections, self.decisions = inflections, decisions
        self.bundles: list[Decoded] = [decode(bundle, decisions) for bundle in inflections.bundles]
        self._triples_of_bundles = np.bincount(inflections.bundle_ids, minlength=len(inflections.bundles))

    def values(self, feature: str) -> Values:
        """Returns the labels of a dimension."""
        labels = [bundle.label(feature, self.decisions.person) for bundle in self.bundles]
        used = sorted({label for label in labels if label is not None})
        places = {label: place for place, label in enumerate(used)}
        of_bundles = np.array([places.get(label, ABSENT) for label in labels], np.int32)
        return Values(used, of_bundles, of_bundles[self.inflections.bundle_ids])

    def presence(self, feature: str) -> np.ndarray:
        """Says which triples have a dimension, with a label or without (a person without number), `[triples]`."""
        has = np.array([feature in bundle.values for bundle in self.bundles], bool)
        return has[self.inflections.bundle_ids]

    def has_unknown_code(self) -> np.ndarray:
        """Says which triples have a code that the schema lacks, `[triples]`."""
        return np.array([bool(bundle.unknown) for bundle in self.bundles], bool)[self.inflections.bundle_ids]

    def tag_counts(self) -> np.ndarray:
        """Counts the dimensions of each bundle, `[bundles]`."""
        return np.array([len(bundle.values) for bundle in self.bundles], np.int32)

    def features(self) -> tuple[str, ...]:
        """Returns the dimensions that a triple has, in alphabetical order."""
        return tuple(sorted({dimension for bundle in self.bundles for dimension in bundle.values}))

    def feature_tests(self) -> dict[str, str]:
        """Returns the dimensions that can have a test, but the part of speech, by the names of their tests."""
        features = [name for name in self.features() if name not in (PART_OF_SPEECH, LANGUAGE_SPECIFIC)]
        return {name.replace(" ", ""): name for name in features}

    def has_part_of_speech(self, names: Sequence[str]) -> np.ndarray:
        """Says which triples have one of these parts of speech, `[triples]`."""
        values = self.values(PART_OF_SPEECH)
        return np.isin(values.of_triples, [place for place, label in enumerate(values.labels) if label in names])

    def labels_with_blank(self, feature: str) -> set[str]:
        """Returns the labels of a dimension, those included that only forms with a blank have."""
        left_out = (decode(bundle, self.decisions) for bundle in self.inflections.reading.bundles_with_blank)
        labels = {bundle.label(feature, self.decisions.person) for bundle in (*self.bundles, *left_out)}
        return {label for label in labels if label is not None}

    def unknown_codes(self) -> dict[str, int]:
        """Returns the codes that the schema lacks, with their numbers of triples, the most frequent first."""
        return self._counted(lambda bundle: bundle.unknown)

    def warn_of_unknown_codes(self, paths: Sequence[Path]) -> None:
        """Logs which codes the schema lacks, where many triples have one."""
        n_unknown, n = int(self.has_unknown_code().sum()), len(self.inflections.bundle_ids)
        if n_unknown == 0 or n_unknown < _MANY * n:
            return
        counts = self.unknown_codes()
        told = ", ".join(f"{code} ({count:,})" for code, count in [*counts.items()][:_MOST_TOLD])
        more = f" and {len(counts) - _MOST_TOLD} more" if len(counts) > _MOST_TOLD else ""
        files = ", ".join(map(str, paths))
        _log.warning(
            "%s: %s of %s rows hold codes that the schema lacks: %s%s.", files, f"{n_unknown:,}", f"{n:,}", told, more
        )

    def undecided(self) -> dict[str, int]:
        """Returns the dimensions that have two labels neither of which is narrower, with their numbers of triples."""
        return self._counted(lambda bundle: bundle.undecided)

    def _counted(self, names: Callable[[Decoded], Sequence[str]]) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for bundle, n_triples in zip(self.bundles, self._triples_of_bundles.tolist(), strict=True):
            for name in set(names(bundle)):
                counts[name] += n_triples
        return {name: counts[name] for name in by_frequency(counts)}


def read_inflections(paths: Sequence[Path], normalization: str, on_malformed: OnMalformed) -> Inflections:
    """Reads the files of a language one after the other.

    Args:
        normalization: "nfc": spellings that are canonically equivalent are one (a letter and its accent as one code
            point or two); "kept": as released, they are two.
    """
    lemmas, forms, bundles = (Numbering(normalization) for _ in range(3))
    lemma_ids, form_ids, bundle_ids = [], [], []
    n_triples, bundles_with_blank = 0, {}
    for path in paths:
        for _, cells in unimorph.read_rows(path, on_malformed):
            n_triples += 1
            if " " in cells[1]:
                bundles_with_blank[cells[2]] = None
                continue
            lemma_ids.append(lemmas[cells[0]])
            form_ids.append(forms[cells[1]])
            bundle_ids.append(bundles[cells[2]])
    reading = Reading(
        triples=n_triples,
        with_blank=n_triples - len(form_ids),
        bundles_with_blank=tuple(bundles_with_blank),
        normalized=lemmas.n_changed + forms.n_changed,
    )
    columns = (np.array(ids, np.int32) for ids in (lemma_ids, form_ids, bundle_ids))
    return Inflections(lemmas.spellings, forms.spellings, bundles.spellings, *columns, reading)


class Numbering(dict):
    """Numbers spellings in the order in which they are first asked for.

    Attributes:
        spellings: by number.
        n_changed: spellings that the normalization changed.
    """

    def __init__(self, normalization: str):
        super().__init__()
        self._is_kept = normalization == "kept"
        self.spellings: list[str] = []
        self.n_changed = 0

    def __missing__(self, spelling: str) -> int:
        if self._is_kept or unicodedata.is_normalized("NFC", spelling):
            number = len(self.spellings)
            self.spellings.append(spelling)
        else:
            self.n_changed += 1
            number = self[unicodedata.normalize("NFC", spelling)]
        self[spelling] = number
        return number
