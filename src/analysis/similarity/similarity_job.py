"""Compares the representations of runs layer by layer: `python analyze.py similarity=[run,run,…]`.

RuSentEval (Mikhailov et al. 2021, section 5.3) compares all layers of all encoders on 1,000 sentences of each test,
stratified by label, by measures of Wu et al. (2020).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polyprobe.analysis.similarity.compared_items import ItemSet, item_sets
from polyprobe.analysis.similarity.compared_runs import ComparedEncoder, compared_runs, encoded_layers
from polyprobe.analysis.similarity.measures import MEASURES, PairValues, SimilaritySettings, keep, kept
from polyprobe.analysis.similarity.similarity_grid import (
    FEW_ITEMS_NOTE,
    STAGE,
    LayerPlace,
)
from polyprobe.display.progress import watched
from polyprobe.display.shown import plural, say
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.file_names import file_name
from polyprobe.formats.files.shared_work import sharing
from polyprobe.probing.settings import ProcessSettings
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import identity
from polyprobe.runs.results import FEW_ITEMS, ResultRow, known_number
from polyprobe.runs.study import Outcome, Study, Work


class SimilarityStudy(Study, Work):
    """All layers of the runs that are named, compared by each measure on the items of each test.

    Measures of an earlier start are kept.

    Raises:
        PolyprobeError: a run, layer or measure is unknown, or the runs have no items in common.
    """

    command = "analyze"

    def __init__(self, settings: SimilaritySettings, kept: Mapping[str, Any], asked: ProcessSettings):
        self.settings, self.workspace, self.config = settings, settings.workspace, kept
        self.asked = self.machine = asked
        self.runs = compared_runs(self.settings)
        self.sets = item_sets(self.runs, self.settings)

    @property
    def name(self) -> str:
        """The first test and the identity: the same vectors, items and options are the same comparison."""
        named = [[run.directory.name, run.version, *run.selections] for run in self.runs]
        options, tests = {**self.settings.section, "items": None}, [list(one) for one in self.versions().items()]
        number = identity({"similarity": named, "of_similarity": options, "tests": tests})
        return file_name(f"similarity-{self.sets[0].test}-{number}")

    def versions(self) -> Mapping[str, str]:
        return {one.test: one.version for one in self.sets}

    def prepare(self) -> Work:
        """Opens the encoders and reads the items.

        Raises:
            PolyprobeError: there is one layer, or one is named twice; or there are too few items.
        """
        from polyprobe.analysis.similarity.half_samples import LEAST_ITEMS  # scipy
        from polyprobe.models.base.lightning_process import flush_denormals, set_threads

        flush_denormals()  # as in probing: an encoder's vectors are the same
        set_threads(self.asked.threads)
        self.encoders = [run.opened(self.sets[0].level) for run in self.runs]
        _check_layers(self.encoders)
        self.items = [one.read() for one in self.sets]
        for one, items in zip(self.sets, self.items, strict=True):
            if len(items) < LEAST_ITEMS:
                raise PolyprobeError(
                    f"{one.test}: {plural(len(items), 'item')} (of_similarity.sample={self.settings.sample}). "
                    f"Expected at least {LEAST_ITEMS}: fewer are not informative."
                )
        for encoder in self.encoders:
            encoder.check_encodable([item for items in self.items for item in items])
        return self

    def circumstances(self) -> Mapping[str, Any]:
        from polyprobe.models.base.lightning_process import circumstances

        return circumstances("cpu", sharing().n_processes)

    def start(self) -> Sequence[str]:
        layers = plural(sum(len(encoder.chosen) for encoder in self.encoders), "layer")
        items = plural(sum(map(len, self.items)), "item")
        return [f"{layers}, {plural(len(self.settings.measures), 'measure')}, {items}"]

    def share(self, run: RunDirectory) -> None:
        for items in self.items:
            encoded_layers(self.encoders, items)

    def work(self, run: RunDirectory) -> Outcome:
        from polyprobe.analysis.similarity.all_pairs import all_pairs  # torch

        settings, lang = self.settings, "+".join(dict.fromkeys(encoder.lang for encoder in self.encoders))
        rows: list[ResultRow] = []
        with watched("comparing", "measures", len(self.sets) * len(settings.measures)) as progress:
            for one, items in zip(self.sets, self.items, strict=True):
                layers = encoded_layers(self.encoders, items)
                places, identities = [layer.place for layer in layers], [layer.identity for layer in layers]
                for measure in settings.measures:
                    values = kept(run.similarities, one.test, measure, identities)
                    if values is None:
                        values = all_pairs(layers, measure, settings.permutations, settings.resamples, settings.seed)
                        keep(run.similarities, one.test, measure, identities, values)
                    for reason in filter(None, values.undefined.tolist()):
                        say(f"{one.test}: pairs of a layer have no {measure}: {reason}.")
                    rows += rows_of_pairs(measure, values, places, one, lang, len(items))
                    progress.advance()
        return rows, {}


def _check_layers(encoders: Sequence[ComparedEncoder]) -> None:
    layers = [
        f"{one.encoder} {one.model or ''}, layer {one.layers[place].name}, epoch {one.layers[place].epoch}"
        for one in encoders
        for place in one.chosen
    ]
    if len(layers) < 2:
        only = encoders[0]
        raise PolyprobeError(
            f"{only.run} has one layer, {only.layers[only.chosen[0]].name}: there is nothing to compare it with. "
            "Expected a further run, or a run with several layers."
        )
    if twice := sorted({layer for layer in layers if layers.count(layer) > 1}):
        names = ", ".join(one.run for one in encoders)
        raise PolyprobeError(f"{twice[0]} is that of several runs ({names}): expected each encoder once.")


def rows_of_pairs(
    measure: str, values: PairValues, layers: Sequence[LayerPlace], items: ItemSet, lang: str, n_items: int
) -> Iterator[ResultRow]:
    """Yields a row for each pair of different layers, for both directions where they differ; first the first layer's.

    Args:
        layers: in the order of the values.
        lang: code of the language, or codes joined by "+".
    """
    is_symmetric = not MEASURES[measure].is_directed
    for one, place in enumerate(layers):
        for other, second in enumerate(layers):
            if one == other or (is_symmetric and other < one):
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
                note=_note(values, [one, other], n_items),
            )


def _note(values: PairValues, pair: Sequence[int], n_items: int) -> str | None:
    """Says why there is no value, or how many columns of either side are the same for all items."""
    notes = [FEW_ITEMS_NOTE] if n_items < FEW_ITEMS else []
    left_out = values.left_out[pair].tolist()
    if reasons := list(filter(None, values.undefined[pair].tolist())):
        notes.append(f"not defined: {'; '.join(reasons)}")
    elif any(left_out):
        notes.append(f"without {' and '.join(plural(n, 'constant column') for n in left_out)}")
    return ", ".join(notes) or None
