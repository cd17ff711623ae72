"""Token-level probing tests from treebanks, as LINSPECTOR's (Şahin et al. 2020, section 3.4).

Published sets are cut at random, so that most test items of small treebanks stand in sentences of train. Here the
sentences are shuffled and dealt out until each split has its share of the tokens; the parts are the same for every test
of a language. Sentences of the same words are one sentence.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from polyprobe.errors import check_choice
from polyprobe.formats.reading.malformed import Handler
from polyprobe.generation.made_tests.frequent_words import described_steps, read_frequent_words
from polyprobe.generation.made_tests.labels import check_labels, check_train, label_quotas, parts_by_weight, sizes_of
from polyprobe.generation.made_tests.row_statistics import (
    LeftOut,
    Row,
    Written,
    made_in_turn,
    row_statistics,
    share,
    shared_with_train,
)
from polyprobe.generation.made_tests.writing import Source, described, write_test
from polyprobe.generation.token_tests.token_candidates import (
    TokenCandidates,
    candidates_of,
    feature_tests,
    possible_token_tests,
)
from polyprobe.generation.token_tests.token_level_options import TokenLevelOptions
from polyprobe.generation.token_tests.treebank_tokens import TreebankTokens, read_treebanks
from polyprobe.seeds import derived_seed
from polyprobe.splits import SPLITS

_FOLDERS: Mapping[str, str] = {"POS": "Part of Speech"}  # as the published sets are called
_SHORT: Mapping[str, str] = {folder: name for name, folder in _FOLDERS.items()}


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
        "filters": described_steps(candidates.steps),
        **row_statistics(rows),
        "memoriser": row_statistics(of_forms)["memoriser"],
        "ambiguity": dict(candidates.ambiguity),
        "frequent_share": {
            split: None if treebank.ranks is None else share(np.count_nonzero(treebank.ranks[ids]), len(ids))
            for split, ids in forms.items()
        },
        "shared_with_train": {
            name: shared_with_train({split: [{key} for key in of_split[split]] for split in SPLITS})
            for name, of_split in keys.items()
        },
    }


def share_of_several_bundles(form_ids: np.ndarray, bundle_ids: np.ndarray) -> float:
    """Returns which share of the forms has several bundles, as the article counts ambiguity at this level (Table 5).

    Args:
        form_ids, bundle_ids: of each token, `[tokens]`.
    """
    pairs = np.unique(np.stack([form_ids, bundle_ids], axis=1), axis=0)
    n_bundles = np.bincount(pairs[:, 0])
    return share(np.count_nonzero(n_bundles > 1), np.count_nonzero(n_bundles))


def parts_of_sentences(treebank: TreebankTokens, options: TokenLevelOptions) -> np.ndarray:
    """Returns the split of each sentence, from 0, `[sentences]`; sentences of the same words are in one."""
    generator = np.random.default_rng(derived_seed(options.seed, "token level", "sentences"))
    n_tokens = np.bincount(treebank.text_ids, treebank.n_tokens, minlength=len(treebank.texts))
    order = generator.permutation(len(treebank.texts))
    parts = np.zeros(len(order), np.int8)
    parts[order] = parts_by_weight(n_tokens[order], [options.items[split] for split in SPLITS])
    return parts[treebank.text_ids]


def draw_tokens(
    test: str, candidates: TokenCandidates, parts: np.ndarray, options: TokenLevelOptions
) -> Mapping[str, np.ndarray]:
    """Draws train, dev and test, each in random order; the same whatever other tests are made.

    Args:
        parts: the split that each candidate's sentence is in, `[candidates]`; passed over where `options.split` is
            "random".
        options: sizes, split, balance and seed.
    """
    check_labels(test, [candidates.labels[label] for label in np.unique(candidates.label_ids)])
    by_sentence = options.split == "sentence"
    pools = [np.flatnonzero(parts == part) for part in range(len(SPLITS))] if by_sentence else [np.arange(len(parts))]
    sizes = _sizes(test, candidates, [len(pool) for pool in pools], options)
    generator = np.random.default_rng(derived_seed(options.seed, "token level", test))
    if by_sentence:
        drawn = [_draw(candidates, *one, options, generator) for one in zip(pools, sizes, strict=True)]
    else:
        drawn = np.split(_draw(candidates, pools[0], sum(sizes), options, generator), np.cumsum(sizes)[:-1])
    return dict(zip(SPLITS, drawn, strict=True))


def _sizes(test: str, candidates: TokenCandidates, pools: Sequence[int], options: TokenLevelOptions) -> list[int]:
    """Finds how many items each split has.

    Args:
        pools: how many tokens there are for each split, or for all of them.
    """
    by_sentence = options.split == "sentence"
    return sizes_of(
        f"{test}: {len(candidates):,} tokens are left",
        options.items,
        options.sizes,
        "token_level.sizes",
        lambda sizes: all(n <= pool for n, pool in zip(sizes if by_sentence else [sum(sizes)], pools, strict=True)),
        " with sentence-disjoint splits" if by_sentence else "",
    )


def _draw(
    candidates: TokenCandidates,
    pool: np.ndarray,
    n_items: int,
    options: TokenLevelOptions,
    generator: np.random.Generator,
) -> np.ndarray:
    if options.balance == "none":
        return generator.choice(pool, n_items, replace=False)
    label_ids = candidates.label_ids[pool]
    counts = np.bincount(label_ids, minlength=len(candidates.labels))
    quotas = label_quotas(counts, np.ones(len(counts)), n_items)
    drawn = [
        generator.choice(pool[label_ids == label], quota, replace=False, shuffle=False)
        for label, quota in enumerate(quotas.tolist())
        if quota
    ]
    return generator.permutation(np.concatenate(drawn))


@dataclass(frozen=True, slots=True)
class TokenSources:
    """The files that tests of a language are made from."""

    treebanks: Sequence[Source]
    """CoNLL-U files, read one after the other."""
    surface: Sequence[Source] = ()
    """As `read_treebanks` takes it."""
    frequency: Source | None = None
    """A frequency list, for what is said of the items; it changes none of them."""

    @property
    def files(self) -> list[Source]:
        """All of them."""
        return [*self.treebanks, *self.surface, *([self.frequency] if self.frequency else [])]


def make_token_level_tests(
    sources: TokenSources,
    folder: Path,
    options: TokenLevelOptions,
    tests: Sequence[str] | None,
    on_malformed: Handler,
) -> Iterator[Written | LeftOut]:
    """Makes the tests of a language, each whole or not at all.

    Args:
        tests: their names, or those of their folders; None for those that `options.tests_without_names` says.
    """
    paths, surface_paths = ([one.path for one in files] for files in (sources.treebanks, sources.surface))
    treebank = read_treebanks(paths, surface_paths, options, on_malformed)
    unnamed = feature_tests if options.tests_without_names == "features" else possible_token_tests
    names = [_SHORT.get(name, name) for name in tests or ()] or unnamed(treebank)
    for name in names:
        check_choice("The test", name, possible_token_tests(treebank))
    made_from = _made_from(treebank, sources.files, options, on_malformed)
    if sources.frequency is not None:
        treebank, made_from["frequency_list"] = _ranked(treebank, sources.frequency.path, options, on_malformed)
    parts = parts_of_sentences(treebank, options)
    write = partial(_write, treebank=treebank, parts=parts, folder=folder, options=options, made_from=made_from)
    yield from made_in_turn(names, write, sources.treebanks)


def _write(
    name: str,
    treebank: TreebankTokens,
    parts: np.ndarray,
    folder: Path,
    options: TokenLevelOptions,
    made_from: Mapping[str, Any],
) -> Written:
    published_name = _FOLDERS.get(name, name)
    candidates = candidates_of(treebank, name, options)
    drawn = draw_tokens(name, candidates, parts[treebank.sentence_ids[candidates.tokens]], options)
    items = {split: candidates.chosen(drawn[split]) for split in SPLITS}
    rows = {split: token_rows(treebank, items[split]) for split in SPLITS}
    check_train(published_name, (label for *_, label in rows["train"]))
    statistics = {"test": published_name, **token_statistics(treebank, candidates, drawn, rows), **made_from}
    origins = (origin for split in SPLITS for origin in token_origins(treebank, items[split], split))
    write_test(folder / published_name, rows, origins, statistics)
    return Written(published_name, statistics)


def _ranked(
    treebank: TreebankTokens, frequency: Path, options: TokenLevelOptions, on_malformed: Handler
) -> tuple[TreebankTokens, dict[str, int]]:
    """Looks every form up in a frequency list; returns what is said of the list beside."""
    n_before = len(on_malformed.places)
    words = read_frequent_words(frequency, options.frequent_words, options.normalization, on_malformed)
    ranks = words.ranks_of(treebank.decoded.inflections.forms, options.case)
    n_malformed = len(on_malformed.places) - n_before
    said = {"frequent_words": len(words.ranks), "malformed_rows_left_out": n_malformed}
    return dataclasses.replace(treebank, ranks=ranks), said


def _made_from(
    treebank: TreebankTokens, sources: Sequence[Source], options: TokenLevelOptions, on_malformed: Handler
) -> dict[str, Any]:
    inflections = treebank.decoded.inflections
    n_forms = len(np.unique(inflections.form_ids))
    return {
        "treebank": {
            **treebank.met,
            "malformed_sentences_left_out": len(on_malformed.places),
            "tokens": len(treebank),
            "distinct_sentences": len(treebank.texts),
            "mean_length": round(float(treebank.n_tokens.mean()), 6),
            "deviation_of_length": round(float(treebank.n_tokens.std()), 6),
            "forms": n_forms,
            "tokens_per_form": round(len(treebank) / n_forms, 6),
            "forms_of_several_bundles": share_of_several_bundles(inflections.form_ids, inflections.bundle_ids),
            "spellings_changed_by_nfc": inflections.reading.normalized,
            "line_ends": {name: str(ends) for name, ends in inflections.reading.line_ends.items()},
            "unknown_codes": treebank.decoded.unknown_codes(),
            "undecided_dimensions": treebank.decoded.undecided(),
        },
        "made_from": described(sources),
        "options": dataclasses.asdict(options),
    }
