"""Probing sets of the miniature Turkish in the manner of LINSPECTOR, type level with one form, and token level.

Type level (paper, section 3.3, and released code): forms with several analyses of the feature are left out, 30 % of
the rows are `None` (forms without an analysis that has the feature), POS has only forms with one analysis, TagCount and
CharacterBin share one sample and take the first analysis. Unlike there, splits share no lemma, labels are
drawn evenly in POS, and no frequency list is used. As in the published code, a feature's ambiguous forms go even
where all analyses agree, so that no form of the possessor 3.pl survives (evleri is also plural with 3.sg).
Token level (section 3.4): splits share no sentence; there is no `None`.
"""

import random
from collections.abc import Iterable, Mapping, Sequence

from src.generation.mini.bundles import label, tag_count
from src.generation.mini.data_files import probing_settings
from src.generation.mini.paradigms import InflectedForm, inventory
from src.generation.mini.sentences import Splits
from src.generation.mini.trees import TaggedSentence
from src.splits import SPLITS

Row = tuple[str, ...]
Sets = Mapping[str, Mapping[str, Sequence[Row]]]  # test, split: rows


def forms_by_split(seed: int) -> Mapping[str, tuple[InflectedForm, ...]]:
    """Splits the inventory by lemma; a form of lemmas of two splits is in neither."""
    generator = random.Random(f"lemmas {seed}")
    split_of = _split_of_lemmas(generator)
    splits_of_form: dict[str, set[str]] = {}
    for entry in inventory():
        splits_of_form.setdefault(entry.form, set()).add(split_of[entry.lemma])
    return {split: tuple(entry for entry in inventory() if splits_of_form[entry.form] == {split}) for split in SPLITS}


def type_level_sets(forms: Mapping[str, Sequence[InflectedForm]], seed: int) -> Sets:
    """Makes the sets with one form: rows are (form, label)."""
    sets: dict[str, dict[str, Sequence[Row]]] = {}
    for split in SPLITS:
        generator, n_rows = random.Random(f"type {split} {seed}"), probing_settings()["rows"][split]
        analyses = _analyses(forms[split])
        for feature in probing_settings()["type"]["single"]:
            sets.setdefault(feature, {})[split] = _feature_rows(generator, analyses, feature, n_rows)
        sets.setdefault("POS", {})[split] = _part_of_speech_rows(generator, analyses, n_rows)
        sample = generator.sample(sorted(analyses), n_rows)
        sets.setdefault("TagCount", {})[split] = [(form, str(tag_count(analyses[form][0]))) for form in sample]
        bounds = probing_settings()["type"]["character_bounds"]
        sets.setdefault("CharacterBin", {})[split] = [(form, length_bin(form, bounds)) for form in sample]
    return sets


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


def _split_of_lemmas(generator: random.Random) -> dict[str, str]:
    """Shuffles the lemmas of each part of speech and cuts them at the shares of `data/probing_sets.yaml`."""
    shares, split_of = probing_settings()["lemmas"], {}
    for part_of_speech in ("N", "V", "ADJ"):
        lemmas = [lemma for lemma in _lemmas(part_of_speech) if lemma not in split_of]
        generator.shuffle(lemmas)
        first, second = round(len(lemmas) * shares["train"]), round(len(lemmas) * (1 - shares["test"]))
        for split, part in zip(SPLITS, (lemmas[:first], lemmas[first:second], lemmas[second:]), strict=True):
            split_of |= dict.fromkeys(part, split)
    return split_of


def _lemmas(part_of_speech: str) -> list[str]:
    starts = (part_of_speech + ";", part_of_speech + ".")
    entries = (entry for entry in inventory() if (entry.bundle + ";").startswith(starts))
    return list(dict.fromkeys(entry.lemma for entry in entries))


def _analyses(entries: Iterable[InflectedForm]) -> dict[str, list[str]]:
    """The bundles of each form, in the order of the inventory."""
    analyses: dict[str, list[str]] = {}
    for entry in entries:
        analyses.setdefault(entry.form, []).append(entry.bundle)
    return analyses


def _feature_rows(
    generator: random.Random, analyses: Mapping[str, Sequence[str]], feature: str, n_rows: int
) -> list[Row]:
    labels = {
        form: [name for name in (label(b, feature) for b in bundles) if name] for form, bundles in analyses.items()
    }
    labelled = _frequent([(form, names[0]) for form, names in labels.items() if len(names) == 1])
    without = [(form, "None") for form, names in labels.items() if not names]
    n_without = round(n_rows * probing_settings()["none_share"])
    rows = generator.sample(labelled, n_rows - n_without) + generator.sample(without, n_without)
    generator.shuffle(rows)
    return rows


def _part_of_speech_rows(generator: random.Random, analyses: Mapping[str, Sequence[str]], n_rows: int) -> list[Row]:
    """Draws evenly: in turn a form of each part of speech, until one has no more; then of those left."""
    by_label: dict[str, list[Row]] = {}
    for form, bundles in analyses.items():
        if len(bundles) == 1:
            name = label(bundles[0], "Part of Speech") or ""
            by_label.setdefault(name, []).append((form, name))
    ranked = []
    for rows in by_label.values():
        generator.shuffle(rows)
        ranked += [(rank, row) for rank, row in enumerate(rows)]
    rows = [row for _, row in sorted(ranked)][:n_rows]
    generator.shuffle(rows)
    return rows


def _frequent(rows: list[Row]) -> list[Row]:
    """Leaves out labels that too few forms have."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row[-1]] = counts.get(row[-1], 0) + 1
    return [row for row in rows if counts[row[-1]] >= probing_settings()["least_labelled"]]


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
