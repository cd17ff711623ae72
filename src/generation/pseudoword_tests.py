"""Pseudowords and their probing test: `python generate.py suite=pseudowords lang=tr`.

The test Pseudo is as LINSPECTOR's (Şahin et al. 2020, section 3.3).

The released program reads finished lists of pseudowords, draws 10,000 rows, and makes each by a coin the pseudoword (0)
or the next of the shuffled seed words (1), so that pseudowords may repeat and stand in another split than the word that
they were made of. The article says no more than that there are words and pseudowords. What it leaves open is decided in
`pseudo_rules.yaml` so that the test has no other cue than being a word: see `docs/pseudowords.md`.
"""

import dataclasses
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyprobe.errors import Impossible, check_choice
from polyprobe.formats.reading.lines import cells_to_line, write_lines
from polyprobe.formats.reading.malformed import Handler, handler_named
from polyprobe.generation.language_sources import is_named, one_source
from polyprobe.generation.made_tests.frequent_words import FrequentWords, Step, described_steps, read_frequent_words
from polyprobe.generation.made_tests.labels import check_train
from polyprobe.generation.made_tests.row_statistics import (
    LeftOut,
    NoTest,
    TooFew,
    Written,
    row_statistics,
    share,
    shared_with_train,
)
from polyprobe.generation.made_tests.writing import Source, write_test
from polyprobe.generation.made_tests.writing import described as described_sources
from polyprobe.generation.pseudo_tests.drawn_items import PSEUDOWORD, TEST, WORD, Item, draw_items
from polyprobe.generation.pseudo_tests.lexicon_words import (
    LexiconWords,
    NoWords,
    PseudoOptions,
    folded,
    of_plain_words,
    pseudo_options,
    read_syllabified,
    seed_words,
)
from polyprobe.generation.pseudo_tests.pseudoword_list import rows, search
from polyprobe.generation.pseudowords import Pseudoword
from polyprobe.generation.syllables.segments import N_PARTS
from polyprobe.generation.tests_run import Making, MakingSettings
from polyprobe.splits import SPLITS

LIST = "pseudowords.tsv"


@dataclass(frozen=True, slots=True)
class _Material:
    """What a test is made from."""

    words: LexiconWords
    listed: FrequentWords | None
    """The frequency list, where there is one."""
    ranks: Mapping[str, int]
    """Of the list, by `folded`."""
    options: PseudoOptions

    def searched(self) -> tuple[Sequence[str], Sequence[Pseudoword], Sequence[Step]]:
        """Returns the seed words, their pseudowords, and what went on the way."""
        seeds, steps = seed_words(self.words, self.options)
        accepts = NoWords(self.words, self.listed, self.options)
        found = search(self.words, seeds, self.options, accepts)
        return seeds, found, [*steps, *_search_steps(seeds, found, accepts)]


def make_pseudo_test(
    syllables: Source | None,
    frequency: Source | None,
    folder: Path,
    options: PseudoOptions,
    tests: Sequence[str] | None,
    on_malformed: Handler,
) -> Iterator[Written | LeftOut]:
    """Writes the list of pseudowords and the test, each whole or not at all.

    Args:
        syllables: a lexicon with syllables; where it is None, syllables are made for the words of the frequency list.
        frequency: a frequency list, or None; one of the two is there.
        folder: into which the list and the folder of the test are written.
        tests: Pseudo, or None for all, which is the same.

    Yields:
        The test, when it is written; or why there are too few words for it, beside the list.
    """
    for name in tests or ():
        check_choice("The test", name, [TEST])
    sources = [source for source in (syllables, frequency) if source is not None]
    material = _material(syllables, frequency, options, on_malformed)
    seeds, found, steps = material.searched()
    if not found:
        paths = ", ".join(str(source.path) for source in sources)
        raise NoTest(f"{paths}: none of {len(seeds):,} words has a pseudoword.")
    folder.mkdir(parents=True, exist_ok=True)
    write_lines(map(cells_to_line, rows(found, material.words)), folder / LIST)
    made_from = {
        "pseudowords": _of_the_search(seeds, found),
        "lexicon": _of_the_lexicon(material, on_malformed),
        "made_from": described_sources(sources),
        "options": dataclasses.asdict(options),
    }
    try:
        yield _written(material, found, steps, folder / TEST, made_from)
    except TooFew as error:
        yield LeftOut(TEST, f"{error} {LIST} lists the {len(found):,} pseudowords.")


def _written(
    material: _Material, found: Sequence[Pseudoword], taken: Sequence[Step], folder: Path, made_from: Mapping[str, Any]
) -> Written:
    """Draws the test and writes it."""
    drawn, steps = draw_items(found, material.options)
    test_rows = {split: [(item.text, item.label) for item in drawn[split]] for split in SPLITS}
    check_train(TEST, (label for _, label in test_rows["train"]))
    statistics = {
        "test": TEST,
        "filters": described_steps([*taken, *steps]),
        **row_statistics(test_rows),
        **_statistics(drawn, material),
        **made_from,
    }
    write_test(folder, test_rows, _origins(drawn, material), statistics)
    return Written(TEST, statistics)


