"""Trains your own word vectors on a text: `python train.py task=word_vectors model=…`."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from polyprobe.datamodules.corpora.further_files import files_of
from polyprobe.datamodules.corpora.labelled_corpora import (
    CorpusReader,
    malformed_handler,
    options_named,
    with_options_of,
)
from polyprobe.display.shown import say, short_path
from polyprobe.errors import Impossible, PolyprobeError
from polyprobe.formats.reading.case import lower_cased
from polyprobe.formats.texts.text_corpus import TextSentence
from polyprobe.named import built
from polyprobe.resources.revisions import sources
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.choice import Choice
from polyprobe.runs.names.conf_folders import choice_files
from polyprobe.runs.names.typed_command import called_as
from polyprobe.runs.record.provenance import digests, name_of
from polyprobe.runs.results import ResultRow
from polyprobe.runs.study import Outcome, Study, Work, done
from polyprobe.seeds import derived_seed
from polyprobe.training.door import word_vector_settings
from polyprobe.training.settings import WordVectorSettings
from polyprobe.training.word_vectors.gensim_models import Cbow, Coverage


@dataclass(frozen=True)
class Text:
    """The sentences of a text; equal words are one object, so that a word costs eight bytes where it occurs again."""

    name: str
    """As in the configuration ("text")."""
    sentences: list[list[str]]
    files: tuple[Path, ...]
    malformed: tuple[str, ...]
    """The skipped lines, in the words of the reader."""


class VectorStudy(Study):
    """Word vectors of a text. A run that was cut off begins again: gensim cannot continue in the middle."""

    command, begins_anew = "train", True

    def __init__(self, settings: WordVectorSettings):
        self.settings, self.config, self.workspace = settings, settings.kept, settings.workspace
        self.model = chosen_model(settings.model)

    @property
    def name(self) -> str:
        return self.settings.identity.name()

    @property
    def outcome(self) -> list[Path]:
        return [self.run.vectors / file for file in self.model.files]

    def versions(self) -> Mapping[str, str]:
        return self.run.data_now(self.settings.data.root)

    def prepare(self) -> "VectorWork":
        settings, data = self.settings, self.settings.data
        text = read_text(data.corpus, data.entry, data.on_malformed, data.root, data.mirror, settings.case)
        random.Random(derived_seed(settings.seed, "sentences")).shuffle(text.sentences)
        return VectorWork(settings, self.model, text)


class VectorWork(Work):
    """Trains word vectors on a text."""

    def __init__(self, settings: WordVectorSettings, model: Cbow, text: Text):
        self.settings, self.model, self.text = settings, model, text
        self._logger: Any = None

    def versions(self) -> Mapping[str, str]:
        return digests(self.text.files, self.settings.data.root)

    def circumstances(self) -> Mapping[str, Any]:
        return {"workers": self.model.workers}

    def start(self) -> Sequence[str]:
        return [f"sentences: {len(self.text.sentences):,}  (an interrupted run restarts)"]

    def work(self, run: RunDirectory) -> Outcome:
        settings, model, text, root = self.settings, self.model, self.text, self.settings.data.root
        self._logger = curve_logger(settings, run)
        run.vectors.mkdir(exist_ok=True)
        coverage = model.train(text.sentences, settings.seed, run.vectors)
        of_files = sources({}, None, {name_of(one, root): [one] for one in text.files}, root)
        kept = {**notes(model, text, coverage, run.vectors), "sources": of_files}
        return coverage_rows(settings, text.name, coverage), kept

    def close(self, rows: Sequence[ResultRow]) -> None:
        if self._logger is not None:
            self._logger.log_metrics({row.metric: row.value for row in rows})
            self._logger.finalize("success")


def train_vectors(config: Mapping[str, Any]) -> RunDirectory:
    """Trains the vectors that a configuration asks for, or says what an earlier run of the same left.

    Args:
        config: the resolved configuration of conf/train.yaml with task=word_vectors, as plain values.

    Returns:
        The directory of the finished run; the files of the vectors are in its folder `vectors`.

    Raises:
        PolyprobeError: the text, the configuration or the run directory is not what it should be.
    """
    study = VectorStudy(word_vector_settings(config))
    run = done(study)
    print_outcome(study.settings, study.model, run)
    return run


def chosen_model(choice: Choice) -> Cbow:
    """Builds the model."""
    if not choice.class_path.startswith(f"{Cbow.__module__}."):
        known = "fasttext, subword, word2vec"
        raise Impossible(f"model={choice.name} is not a model of task=word_vectors. Known: {known}.")
    return built(choice.options, "model")


def read_text(
    name: str, settings: Mapping[str, Any], on_malformed: str | None, root: Path, mirror: str | None, rule: str
) -> Text:
    """Reads a text as `read_corpus` reads a labelled corpus; all of it is `train`.

    Args:
        rule: of `polyprobe.formats.reading.case.case_rule`, by which its words are lower-cased.

    Raises:
        MalformedLine: the file has a malformed line and these are refused.
        PolyprobeError: the file is missing and cannot be fetched, or has no sentence.
    """
    handle = malformed_handler(on_malformed, settings, root)
    reader = CorpusReader(root, mirror, handle)
    settings, words = with_options_of("train", settings), dict[str, str]()
    with options_named(f"data.corpora.{name}", settings):
        sentences = [
            [
                words[token] if token in words else words.setdefault(token, lower_cased(token, rule))
                for token in sentence
            ]
            for file in files_of(settings, "train")
            for sentence in map(_words, reader.sentences(settings, file))
        ]
    if not sentences:
        raise PolyprobeError(f"{settings['train']} has no sentence. Expected at least one.")
    malformed = tuple(str(place) for place in handle.places)
    return Text(name, sentences, tuple(reader.files), malformed)


def _words(sentence: tuple[str, ...] | TextSentence) -> tuple[str, ...]:
    return sentence.words if isinstance(sentence, TextSentence) else sentence


def curve_logger(settings: WordVectorSettings, directory: RunDirectory) -> Any:
    """Returns the logger of a run, or None where there is none."""
    if settings.logger.is_metrics_file:
        return None
    from polyprobe.training.loggers import (
        make_logger,  # and with it Lightning, some seconds that nothing else here needs
    )

    tags = settings.lang, settings.task, settings.model.name
    return make_logger(settings.logger, directory.path, settings.kept, tags)


def coverage_rows(settings: WordVectorSettings, corpus: str, coverage: Coverage) -> list[ResultRow]:
    """Says in two rows which shares of the text's units and of its distinct units have a vector."""
    shared = {
        "stage": "training",
        "lang": settings.lang,
        "suite": settings.task,
        "split": "train",
        "corpus": corpus,
        "encoder": settings.model.name,
        "seed": settings.seed,
    }
    tokens = ResultRow(**shared, metric="token_coverage", value=coverage.known / coverage.units, n=coverage.units)
    types = ResultRow(**shared, metric="type_coverage", value=coverage.vocabulary / coverage.types, n=coverage.types)
    return [tokens, types]


