"""Labels a file with the best checkpoint of a finished run: `python train.py … predict=FILE`."""

import os
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

from polyprobe.datamodules.base.word_inputs import Inputs
from polyprobe.datamodules.corpora.further_files import (
    SINGLE,
    files_of,
    further_arguments,
    further_file_by_rule,
    further_files,
    has_rule,
)
from polyprobe.datamodules.corpora.labelled_corpora import malformed_handler, reader_function, too_long
from polyprobe.encoders.inputs.trained_models import open_model
from polyprobe.errors import PolyprobeError
from polyprobe.formats.reading.lines import FileToLabel
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.models.base.checkpoint_file import DamagedCheckpoint
from polyprobe.models.base.lightning_process import flush_denormals, set_threads
from polyprobe.named import object_at
from polyprobe.resources.download import place_of
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.conf_folders import own_folders
from polyprobe.runs.names.identity import lasting_name
from polyprobe.runs.names.typed_command import called_as
from polyprobe.runs.record.provenance import report_line_ends
from polyprobe.splits import SPLITS
from polyprobe.training.callbacks.checkpoints import best_checkpoint, epoch_of
from polyprobe.training.door import prediction_settings
from polyprobe.training.predicted_upos import opened_tagger, tagged
from polyprobe.training.run import chosen_inputs, run_directory
from polyprobe.training.settings import TrainingSettings


def predict(config: Mapping[str, Any]) -> Iterator[str]:
    """Writes a file back with what the best checkpoint of a run says; nothing is trained. Yields lines about it.

    Args:
        config: the resolved configuration of conf/train.yaml, as plain values; `predict` names a file in the format of
            the run's corpus, with or without gold labels.

    Raises:
        PolyprobeError: the run is not there or not finished, or the file cannot be read or written back.
    """
    settings = prediction_settings(config)
    flush_denormals()
    set_threads(settings.trainer.threads)
    inputs = chosen_inputs(settings.inputs)
    directory = finished_run(settings, inputs)
    data = settings.data
    handle = malformed_handler(data.on_malformed, data.entry, data.root)
    source = file_of(settings.predict, data.root)
    file = file_to_label(source, data.entry, data.root, handle)
    check_lengths(source, file.examples, data.max_words)
    path = best_checkpoint(directory)
    model = _opened(path, inputs, settings.model.class_path)
    written = place_of_predictions(directory, source)
    answers = model.answers(_as_read(file.examples, settings))
    with directory.held():
        written.parent.mkdir(parents=True, exist_ok=True)
        file.write(answers, written)
    told = f"labelled by epoch {epoch_of(path)} of {directory.path}"
    yield f"{len(file.examples):,} examples of {settings.predict}, {told}"
    report_line_ends([source], data.root)
    left_out = list(handle.places)
    if left_out:
        yield f"malformed lines skipped (no prediction): {len(left_out)}; the first: {left_out[0]}"
    yield f"predictions   {written}"


def file_of(predict: str, root: Path) -> Path:
    """Returns the file to be labelled: from the current folder, as a shell completes it, else from the data folder."""
    places = dict.fromkeys([Path(predict), root / predict])
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        if folder := next((place for place in places if place.is_dir()), None):
            raise PolyprobeError(f"predict={predict}: {folder} is a folder. Expected a file of what is to be labelled.")
        looked_at = " and none at ".join(str(Path.cwd() / place) for place in places)
        raise PolyprobeError(f"predict={predict}: there is no such file: none at {looked_at}.")
    return found


def _opened(path: Path, inputs: Inputs, expected: str) -> Any:
    model = open_model(path, inputs.source)
    found, expected = type(model).__name__, lasting_name(expected).rpartition(".")[2]
    if found != expected:
        raise DamagedCheckpoint(path, f"its model is a {found}", f"a {expected}, as that of its run")
    return model


def place_of_predictions(directory: RunDirectory, source: Path) -> Path:
    """Returns the file that predictions for a file are written to: `predictions/` and the whole path of that file.

    So files of one name in several folders have each their own, `predictions/data/fi_pud/test.conllu` for
    `/data/fi_pud/test.conllu`, in whatever order they come.
    """
    source = Path(os.path.abspath(source))
    return directory.predictions / source.relative_to(source.anchor)


def check_lengths(path: Path, examples: Sequence[Any], max_words: int | None) -> None:
    """Refuses sentences that training would not read: every sentence of the file gets its labels, or none does."""
    for one in examples:
        if place := too_long(path, one, max_words):
            raise PolyprobeError(f"{place} The run was trained so: cut the sentence, or train with a higher limit.")


def _as_read(examples: Sequence[Any], settings: TrainingSettings) -> Sequence[Any]:
    """Returns examples as the model reads them: a parser that reads predicted tags gets them here, too."""
    run = settings.data.upos_run
    return examples if run is None else tagged(opened_tagger(run, settings.workspace.encodings), examples)


def finished_run(settings: TrainingSettings, inputs: Inputs) -> RunDirectory:
    """Returns the directory of the finished run that has these settings.

    `data.on_malformed` may be given for the file to label alone: where no run was trained with it, the run without.

    Raises:
        PolyprobeError: it is not there or not finished; says the command that trains it.
    """
    directory = run_directory(settings, inputs.identity)
    other = run_directory(settings, inputs.identity, on_malformed=None)
    if other.is_finished and not directory.is_finished:
        return other
    if not directory.is_finished:
        state = "is not finished" if directory.path.exists() else "is not there"
        typed = [shlex.quote(one) for one in sys.argv[1:] if not one.startswith("predict=")]
        own = [f"--config-dir {shlex.quote(str(folder))}" for folder in own_folders()]
        command = " ".join([called_as("train"), *own, *typed])
        raise PolyprobeError(f"predict needs a finished run, and {directory.path} {state}. To train it: {command}")
    return directory


def file_to_label(path: Path, settings: Mapping[str, Any], root: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads a file with the reader of a corpus.

    A further test set of the corpus, or more of its train, may have another reader: it reads these files themselves,
    and files with their ending and not that of the corpus (`.conllu`, not `.pos`); a test set goes first.

    Args:
        settings: the entry of the corpus in `data.corpora`.
        on_malformed: called with every malformed line.
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
