"""The runs that a user compares, by name, and which of their layers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from polyprobe.analysis.results.collection import find_run
from polyprobe.analysis.results.paired_runs import split_reference
from polyprobe.analysis.similarity.measures import SimilaritySettings
from polyprobe.analysis.similarity.similarity_grid import LayerPlace
from polyprobe.errors import PolyprobeError, UnknownChoice
from polyprobe.probing.earlier_run import EarlierRun, earlier_run
from polyprobe.runs.directory import RunDirectory


@dataclass(frozen=True, eq=False)
class ComparedRun:
    """A run of probe.py that a user names, once or several times with layers and epochs."""

    earlier: EarlierRun
    selections: Sequence[str]
    """The layers and epochs that are named ("8", "encoding", "encoding/8"); empty: all."""

    @property
    def name(self) -> str:
        """That of its folder."""
        return self.earlier.directory.name

    @cached_property
    def chosen(self) -> dict[int, LayerPlace]:
        """The layers that are named, or all, by their numbers.

        Raises:
            UnknownChoice: there is no such layer or epoch.
        """
        row = next((row for row in self.earlier.directory.rows() if row["stage"] == "probing"), {})
        model = ", ".join(filter(None, [row.get("model"), row.get("options")])) or None
        encoder = self.earlier.settings.encoder_name
        layers = [LayerPlace(encoder, model, one.name, one.epoch) for one in self.earlier.encoder.layers]
        numbers = {number for one in self.selections for number in self._selected(one, layers)}
        return {number: layer for number, layer in enumerate(layers) if not self.selections or number in numbers}

    def _selected(self, selection: str, layers: Sequence[LayerPlace]) -> list[int]:
        """Returns the numbers of the layers that "encoding/8", "encoding" or "8" names: an epoch where no layer is."""
        names = [one.name for one in layers]
        for said in (names, [one.layer for one in layers], [str(one.epoch) for one in layers]):
            if selection in said:
                return [number for number, one in enumerate(said) if one == selection]
        raise UnknownChoice(f"layer of {self.name}", selection, dict.fromkeys(names))


def compared_runs(settings: SimilaritySettings) -> list[ComparedRun]:
    """Finds the runs that a user names, each once, in the order in which they are named first."""
    selections: dict[Path, list[str | None]] = {}
    for reference in settings.references:
        name, selection = split_reference(reference)
        folder = find_run(settings.workspace.work, name)
        selections.setdefault(folder.resolve(), []).append(selection)
    for folder, named in selections.items():
        if len(set(named)) < len(named) or (None in named and len(named) > 1):
            raise PolyprobeError(
                f"runs: {folder.name} is named twice. Expected each run once, or its layers and epochs one by "
                f"one: [{folder.name}:0,{folder.name}:8]."
            )
    return [
        ComparedRun(earlier_run(RunDirectory(folder), settings.workspace), [one for one in named if one is not None])
        for folder, named in selections.items()
    ]
