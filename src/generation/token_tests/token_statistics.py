"""What is said of a token-level test: its rows, where they come from, what its splits share."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from src.generation.made_tests.filters import described
from src.generation.made_tests.row_statistics import Row, row_statistics, share, shared_with_train
from src.generation.token_tests.token_candidates import TokenCandidates
from src.generation.token_tests.treebank_tokens import TreebankTokens
from src.splits import SPLITS


def token_rows(treebank: TreebankTokens, items: TokenCandidates) -> list[Row]:
    """Returns the rows of a split: sentence, index, label."""
    sentences = treebank.text_ids[treebank.sentence_ids[items.tokens]].tolist()
    places, labels = treebank.places[items.tokens].tolist(), items.label_ids.tolist()
    return [
        (treebank.texts[sentence], str(place), items.labels[label])
        for sentence, place, label in zip(sentences, places, labels, strict=True)
    ]


def token_origins(treebank: TreebankTokens, items: TokenCandidates, split: str) -> Iterator[dict[str, Any]]:
    """Says for every row of a split where it comes from.

    Yields:
        Split and line; form, its rank (None where it is not frequent, or there is no frequency list) and label; file of
        the treebank, line there and sentence; lemma, UPOS, FEATS (of the words of a multiword token, joined by `+`) and
        the bundle that the label was read from.
    """
    inflections = treebank.decoded.inflections
    for line, (token, label) in enumerate(zip(items.tokens.tolist(), items.label_ids.tolist(), strict=True), start=1):
        sentence = treebank.sentence_ids[token]
        yield {
            "split": split,
            "line": line,
            "form": inflections.forms[inflections.form_ids[token]],
            "rank": None if treebank.ranks is None else int(treebank.ranks[inflections.form_ids[token]]) or None,
            "label": items.labels[label],
            "file": treebank.files[treebank.file_ids[sentence]],
            "file_line": int(treebank.lines[token]),
            "sentence": treebank.identifiers[sentence],
            "lemma": inflections.lemmas[inflections.lemma_ids[token]],
            "upos": treebank.upos[treebank.upos_ids[token]],
            "feats": treebank.feats[treebank.feats_ids[token]],
            "bundle": inflections.bundles[inflections.bundle_ids[token]],
        }


def token_statistics(
    treebank: TreebankTokens,
    candidates: TokenCandidates,
    drawn: Mapping[str, np.ndarray],
    rows: Mapping[str, Sequence[Row]],
) -> dict[str, Any]:
    """Counts what a reader of a test asks for; shares are from 0 to 1.

    Args:
        candidates: what the test was drawn from; drawn: their places, by split.
        rows: of each split.

    Returns:
        What `row_statistics` does, the memoriser knowing forms without their sentences, and
        filters: what each took, as tokens and as a share of what came to it.
        ambiguity: as in `TokenCandidates`.
        frequent_share: by split, of items whose form is frequent; None where there is no frequency list.
        shared_with_train: items whose sentence, lemma, form train has, too.
    """
    inflections = treebank.decoded.inflections
    tokens = {split: candidates.tokens[places] for split, places in drawn.items()}
    forms = {split: inflections.form_ids[tokens[split]].tolist() for split in SPLITS}
    keys = {
        "sentence": {split: treebank.text_ids[treebank.sentence_ids[tokens[split]]].tolist() for split in SPLITS},
        "lemma": {split: inflections.lemma_ids[tokens[split]].tolist() for split in SPLITS},
        "form": forms,
    }
    of_forms = {
        split: [(inflections.forms[form], row[-1]) for form, row in zip(forms[split], rows[split], strict=True)]
        for split in SPLITS
    }
    return {
        "filters": described(candidates.steps),
        **row_statistics(rows),
        "memoriser": row_statistics(of_forms)["memoriser"],
        "ambiguity": dict(candidates.ambiguity),
        "frequent_share": {split: _frequent_share(treebank, tokens[split]) for split in SPLITS},
        "shared_with_train": {
            name: shared_with_train({split: [{key} for key in of_split[split]] for split in SPLITS})
            for name, of_split in keys.items()
        },
    }


def _frequent_share(treebank: TreebankTokens, tokens: np.ndarray) -> float | None:
    if treebank.ranks is None:
        return None
    return share(np.count_nonzero(treebank.ranks[treebank.decoded.inflections.form_ids[tokens]]), len(tokens))


def share_of_several_bundles(form_ids: np.ndarray, bundle_ids: np.ndarray) -> float:
    """Returns which share of the forms has several bundles, as the article counts ambiguity at this level (Table 5).

    Args:
        form_ids, bundle_ids: of each token, `[tokens]`.
    """
    pairs = np.unique(np.stack([form_ids, bundle_ids], axis=1), axis=0)
    n_bundles = np.bincount(pairs[:, 0])
    return share(np.count_nonzero(n_bundles > 1), np.count_nonzero(n_bundles))
