"""Type-level probing tests from a UniMorph table and a frequency list, as LINSPECTOR's (Şahin et al. 2020)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from polyprobe.generation.language_sources import one_source, sources
from polyprobe.generation.linspector_tests import LinspectorTests
from polyprobe.generation.made_tests.drawing import Candidates, Draw, draw_test
from polyprobe.generation.made_tests.row_statistics import (
    Row,
    memoriser_by,
    share,
    shared_with_train,
    wholly_in_train,
)
from polyprobe.generation.maker import DrawnTest, MakingSettings
from polyprobe.generation.type_tests.form_pairs import odd_feature_pairs, same_feature_pairs
from polyprobe.generation.type_tests.ranked_lexicon import RankedLexicon, read_lexicon
from polyprobe.generation.type_tests.single_forms import (
    counted_candidates,
    feature_candidates,
    part_of_speech_candidates,
)
from polyprobe.generation.type_tests.type_level_options import TypeLevelOptions, options_of
from polyprobe.seeds import derived_seed
from polyprobe.splits import SPLITS

_COUNTED = ("TagCount", "CharacterBin", "CharacterCount")
_PAIRED: Mapping[str, Callable[[RankedLexicon, TypeLevelOptions, np.random.Generator], Candidates]] = {
    "OddFeat": odd_feature_pairs,
    "SameFeat": same_feature_pairs,
}
_UNTAGGED_EARLIER = {"Possession"}


class TypeLevelTests(LinspectorTests):
    """Tests of forms and pairs; files: `unimorph`, one table or more, read one after the other, and `frequency`."""

    section = "type_level"
    known = ("rules", "tests", "type_level", "on_malformed")
    options: TypeLevelOptions

    @classmethod
    def of(cls, settings: MakingSettings) -> Self:
        options = options_of(**cls.arguments_of(settings))
        files = {
            "unimorph": sources(settings.files, "unimorph"),
            "frequency": [one_source(settings.files, "frequency")],
        }
        return cls(options, files, settings.handler())

    def known_by(self, settings: MakingSettings) -> dict[str, Any]:
        """Of later options the values count that the rules give them."""
        known = super().known_by(settings)
        made = {key: getattr(self.options, key) for key in ("unknown_codes", "repeated_pairs")}
        if not _UNTAGGED_EARLIER.issuperset(self.options.untagged):
            made["untagged"] = [*self.options.untagged]
        return {**known, "type_level": {**known["type_level"], **made}}

    @cached_property
    def lexicon(self) -> RankedLexicon:
        (frequency,) = self.paths("frequency")
        lexicon = read_lexicon(self.paths("unimorph"), frequency, self.options, self.on_malformed)
        lexicon.decoded.warn_of_unknown_codes(self.paths("unimorph"))
        return lexicon

    @cached_property
    def possible(self) -> Sequence[str]:
        return possible_tests(self.lexicon)

    def of_files(self) -> dict[str, Any]:
        inflections, decoded = self.lexicon.inflections, self.lexicon.decoded
        reading = inflections.reading
        return {
            "lexicon": {
                "triples": reading.triples,
                "malformed_rows_left_out": len(self.on_malformed.places),
                "triples_with_blank_left_out": reading.with_blank,
                "spellings_changed_by_nfc": reading.normalized,
                "forms": len(inflections.forms),
                "lemmas": len(inflections.lemmas),
                "frequent_words": self.lexicon.n_frequent_words,
                "unknown_codes": decoded.unknown_codes(),
                "undecided_dimensions": decoded.undecided(),
            }
        }

    def drawn(self, name: str) -> DrawnTest:
        draw = make_test(self.lexicon, name, self.options)
        rows = {split: rows_of(items, self.lexicon) for split, items in draw.splits.items()}
        origins = (one for split in SPLITS for one in origins_of(draw.splits[split], self.lexicon, split, rows[split]))
        return DrawnTest(name, rows, origins, draw.candidates.steps, lambda: statistics_of(draw, self.lexicon, rows))


def possible_tests(lexicon: RankedLexicon) -> tuple[str, ...]:
    """Returns the tests that a lexicon may have: one for each feature that a triple has, and those of all languages."""
    return (*lexicon.decoded.feature_tests(), "POS", *_COUNTED, *_PAIRED)


def make_test(lexicon: RankedLexicon, name: str, options: TypeLevelOptions) -> Draw:
    """Makes one of `possible_tests`; the same from the same lexicon, options and seed, whatever else is made.

    TagCount, CharacterCount and CharacterBin have the same forms in the same order, unless labels are balanced.
    """
    purpose = "counts" if name in _COUNTED else name
    generator = np.random.default_rng(derived_seed(options.seed, "type level", purpose))
    if name in _PAIRED:
        candidates = _PAIRED[name](lexicon, options, generator)
    elif name in _COUNTED:
        candidates = counted_candidates(lexicon, name, options)
    elif name == "POS":
        candidates = part_of_speech_candidates(lexicon, options)
    else:
        candidates = feature_candidates(lexicon, lexicon.decoded.feature_tests()[name], options)
    return draw_test(name, candidates, options, generator)


def rows_of(items: Candidates, lexicon: RankedLexicon) -> list[Row]:
    """Returns the rows of a split."""
    inflections = lexicon.inflections
    forms, labels = inflections.form_ids[items.made_of].tolist(), items.label_ids.tolist()
    return [
        (*(inflections.forms[form] for form in of_item), items.labels[label])
        for of_item, label in zip(forms, labels, strict=True)
    ]


def origins_of(items: Candidates, lexicon: RankedLexicon, split: str, rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Says for every row of a split where it comes from.

    Yields:
        Split, line, forms and label; for each form its rank (None where it is not frequent) and its analyses: of a form
        that stands alone all of them, of a form in a pair the one that the pair was made of.
    """
    inflections, is_pair = lexicon.inflections, items.unit == "pairs"
    ranks = lexicon.ranks_as_written if is_pair else lexicon.ranks
    for line, (triples, row) in enumerate(zip(items.made_of, rows, strict=True), start=1):
        forms = inflections.form_ids[triples]
        of_forms = [[triple] for triple in triples] if is_pair else [inflections.triples_of(form) for form in forms]
        yield {
            "split": split,
            "line": line,
            "forms": list(row[:-1]),
            "label": row[-1],
            "ranks": [int(rank) or None for rank in ranks[forms]],
            "analyses": [
                [
                    {
                        "lemma": inflections.lemmas[inflections.lemma_ids[triple]],
                        "bundle": inflections.bundles[inflections.bundle_ids[triple]],
                    }
                    for triple in of_form
                ]
                for of_form in of_forms
            ],
        }