def _material(
    syllables: Source | None, frequency: Source | None, options: PseudoOptions, on_malformed: Handler
) -> _Material:
    listed = None
    if frequency is not None:
        listed = read_frequent_words(frequency.path, sys.maxsize, options.normalization, on_malformed)
    if syllables is not None:
        words = read_syllabified(syllables.path, options, on_malformed)
    else:
        assert listed is not None
        words = of_plain_words(listed, options)
    ranks: dict[str, int] = {}
    for word, rank in ({} if listed is None else listed.ranks).items():
        ranks.setdefault(folded(word, options), rank)
    return _Material(words, listed, ranks, options)


def _search_steps(seeds: Sequence[str], found: Sequence[Pseudoword], accepts: NoWords) -> list[Step]:
    n_with = len({one.word for one in found})
    steps = [Step("no pseudoword in the windows", "seed words", len(seeds) - n_with, n_with)]
    left = len({one.letters for one in found}) + sum(accepts.refused.values())
    for reason, count in accepts.refused.items():
        left -= count
        steps.append(Step(reason, "pseudowords drawn", count, left))
    return steps


def _statistics(drawn: Mapping[str, Sequence[Item]], material: _Material) -> dict[str, Mapping[str, Any]]:
    """Says what splits have in common, how frequent their items are, and how long those of each label (mean)."""
    words = {split: [{item.word} for item in drawn[split]] for split in SPLITS}
    forms = {split: [{folded(item.text, material.options)} for item in drawn[split]] for split in SPLITS}
    lengths = {
        split: {label: [len(item.text) for item in drawn[split] if item.label == label] for label in (PSEUDOWORD, WORD)}
        for split in SPLITS
    }
    return {
        "ambiguity": {},
        "shared_with_train": {"seed_word": shared_with_train(words), "form": shared_with_train(forms)},
        **({"frequent_share": _frequent_share(drawn, material)} if material.listed is not None else {}),
        "letters": {
            split: {label: share(sum(of_label), len(of_label)) for label, of_label in of_split.items()}
            for split, of_split in lengths.items()
        },
    }


def _frequent_share(drawn: Mapping[str, Sequence[Item]], material: _Material) -> dict[str, float]:
    """Computes the share of items that the frequency list has, by split."""
    return {
        split: share(sum(folded(item.text, material.options) in material.ranks for item in items), len(items))
        for split, items in drawn.items()
    }


def _of_the_search(seeds: Sequence[str], found: Sequence[Pseudoword]) -> dict[str, Any]:
    by_window = Counter(one.window for one in found)
    of_word = Counter(one.word for one in found)
    by_number = Counter(of_word[word] for word in seeds)
    return {
        "seed_words": len(seeds),
        "listed": len(found),
        "distinct": len({one.letters for one in found}),
        "seed_words_by_pseudowords": {str(number): by_number[number] for number in sorted(by_number)},
        "listed_by_window": {str(width): by_window[width] for width in sorted(by_window)},
    }


def _of_the_lexicon(material: _Material, on_malformed: Handler) -> dict[str, int]:
    return {
        "lines": len(material.words.lexicon.entries),
        "words": len(material.words.by_frequency),
        "spellings_changed_by_nfc": material.words.n_composed,
        "malformed_rows_left_out": len(on_malformed.places),
        "words_of_the_frequency_list": 0 if material.listed is None else len(material.listed.ranks),
    }


def _origins(drawn: Mapping[str, Sequence[Item]], material: _Material) -> Iterator[dict[str, Any]]:
    """Says for every row where it comes from; a window is None for words."""
    for split in SPLITS:
        for line, item in enumerate(drawn[split], start=1):
            segments = material.words.lexicon.segments(item.word) if item.found is None else item.found.segments
            parts = segments[1:-1]
            syllables = ("".join(parts[start : start + N_PARTS]) for start in range(0, len(parts), N_PARTS))
            yield {
                "split": split,
                "line": line,
                "forms": [item.text],
                "label": item.label,
                "ranks": [material.ranks.get(folded(item.text, material.options))],
                "seed_word": item.word,
                "syllables": "-".join(syllables),
                "window": None if item.found is None else item.found.window,
            }


def making(settings: MakingSettings) -> Making:
    """Reads how pseudowords and their test are to be made."""
    changes = settings.changes("pseudowords")
    options = pseudo_options(settings.rules, settings.language, settings.dotless_i, settings.seed, **changes)
    syllables, frequency = (
        one_source(settings.files, kind) if is_named(settings.files, kind) else None
        for kind in ("syllables", "frequency")
    )
    if syllables is None and frequency is None:
        raise Impossible(
            f"lang={settings.language} names neither syllables nor frequency in conf/lang. To name a lexicon with "
            "syllables: made_from.syllables=<file>; a list of words that get syllables: made_from.frequency=<file>."
        )
    on_malformed = handler_named(settings.on_malformed, "on_malformed")
    return Making(
        settings.known_by("rules", "tests", "pseudowords", "on_malformed", "dotless_i"),
        [source for source in (syllables, frequency) if source is not None],
        lambda folder: make_pseudo_test(syllables, frequency, folder, options, settings.tests, on_malformed),
        on_malformed,
    )
