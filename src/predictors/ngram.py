"""A smoothed n-gram model of the text that a language model was trained on, as a predictor: the baseline."""

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from polyprobe.datamodules.corpora.corpus_files import InMemory
from polyprobe.datamodules.corpora.labelled_corpora import entries_of, read_corpus
from polyprobe.datamodules.language_model import LanguageModelDataModule, OwnVectors
from polyprobe.encoders.base.encoder import fingerprint
from polyprobe.errors import BadValue, PolyprobeError, check_at_least
from polyprobe.models.baselines.ngram_lm import NgramModel
from polyprobe.models.batches.text_vocabulary import END_ID
from polyprobe.named import may_be_own, own_function
from polyprobe.predictors.word_level.predictor import IdRows, WordOptions, WordPredictor
from polyprobe.predictors.word_level.trained_run import EXPECTED, LanguageModelRun
from polyprobe.resources.data_root import data_root
from polyprobe.runs.names.foreign_names import GENERATOR, READER, ForeignName, known
from polyprobe.runs.record.configuration_file import KeptConfiguration
from polyprobe.runs.workspace import Workspace

_VERSION = 1
_LONGEST = 100  # words of an n-gram: each order is a table of its own
READS = "the reader of its texts"
_WRONG_TYPES = (KeyError, TypeError, ValueError, AttributeError, IndexError)


class NgramPredictor(WordPredictor):
    """Counts the training text of a run of `train.py task=lm` again: its baseline, with its vocabulary.

    Args:
        run: the run's directory.
        order: words of the longest n-gram; None for that of the run's own baseline.
        paths: folders `data`, that of the texts, and `work`, that of generated ones; `mirror`, another address of
            missing files, or None.
        reader: your own, if the run's configuration names it (`mine.read`): a file of a run is not trusted to name it.
        options: see `WordOptions`; the start of the sentence is always read.

    Raises:
        PolyprobeError: see `LanguageModelRun`; or the texts are missing, or not those of training.
    """

    def __init__(
        self,
        run: str | Path,
        order: int | None,
        paths: Mapping[str, Any],
        reader: str | None = None,
        **options: Annotated[Any, WordOptions],
    ):
        checked = WordOptions(start=True, **options)
        found = LanguageModelRun(run, "predictor.run")
        if order is not None:
            check_at_least("predictor.order", order, 1)
        text = _training_text(found, paths, reader)
        order = text.ngram_order if order is None else order
        if order > _LONGEST:
            raise BadValue("predictor.order", order, f"at most {_LONGEST}")
        super().__init__("ngram", text.vocabulary, checked)
        self.order, self._sentences, self.training = order, text.train_ids, found.config
        self.model_name = found.name

    @cached_property
    def text(self) -> str:
        """A digest of the vocabulary and the sentences that were counted."""
        digest = hashlib.sha256("\n".join(self.vocabulary.words).encode())
        for ids in self._sentences:  # each ends with the end of the sentence
            digest.update(ids)
        return digest.hexdigest()

    @property
    def provenance(self) -> dict[str, dict[str, str]]:
        return {"files": {self.model_name: self.text}}

    @property
    def fingerprint(self) -> str:
        return fingerprint("ngram", _VERSION, text=self.text, order=self.order, **self.of_fingerprint)

    def log_probabilities(self, rows: IdRows) -> np.ndarray:
        sentences = np.split(rows.ids, rows.ends[:-1])
        ended = sentences if self.options.end else [np.append(one, np.int32(END_ID)) for one in sentences]
        found = self._counted.log_probabilities(ended)
        whole = found if self.options.end else [one[:-1] for one in found]
        return np.concatenate(whole).astype(np.float32)

    @cached_property
    def _counted(self) -> NgramModel:
        return NgramModel.counted(self._sentences, len(self.vocabulary), self.order)


def _training_text(run: LanguageModelRun, paths: Mapping[str, Any], reader: str | None) -> LanguageModelDataModule:
    """Reads the texts of a run as its training did; only functions that conf/ names are called."""
    place = run.directory.config
    try:
        _check_names(run.kept, reader)
        return _read_text(run, Workspace.of(paths))
    except ForeignName as error:
        raise PolyprobeError(f"{place}: {error.found}. Expected {error.expected}.{_if_own(error)}") from error
    except _WRONG_TYPES as error:  # a configuration that no training run wrote
        found = f"{type(error).__name__}: {error}"
        raise PolyprobeError(f"{place} does not say how its texts are read ({found}). {EXPECTED}") from error


def _check_names(kept: KeptConfiguration, reader: str | None) -> None:
    """Looks up all functions that would be called to read a corpus."""
    generator = kept.lang.get("generator")
    if generator is not None:
        known(GENERATOR, generator["_target_"], "the generator of its texts")
    for entry in kept.data["corpora"].values():
        for part in entries_of(entry):
            if reader is not None and part["reader"] == reader:
                own_function(reader, "+predictor.reader", ("on_malformed",))
            else:
                known(READER, part["reader"], READS)


def _if_own(error: ForeignName) -> str:
    can_be = error.key == READS and may_be_own(error.name)
    return "" if not can_be else f" If that function is yours, name it: +predictor.reader={error.name}"


def _read_text(run: LanguageModelRun, workspace: Workspace) -> LanguageModelDataModule:
    data = run.kept.data
    root = data_root(run.kept.lang, workspace)
    ((name, entry),) = data["corpora"].items()
    corpus = read_corpus(name, entry, data["on_malformed"], root, workspace.mirror, data["max_words"])
    run.check_data(corpus.files, root)
    older = {"max_unknown_share": None}  # runs from before that option kept all sentences
    settings = {key: value for key, value in run.kept.datamodule.items() if not key.startswith("_")}
    datamodule = LanguageModelDataModule(InMemory(corpus), OwnVectors(), run.seed, **{**older, **settings})
    datamodule.setup()
    return datamodule
