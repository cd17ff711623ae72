"""Token-level probing tests from treebanks, as LINSPECTOR's (Şahin et al. 2020, section 3.4)."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from src.errors import check_choice
from src.formats.reading.malformed import Handler
from src.generation.made_tests.frequent_words import read_frequent_words
from src.generation.made_tests.labels import check_train
from src.generation.made_tests.outcomes import LeftOut, Written, made_in_turn
from src.generation.made_tests.sources import Source, described
from src.generation.made_tests.writing import write_test
from src.generation.token_tests.token_candidates import candidates_of, feature_tests, possible_token_tests
from src.generation.token_tests.token_drawing import draw_tokens, parts_of_sentences
from src.generation.token_tests.token_level_options import TokenLevelOptions
from src.generation.token_tests.token_statistics import (
    share_of_several_bundles,
    token_origins,
    token_rows,
    token_statistics,
)
from src.generation.token_tests.treebank_tokens import TreebankTokens, read_treebanks
from src.splits import SPLITS

_FOLDERS: Mapping[str, str] = {"POS": "Part of Speech"}  # as the published sets are called
_SHORT: Mapping[str, str] = {folder: name for name, folder in _FOLDERS.items()}


@dataclass(frozen=True, slots=True)
class TokenSources:
    """The files that tests of a language are made from.

    Attributes:
        treebanks: CoNLL-U files, read one after the other.
        surface: as `read_treebanks` takes it.
        frequency: a frequency list, for what is said of the items; it changes none of them.
    """

    treebanks: Sequence[Source]
    surface: Sequence[Source] = ()
    frequency: Source | None = None

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
        sources: of the language.
        folder: into which the folders of the tests are written.
        options: by which they are made.
        tests: their names, or those of their folders; None for those that `options.tests_without_names` says.
        on_malformed: called with every malformed sentence, and row of the frequency list.

    Yields:
        Each test, when it is written.

    Raises:
        NoTest: when all are tried and none could be made.
        UnknownChoice: the treebanks have no test of a name.
    """
    paths, surface_paths = ([one.path for one in files] for files in (sources.treebanks, sources.surface))
    treebank = read_treebanks(paths, surface_paths, options, on_malformed)
    names = [_SHORT.get(name, name) for name in tests or ()] or _unnamed_tests(treebank, options)
    for name in names:
        check_choice("The test", name, possible_token_tests(treebank))
    made_from = _made_from(treebank, sources.files, options, on_malformed)
    if sources.frequency is not None:
        treebank, made_from["frequency_list"] = _ranked(treebank, sources.frequency.path, options, on_malformed)
    parts = parts_of_sentences(treebank, options)
    write = partial(_write, treebank=treebank, parts=parts, folder=folder, options=options, made_from=made_from)
    yield from made_in_turn(names, write, sources.treebanks)


def _unnamed_tests(treebank: TreebankTokens, options: TokenLevelOptions) -> Sequence[str]:
    return feature_tests(treebank) if options.tests_without_names == "features" else possible_token_tests(treebank)


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
            **dataclasses.asdict(treebank.met),
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
