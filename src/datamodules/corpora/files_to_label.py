"""A user's file in the format of a corpus, to be labelled and written back."""

from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import Any

from src.datamodules.corpora.further_files import (
    SINGLE,
    files_of,
    further_arguments,
    further_file_by_rule,
    further_files,
    has_rule,
)
from src.datamodules.corpora.labelled_corpora import reader_function
from src.errors import PolyprobeError
from src.formats.file_to_label import FileToLabel
from src.formats.reading.malformed import OnMalformed
from src.named import object_at
from src.resources.download import place_of
from src.runs.names.identity import lasting_name
from src.splits import SPLITS


def file_to_label(path: Path, settings: Mapping[str, Any], root: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads a file with the reader of a corpus.

    A further test set of the corpus, or more of its train, may have another reader: it reads these files themselves,
    and files with their ending and not that of the corpus (`.conllu`, not `.pos`); a test set goes first.

    Args:
        settings: the entry of the corpus in `data.corpora`.
        root: the data folder.
        on_malformed: called with every malformed line.

    Raises:
        MalformedLine: as the reader.
        PolyprobeError: the reader's files cannot be written back, or where the rest of the file stands is unknown.
    """
    entry = _entry_of(path, settings, root)
    label = _function(entry["reader"])
    options = dict(entry.get("reader_options", {}))
    # What the function does not take is what is to be found: translations, labels.
    taken = [argument for argument in further_arguments(entry) if argument in signature(label).parameters]
    options |= {argument: _further_file_of(path, argument, entry, root) for argument in taken}
    return label(path, on_malformed=on_malformed, **options)


def _entry_of(path: Path, settings: Mapping[str, Any], root: Path) -> Mapping[str, Any]:
    others = [one for part in ("beside", "more_train") for one in settings.get(part, {}).values()]
    files = [(one, file) for one in others for file in files_of(one, SINGLE)]
    itself = [one for one, file in files if path.resolve() == place_of(root, file).resolve()]
    own_ending = any(
        path.suffix == Path(file).suffix for split in ("train", "test") for file in files_of(settings, split)
    )
    like_it = [] if own_ending else [one for one, file in files if path.suffix == Path(file).suffix]
    return next(iter([*itself, *like_it]), settings)


def _further_file_of(path: Path, argument: str, settings: Mapping[str, Any], root: Path) -> Path:
    if has_rule(settings, argument):
        return further_file_by_rule(settings, argument, path)
    for split in [one for one in (*SPLITS, SINGLE) if one in settings]:
        for file, further in zip(files_of(settings, split), further_files(settings, split), strict=True):
            if path.resolve() == place_of(root, file).resolve() and argument in further:
                return place_of(root, further[argument])
    raise PolyprobeError(
        f"predict={path}: the file is not whole: its {argument} stands in another one, and in which is known for the "
        "files of the corpus alone. Give a file of these, or choose a corpus whose files are whole (data.corpus=…)."
    )


def _function(reader: str) -> Any:
    """Returns `<reader>_to_label`, which stands in the module of the reader."""
    name = f"{reader_function(reader).__module__}.{lasting_name(reader).rpartition('.')[2]}_to_label"
    try:
        return object_at(name, "reader")
    except PolyprobeError as error:
        raise PolyprobeError(
            f"What {reader} reads cannot be written back with predictions: there is no {name}."
        ) from error
