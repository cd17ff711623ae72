"""Compares the representations of runs layer by layer: `python analyze.py job=similarity runs=[a,b]`.

RuSentEval (Mikhailov et al. 2021, section 5.3) compares all layers of all encoders on 1,000 sentences of each test,
stratified by label, by measures of Wu et al. (2020).
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from polyprobe.analysis.similarity.compared_items import ComparedRun, ItemSet, compared_runs, item_sets
from polyprobe.analysis.similarity.measures import DIRECTED, PairValues, SimilaritySettings
from polyprobe.analysis.similarity.similarity_grid import FEW_ITEMS_NOTE, STAGE, LayerPlace
from polyprobe.display.progress import watched
from polyprobe.display.shown import plural
from polyprobe.encoders.cache.store import EncodedItems
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.file_names import file_name
from polyprobe.formats.files.shared_work import sharing
from polyprobe.items import Item
from polyprobe.probing.settings import ProcessSettings
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import identity
from polyprobe.runs.results import FEW_ITEMS, ResultRow, known_number
from polyprobe.runs.study import Outcome, Study, Work

if TYPE_CHECKING:
    from polyprobe.analysis.similarity.centred_layer import LayerVectors


class SimilarityStudy(Study, Work):
    """All layers of the runs that are named, compared by each measure on the items of each test.

    Raises:
        PolyprobeError: a run, layer or measure is unknown, or the runs have no items in common.
    """

    command = "analyze"

    def __init__(self, settings: SimilaritySettings, kept: Mapping[str, Any], asked: ProcessSettings):
        self.settings, self.workspace, self.config = settings, settings.workspace, kept
        self.asked = self.machine = asked
        self.runs = compared_runs(self.settings)
        self.sets = item_sets(self.runs, self.settings)
        self.places = [place for run in self.runs for place in run.chosen.values()]

    @property
    def name(self) -> str:
        """The first test and the identity: the same vectors, items and options are the same comparison."""
        named = [[run.name, run.earlier.encoder.fingerprint, *run.selections] for run in self.runs]
        # The first two are keys of earlier versions: a comparison keeps its name.
        options = {"suite": None, "epochs": None, **self.settings.section, "items": None}
        tests = [list(one) for one in self.versions().items()]
        number = identity({"similarity": named, "of_similarity": options, "tests": tests})
        return file_name(f"similarity-{self.sets[0].test}-{number}")

    def versions(self) -> Mapping[str, str]:
        return {one.test: one.version for one in self.sets}

    def prepare(self) -> Work:
        """Reads the items, and opens encoders whose vectors of them are not in the cache.

        Raises:
            PolyprobeError: there is one layer, or one is named twice; or there are too few items.
        """
        from polyprobe.analysis.similarity.half_samples import LEAST_ITEMS  # scipy
        from polyprobe.models.base.torch_process import flush_denormals, set_threads

        flush_denormals()  # as in probing: an encoder's vectors are the same
        set_threads(self.asked.threads)
        _check_layers(self.runs, self.places)
        self.items = [one.read() for one in self.sets]
        for one, items in zip(self.sets, self.items, strict=True):
            if len(items) < LEAST_ITEMS:
                raise PolyprobeError(
                    f"{one.test}: {plural(len(items), 'item')} (sample={self.settings.sample}). "
                    f"Expected at least {LEAST_ITEMS}: fewer are not informative."
                )
        for run in self.runs:
            run.earlier.check_encodable([item for items in self.items for item in items])
        return self

    def circumstances(self) -> Mapping[str, Any]:
        from polyprobe.models.base.torch_process import circumstances

        return circumstances("cpu", sharing().n_processes)

    def start(self) -> Sequence[str]:
        layers = plural(len(self.places), "layer")
        items = plural(sum(map(len, self.items)), "item")
        return [f"{layers}, {plural(len(self.settings.measures), 'measure')}, {items}"]

    def share(self, run: RunDirectory) -> None:
        for items in self.items:
            encoded_layers(self.runs, items)

    def work(self, run: RunDirectory) -> Outcome:
        from polyprobe.analysis.similarity.all_pairs import all_pairs  # torch

        settings, lang = self.settings, "+".join(dict.fromkeys(run.earlier.settings.lang["code"] for run in self.runs))
        rows: list[ResultRow] = []
        with watched("comparing", "measures", len(self.sets) * len(settings.measures)) as progress:
            for one, items in zip(self.sets, self.items, strict=True):
                layers = encoded_layers(self.runs, items)
                for measure in settings.measures:
                    values = all_pairs(layers, measure, settings.permutations, settings.resamples, settings.seed)
                    rows += rows_of_pairs(measure, values, self.places, one, lang, len(items))
                    progress.advance()
        return rows, {}


def encoded_layers(runs: Sequence[ComparedRun], items: Sequence[Item]) -> "list[LayerVectors]":
    """Encodes the items by every encoder, as far as the cache lacks them; returns the layers that are compared."""
    from polyprobe.analysis.similarity.centred_layer import LayerVectors  # torch

    found = []
    for run in runs:
        encoded = run.earlier.encoded(items)
        rows = encoded.rows(items)
        for number, place in run.chosen.items():
            name = f"{run.name}, layer {place.name}"
            found.append(LayerVectors(name, len(items), partial(_vectors, encoded, number, rows)))
    return found


def _vectors(encoded: EncodedItems, layer: int, rows: np.ndarray) -> np.ndarray:
    return encoded.matrix(layer)[rows]


def _check_layers(runs: Sequence[ComparedRun], places: Sequence[LayerPlace]) -> None:
    if len(places) < 2:
        raise PolyprobeError(
            f"{runs[0].name} has one layer, {places[0].layer}: there is nothing to compare it with. "
            "Expected a further run, or a run with several layers."
        )
    if twice := [place for place in places if places.count(place) > 1]:
        names = ", ".join(run.name for run in runs)
        encoder = " ".join(filter(None, [twice[0].encoder, twice[0].model]))
        raise PolyprobeError(
            f"{encoder}, layer {twice[0].name}, is that of several runs ({names}): expected each encoder once."
        )


def rows_of_pairs(
    measure: str, values: PairValues, layers: Sequence[LayerPlace], items: ItemSet, lang: str, n_items: int
) -> Iterator[ResultRow]:
    """Yields a row for each pair of different layers, for both directions where they differ; first the first layer's.

    Args:
        layers: in the order of the values.
        lang: code of the language, or codes joined by "+".
    """
    for one, place in enumerate(layers):
        for other, second in enumerate(layers):
            if one == other or (measure not in DIRECTED and other < one):
                continue
            yield ResultRow(
                stage=STAGE,
                lang=lang,
                suite=items.suite,
                test=items.test,
                metric=measure,
                value=known_number(values.values[one, other]),
                n=n_items,
                split=items.split,
                encoder=place.encoder,
                model=place.model,
                layer=place.layer,
                epoch=place.epoch,
                other_encoder=second.encoder,
                other_model=second.model,
                other_layer=second.layer,
                other_epoch=second.epoch,
                permuted=known_number(values.permuted[one, other]),
                interval_low=known_number(values.low[one, other]),
                interval_high=known_number(values.high[one, other]),
                note=_note(values, one, other, n_items),
            )


def _note(values: PairValues, one: int, other: int, n_items: int) -> str | None:
    """Says why there is no value, or how many columns of either side are the same for all items."""
    notes = [FEW_ITEMS_NOTE] if n_items < FEW_ITEMS else []
    left_out = values.left_out[[one, other]].tolist()
    if np.isnan(values.values[one, other]):
        notes.append("not defined: a layer has the same vector for all items, or for all but one")
    elif any(left_out):
        notes.append(f"without {' and '.join(plural(n, 'constant column') for n in left_out)}")
    return ", ".join(notes) or None
