"""Type-level probing tests from a UniMorph table and a frequency list, as LINSPECTOR's (Şahin et al. 2020)."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from polyprobe.errors import check_choice
from polyprobe.formats.reading.malformed import Handler, raised
from polyprobe.generation.made_tests.frequent_words import described_steps
from polyprobe.generation.made_tests.labels import check_train
from polyprobe.generation.made_tests.row_statistics import (
    LeftOut,
    Row,
    Written,
    made_in_turn,
    memoriser_by,
    row_statistics,
    share,
    shared_with_train,
    wholly_in_train,
)
from polyprobe.generation.made_tests.writing import Source, described, write_test
from polyprobe.generation.type_tests.making import MadeTest, make_test, possible_tests
from polyprobe.generation.type_tests.ranked_lexicon import RankedLexicon, read_lexicon
from polyprobe.generation.type_tests.single_forms import labelled_forms
from polyprobe.generation.type_tests.type_level_options import TypeLevelOptions
from polyprobe.generation.unimorph.decoding import RELEASED, Decisions, known_feature
from polyprobe.generation.unimorph.inflections import DecodedInflections, check_bundles, read_inflections
from polyprobe.splits import SPLITS

_RULES = {"article": ("values", Decisions(), "nfc"), "released": ("occurrences", RELEASED, "kept")}


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


def statistics_of(test: MadeTest, lexicon: RankedLexicon, rows: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    """Counts what a reader of a test asks for; shares are from 0 to 1.

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
    items, inflections = {split: test.split(split) for split in SPLITS}, lexicon.inflections
    analyses = {  # of the forms of each item
        split: [map(inflections.triples_of, inflections.form_ids[row]) for row in items[split].triples]
        for split in SPLITS
    }
    lemmas = {
        split: [set(inflections.lemma_ids[np.concatenate([*of_item])].tolist()) for of_item in analyses[split]]
        for split in SPLITS
    }
    forms = {split: [set(row[:-1]) for row in rows[split]] for split in SPLITS}
    is_paired = test.candidates.is_paired
    return {
        "filters": described_steps(test.candidates.steps),
        **row_statistics(rows),
        "ambiguity": {name: round(part, 6) for name, part in test.candidates.ambiguity.items()},
        "frequent_share": {split: share(items[split].is_frequent.sum(), len(rows[split])) for split in SPLITS},
        "frequent_draw": dict(test.branches),
        "shared_with_train": {
            "lemma": shared_with_train(lemmas),
            "form": shared_with_train({s: [{row[:-1]} for row in rows[s]] for s in SPLITS}),
            **({"both_forms": wholly_in_train(forms)} if is_paired else {}),
        },
        "lemma_memoriser": memoriser_by(lemmas, rows),
        **({"form_memoriser": memoriser_by(forms, rows)} if is_paired else {}),
    }


def make_type_level_tests(
    unimorph: Sequence[Source],
    frequency: Source,
    folder: Path,
    options: TypeLevelOptions,
    tests: Sequence[str] | None,
    on_malformed: Handler,
) -> Iterator[Written | LeftOut]:
    """Makes the tests of a language, each whole or not at all.

    Args:
        unimorph: one or more tables, read one after the other.
        tests: their names; None for all.
    """
    for source in unimorph:
        check_bundles(source.path, options.decoding)
    lexicon = read_lexicon([source.path for source in unimorph], frequency.path, options, on_malformed)
    names = possible_tests(lexicon) if tests is None else tests
    for name in names:
        check_choice("The test", name, possible_tests(lexicon))
    made_from = _made_from(lexicon, [*unimorph, frequency], options, on_malformed)
    yield from made_in_turn(
        names, lambda name: _written(make_test(lexicon, name, options), lexicon, folder / name, made_from), unimorph
    )


def _written(test: MadeTest, lexicon: RankedLexicon, folder: Path, made_from: dict[str, Any]) -> Written:
    rows = {split: rows_of(test, lexicon, split) for split in SPLITS}
    check_train(test.name, (label for *_, label in rows["train"]))
    statistics = {"test": test.name, **statistics_of(test, lexicon, rows), **made_from}
    origins = (origin for split in SPLITS for origin in origins_of(test, lexicon, split, rows[split]))
    write_test(folder, rows, origins, statistics)
    return Written(test.name, statistics)


def _made_from(
    lexicon: RankedLexicon, sources: Sequence[Source], options: TypeLevelOptions, on_malformed: Handler
) -> dict[str, Any]:
    reading = lexicon.inflections.reading
    return {
        "lexicon": {
            "triples": reading.triples,
            "malformed_rows_left_out": len(on_malformed.places),
            "triples_with_blank_left_out": reading.with_blank,
            "spellings_changed_by_nfc": reading.normalized,
            "line_ends": {Path(path).name: str(ends) for path, ends in reading.line_ends.items()},
            "forms": len(lexicon.inflections.forms),
            "lemmas": len(lexicon.inflections.lemmas),
            "frequent_words": lexicon.n_frequent_words,
            "unknown_codes": lexicon.decoded.unknown_codes(),
            "undecided_dimensions": lexicon.decoded.undecided(),
        },
        "made_from": described(sources),
        "options": dataclasses.asdict(options),
    }


def kept_forms(unimorph: Path, feature: str, rules: str) -> dict[str, str]:
    """Returns the forms that a test of one feature can have, before any other rule.

    Forms with a blank are left out. Labels are read by the whole schema, spellings in NFC; by the released rules as the
    released program reads them, spellings as they stand. A label need not be frequent here.

    Args:
        feature: a dimension of UniMorph ("Case", "Part of Speech"; a person is labelled with its number).
        rules: "article": forms with one label of the feature; "released": forms that occur once among the triples that
            have it.

    Returns:
        From each form to its label, in the order of the file; empty where no triple has the feature.
    """
    check_choice("rules", rules, _RULES)
    ambiguity, decisions, normalization = _RULES[rules]
    name = known_feature(feature, decisions)
    lexicon = DecodedInflections(read_inflections([Path(unimorph)], normalization, raised), decisions)
    kept = labelled_forms(lexicon, name, ambiguity, least_of_label=1)
    form_ids = lexicon.inflections.form_ids[kept.triples]
    pairs = zip(form_ids.tolist(), kept.label_ids.tolist(), strict=True)
    return {lexicon.inflections.forms[form]: kept.labels[label] for form, label in pairs}