def statistics_of(draw: Draw, lexicon: RankedLexicon, rows: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    """Counts what a reader of a test asks for; shares are from 0 to 1.

    Returns:
        ambiguity: shares of the forms of the feature that are repeated, that have several labels.
        frequent_share: by split; frequent_draw: how frequent ones were drawn.
        shared_with_train: "lemma": items one of whose lemmas train has, too; "form": items that train has, too,
            whatever their label; "both_forms", of pairs: both forms are in train, be it in other pairs.
        lemma_memoriser: accuracy on test of the label that train gives most often to items of the same lemmas; of pairs
            form_memoriser, too.
    """
    items, inflections = draw.splits, lexicon.inflections
    analyses = {  # of the forms of each item
        split: [map(inflections.triples_of, inflections.form_ids[row]) for row in items[split].made_of]
        for split in SPLITS
    }
    lemmas = {
        split: [set(inflections.lemma_ids[np.concatenate([*of_item])].tolist()) for of_item in analyses[split]]
        for split in SPLITS
    }
    forms = {split: [set(row[:-1]) for row in rows[split]] for split in SPLITS}
    is_paired = draw.candidates.unit == "pairs"
    return {
        "ambiguity": {name: round(part, 6) for name, part in draw.candidates.ambiguity.items()},
        "frequent_share": {split: share(items[split].is_frequent.sum(), len(rows[split])) for split in SPLITS},
        "frequent_draw": dict(draw.branches),
        "shared_with_train": {
            "lemma": shared_with_train(lemmas),
            "form": shared_with_train({s: [{row[:-1]} for row in rows[s]] for s in SPLITS}),
            **({"both_forms": wholly_in_train(forms)} if is_paired else {}),
        },
        "lemma_memoriser": memoriser_by(lemmas, rows),
        **({"form_memoriser": memoriser_by(forms, rows)} if is_paired else {}),
    }
