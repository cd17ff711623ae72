"""What is said of a test that was made: what each filter took, how its labels fall, what it can be solved by."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from src.generation.made_tests.filters import described
from src.generation.made_tests.row_statistics import (
    Row,
    memoriser_by,
    row_statistics,
    share,
    shared_with_train,
    wholly_in_train,
)
from src.generation.type_tests.making import MadeTest
from src.generation.type_tests.ranked_lexicon import RankedLexicon
from src.splits import SPLITS


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
        What `row_statistics` does, and
        filters: what each took, as items and as a share of what came to it.
        ambiguity: shares of the forms of the feature that are repeated, that have several labels.
        frequent_share: by split; frequent_draw: how frequent ones were drawn.
        shared_with_train: "lemma": items one of whose lemmas train has, too; "form": items that train has, too,
            whatever their label; "both_forms", of pairs: both forms are in train, be it in other pairs.
        lemma_memoriser: accuracy on test of the label that train gives most often to items of the same lemmas; of pairs
            form_memoriser, too.
    """
    items = {split: test.split(split) for split in SPLITS}
    lemmas = {split: [_lemmas(row, lexicon) for row in items[split].triples] for split in SPLITS}
    forms = {split: [set(row[:-1]) for row in rows[split]] for split in SPLITS}
    is_paired = test.candidates.is_paired
    return {
        "filters": described(test.candidates.steps),
        **row_statistics(rows),
        "ambiguity": {name: round(part, 6) for name, part in test.candidates.ambiguity.items()},
        "frequent_share": {split: share(items[split].is_frequent.sum(), len(rows[split])) for split in SPLITS},
        "frequent_draw": dict(test.drawn.branches),
        "shared_with_train": {
            "lemma": shared_with_train(lemmas),
            "form": shared_with_train({s: [{row[:-1]} for row in rows[s]] for s in SPLITS}),
            **({"both_forms": wholly_in_train(forms)} if is_paired else {}),
        },
        "lemma_memoriser": memoriser_by(lemmas, rows),
        **({"form_memoriser": memoriser_by(forms, rows)} if is_paired else {}),
    }


def _lemmas(triples: np.ndarray, lexicon: RankedLexicon) -> set[int]:
    """The lemmas of all analyses of an item's forms."""
    inflections = lexicon.inflections
    of_forms = [inflections.triples_of(form) for form in inflections.form_ids[triples]]
    return set(inflections.lemma_ids[np.concatenate(of_forms)].tolist())