def notes(model: Cbow, text: Text, coverage: Coverage, folder: Path) -> dict[str, Any]:
    """Returns the entries of run.json that only runs of word vectors have."""
    return {
        "corpus": text.name,
        "counts": {"sentences": len(text.sentences), **asdict(coverage)},
        "left_out": list(text.malformed),
        "vectors": digests([folder / file for file in model.files], folder),
        "workers": model.workers,
        "is_reproducible": model.workers == 1,
    }


def print_outcome(settings: WordVectorSettings, model: Cbow, directory: RunDirectory) -> None:
    """Prints the size of the vocabulary, where the vectors are, and how to continue with them."""
    tokens, types = (row for row in directory.rows() if row["stage"] == "training")
    vocabulary = directory.record()["counts"]["vocabulary"]
    say(f"vocabulary {vocabulary:,} of {types['n']:,} units; {tokens['value']:.1%} of {tokens['n']:,} in the text")
    folder = short_path(directory.vectors)
    for file in model.files:
        say(f"vectors   {folder}/{file}")
    work = str(settings.workspace.work)
    more = [] if work == "." else [f"paths.work={work}"]
    own = [] if settings.lang in choice_files("lang") else ["suite=own suite.path=… suite.format=…"]
    say(" ".join([called_as("probe"), *own, f"lang={settings.lang}", model.encoder.format(folder=folder), *more]))
