"""Draws the tokens of a test: which split a sentence is in, how many of which label.

Published sets are cut at random, so that most test items of small treebanks stand in sentences of train. Here the
sentences are shuffled and dealt out until each split has its share of the tokens; the parts are the same for every test
of a language. Sentences of the same words are one sentence.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from src.generation.made_tests.labels import check_labels, label_quotas
from src.generation.made_tests.parts import parts_by_weight
from src.generation.made_tests.sizes import sizes_of
from src.generation.token_tests.token_candidates import TokenCandidates
from src.generation.token_tests.token_level_options import TokenLevelOptions
from src.generation.token_tests.treebank_tokens import TreebankTokens
from src.seeds import derived_seed
from src.splits import SPLITS


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
        test: its name.
        candidates: what is drawn from.
        parts: the split that each candidate's sentence is in, `[candidates]`; passed over where `options.split` is
            "random".
        options: sizes, split, balance and seed.

    Returns:
        Places of the candidates, by split.

    Raises:
        TooFew: there are fewer than two labels, or not tokens enough for the sizes asked for.
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
        " no two splits of which share a sentence" if by_sentence else "",
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
