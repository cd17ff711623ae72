"""What is said of a test that was made: what each filter took, how its labels fall, what it can be solved by."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from src.frequency import by_frequency, most_frequent
from src.generation.type_tests.candidates import Candidates
from src.generation.type_tests.making import MadeTest
from src.generation.type_tests.ranked_lexicon import RankedLexicon
from src.splits import SPLITS

Row = tuple[str, ...]  # one form or two, and the label


def rows_of(test: MadeTest, lexicon: RankedLexicon, split: str) -> list[Row]:
    """Returns the rows of a split."""
    items, inflections = test.split(split), lexicon.inflections
    forms = inflections.form_ids[items.triples].tolist()
    labels = items.label_ids.tolist()
    return [
        (*(inflections.forms[form] for form in of_item), items.labels[label])
        for of_item, label in zip(forms, labels, strict=True)
    ]


def origins_of(test: MadeTest, lexicon: RankedLexicon, split: str, rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Says for every row of a split where it comes from.

    Args:
        rows: of the split.

    Yields:
        Split, line, forms and label; for each form its rank (None where it is not frequent) and its analyses: of a form
        that stands alone all of them, of a form in a pair the one that the pair was made of.
    """
    items, inflections = test.split(split), lexicon.inflections
    is_pair = items.triples.shape[1] == 2
    ranks = lexicon.ranks_as_written if is_pair else lexicon.ranks
    for line, (triples, row) in enumerate(zip(items.triples, rows, strict=True), start=1):
        forms = inflections.form_ids[triples]
        of_forms = [[triple] for triple in triples] if is_pair else [inflections.triples_of(form) for form in forms]
        yield {
            "split": split,
            "line": line,
            "forms": list(row[:-1]),
            "label": row[-1],
            "ranks": [int(rank) or None for rank in ranks[forms]],
            "analyses": [[_analysis(lexicon, triple) for triple in of_form] for of_form in of_forms],
        }


def _analysis(lexicon: RankedLexicon, triple: int) -> dict[str, str]:
    inflections = lexicon.inflections
    lemma, bundle = inflections.lemma_ids[triple], inflections.bundle_ids[triple]
    return {"lemma": inflections.lemmas[lemma], "bundle": inflections.bundles[bundle]}


def statistics_of(test: MadeTest, lexicon: RankedLexicon, rows: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    """Counts what a reader of a test asks for; shares are from 0 to 1.

    Args:
        rows: of each split.

    Returns:
        filters: what each took, as items and as a share of what came to it.
        items, labels, frequent_share: by split; frequent_draw: how frequent ones were drawn.
        ambiguity: shares of the forms of the feature that are repeated, that have several labels.
        duplicates: rows that an earlier row of any split repeats.
        lemma_overlap: by split, items one of whose lemmas train has, too.
        form_overlap: by split, items that train has, too, whatever their label.
        majority, memoriser: accuracy on test of the most frequent label of train; of the label that train gives the
            same item, the majority where it gives none.
    """
    items = {split: test.split(split) for split in SPLITS}
    every = [row for split in SPLITS for row in rows[split]]
    return {
        "filters": [
            {
                "filter": s.name,
                "unit": s.unit,
                "taken": s.taken,
                "share": _share(s.taken, s.taken + s.left),
                "left": s.left,
            }
            for s in test.candidates.steps
        ],
        "items": {split: len(rows[split]) for split in SPLITS},
        "labels": {split: _counted(row[-1] for row in rows[split]) for split in SPLITS},
        "ambiguity": {name: round(share, 6) for name, share in test.candidates.ambiguity.items()},
        "frequent_share": {split: _share(items[split].is_frequent.sum(), len(rows[split])) for split in SPLITS},
        "frequent_draw": dict(test.drawn.branches),
        "duplicates": len(every) - len(set(every)),
        "lemma_overlap": _lemma_overlap(items, lexicon),
        "form_overlap": _form_overlap(rows),
        **_trivial_accuracies(rows),
    }


def _counted(labels: Iterable[str]) -> dict[str, int]:
    counts = Counter(labels)
    return {label: counts[label] for label in by_frequency(counts)}


def _share(part: int, whole: int) -> float:
    return round(float(part) / whole, 6) if whole > 0 and part >= 0 else 0.0


def _lemma_overlap(items: dict[str, Candidates], lexicon: RankedLexicon) -> dict[str, float]:
    lemmas = {split: [_lemmas(row, lexicon) for row in items[split].triples] for split in SPLITS}
    known = set().union(*lemmas["train"])
    return {s: _share(sum(not known.isdisjoint(one) for one in lemmas[s]), len(lemmas[s])) for s in SPLITS[1:]}


def _lemmas(triples: np.ndarray, lexicon: RankedLexicon) -> set[int]:
    """The lemmas of all analyses of an item's forms."""
    inflections = lexicon.inflections
    of_forms = [inflections.triples_of(form) for form in inflections.form_ids[triples]]
    return set(inflections.lemma_ids[np.concatenate(of_forms)].tolist())


def _form_overlap(rows: Mapping[str, Sequence[Row]]) -> dict[str, float]:
    known = {row[:-1] for row in rows["train"]}
    return {s: _share(sum(row[:-1] in known for row in rows[s]), len(rows[s])) for s in SPLITS[1:]}


def _trivial_accuracies(rows: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    counts = Counter(row[-1] for row in rows["train"])
    majority = most_frequent(counts)
    remembered: dict[Row, Counter[str]] = {}
    for row in rows["train"]:
        remembered.setdefault(row[:-1], Counter())[row[-1]] += 1
    guesses = [most_frequent(remembered.get(row[:-1], counts)) for row in rows["test"]]
    n_test = len(rows["test"])
    return {
        "majority": {"label": majority, "accuracy": _share(sum(row[-1] == majority for row in rows["test"]), n_test)},
        "memoriser": _share(sum(g == row[-1] for g, row in zip(guesses, rows["test"], strict=True)), n_test),
    }
