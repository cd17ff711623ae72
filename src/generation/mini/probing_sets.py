"""Probing sets of the miniature Turkish in the manner of LINSPECTOR (Şahin et al. 2020), type level and token level.

Type level: made from its inflection table and its frequency list like those of any language
(`src.generation.type_level`), by the article's rules; splits share no lemma. Possession has no class of the possessor
3.pl, for each of its forms has other readings (evleri is also plural with 3.sg).
Token level (section 3.4): splits share no sentence; there is no `None`.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from src.formats.reading.malformed import refuse
from src.generation.made_tests.outcomes import Written
from src.generation.made_tests.sources import Source
from src.generation.mini.bundles import label, tag_count
from src.generation.mini.data_files import LANGUAGE, probing_settings
from src.generation.mini.sentences import Splits
from src.generation.mini.trees import TaggedSentence
from src.generation.type_level import make_type_level_tests
from src.generation.type_tests.type_level_options import options_of
from src.splits import SPLITS

Row = tuple[str, ...]
Sets = Mapping[str, Mapping[str, Sequence[Row]]]  # test, split: rows


def write_type_level_sets(unimorph: Source, frequency: Source, folder: Path, seed: int) -> None:
    """Writes a folder for each test that `data/probing_sets.yaml` names."""
    settings = probing_settings()
    for balance, tests in settings["type"]["tests"].items():
        options = options_of("article", LANGUAGE, seed, items=settings["rows"], balance=balance)
        for test in make_type_level_tests([unimorph], frequency, folder, options, tests, refuse):
            assert isinstance(test, Written), test


def token_level_sets(sentences: Splits, seed: int) -> Sets:
    """Makes the sets of tokens: rows are (sentence with blanks between its words, 0-based index, label)."""
    sets: dict[str, dict[str, Sequence[Row]]] = {}
    for split in SPLITS:
        generator = random.Random(f"token {split} {seed}")
        for test, rows in _token_rows(sentences[split]).items():
            n_rows = min(probing_settings()["rows"][split], len(rows))
            sets.setdefault(test, {})[split] = generator.sample(rows, n_rows)
    return sets


def length_bin(form: str, bounds: Sequence[int]) -> str:
    """Names the bin of a form's length in code points: "1" up to the first bound, and so on."""
    return str(1 + sum(len(form) > bound for bound in bounds))


def _token_rows(sentences: Iterable[TaggedSentence]) -> dict[str, list[Row]]:
    settings = probing_settings()["token"]
    rows: dict[str, list[Row]] = {test: [] for test in (*settings["single"], "TagCount", "CharacterBin")}
    for sentence in sentences:
        text = " ".join(sentence.forms)
        for index, word in enumerate(sentence.words):
            labels = {feature: label(word.bundle, feature) for feature in settings["single"]}
            labels["TagCount"] = str(tag_count(word.bundle))
            labels["CharacterBin"] = length_bin(word.form, settings["character_bounds"])
            for test, name in labels.items():
                if name:
                    rows[test].append((text, str(index), name))
    return rows
