"""One run of downstream tasks from its configuration to its rows: `python probe.py suite=senteval_downstream …`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

from polyprobe.display.progress import watched
from polyprobe.encoders.base.build import make_encoder
from polyprobe.encoders.base.encoder import CountEncoder, Encoder
from polyprobe.encoders.cache.store import check_room, encoded
from polyprobe.formats.files.digest import content_version
from polyprobe.formats.files.file_names import file_name
from polyprobe.models.base.torch_process import device_of, flush_denormals
from polyprobe.probing.downstream.findings import DownstreamFindings
from polyprobe.probing.downstream.fits import LayerFit, count_task_outcome
from polyprobe.probing.downstream.settings import DownstreamSettings, classifier_of_counts
from polyprobe.probing.downstream.task_outcomes import (
    COSINE,
    KeptTaskOutcomes,
    TaskOutcome,
    all_sentences,
    manners_of,
)
from polyprobe.probing.item_vectors import LayerVectors
from polyprobe.probing.stages import EncoderWork, train_jobs
from polyprobe.probing.suites.downstream_tasks import DownstreamTask, files_of_task, load_task
from polyprobe.probing.task_score_by_epoch import rows_of_probed
from polyprobe.runs.array_records import Predictions
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import identity
from polyprobe.runs.study import Outcome, Study, Work, in_a_line

Outcomes = dict[tuple[str, str, int], Sequence[TaskOutcome]]


class DownstreamStudy(Study, EncoderWork):
    """Downstream tasks by an encoder's vectors or counts."""

    command = "probe"

    def __init__(self, settings: DownstreamSettings):
        flush_denormals()
        self.encoder = make_encoder(settings.asked.encoder.options)
        if isinstance(self.encoder, CountEncoder):
            settings = replace(settings, classifier=classifier_of_counts(settings.asked, self.encoder))
        self.config, self.settings, self.workspace = settings.asked.kept, settings, settings.workspace
        self.machine = settings.bank
        root, mirror = settings.root, self.workspace.mirror
        files = {name: files_of_task(settings.suite.tasks[name], root, mirror) for name in settings.tests}  # fetched
        self._versions = {name: content_version(dict.fromkeys(paths.values())) for name, paths in files.items()}

    @property
    def name(self) -> str:
        """Suite, language, encoder, seed and identity, which knows encoder and tasks by their content."""
        settings = self.settings
        suite, lang, asked = settings.suite, settings.lang["code"], settings.asked
        number = identity(
            {
                "what": [asked.suite.name, lang, settings.encoder_name],
                "tasks": {name: [self._versions[name], str(suite.tasks[name])] for name in settings.tests},
                "fits": [suite.folds, suite.inner_folds, suite.dev_share, suite.folds_seed],
                "probes": [suite.classifier, suite.regression],
                "rules": [settings.protocol, asked.on_malformed, list(settings.seeds)],
                "cache": settings.cache.number,
                "encoder": self.encoder.fingerprint,
                "classifier": settings.classifier and [settings.classifier.name, settings.classifier.settings],
            }
        )
        return file_name(f"{suite.name}-{lang}-{settings.encoder_name}-s{settings.seeds[0]}-{number}")

    def versions(self) -> Mapping[str, str]:
        return self._versions

    def prepare(self) -> Work:
        one, encoder = self.settings, self.encoder
        suite, root, mirror = one.suite, one.root, self.workspace.mirror
        self.tasks = [load_task(suite, name, root, mirror, one.protocol, one.on_malformed) for name in one.tests]
        if isinstance(encoder, Encoder):
            encoder.check_there(sentence for task in self.tasks for sentence in all_sentences(task))
        return self

    @property
    def files(self) -> Mapping[str, Sequence[Path]]:
        return {task.name: task.files for task in self.tasks}

    def start(self) -> Sequence[str]:
        items = [item for task in self.tasks for item in task.items]
        counts = {"tasks": len(self.tasks), "layers": len(self.encoder.layers), "seeds": len(self.settings.seeds)}
        n_sentences = sum(len(item.sentences) for item in items)
        return [in_a_line({**counts, "items": len(items), "sentences": n_sentences})]

    def share(self, run: RunDirectory) -> None:
        if isinstance(self.encoder, Encoder):  # classifiers of counts are fitted in seconds
            _of_layers(self.settings, self.tasks, self.encoder)

    def scored(self, run: RunDirectory) -> Outcome:
        settings, tasks, encoder = self.settings, self.tasks, self.encoder
        score = _of_counts if isinstance(encoder, CountEncoder) else _of_layers
        findings = DownstreamFindings(settings, tasks, encoder, score(settings, tasks, encoder))
        for record in findings.predictions():
            record.write(run.predictions if isinstance(record, Predictions) else run.predicted_scores)
        notes = {"rows": {task.name: task.note for task in tasks}}
        return [*rows_of_probed(encoder), *findings.rows()], notes


def _of_counts(settings: DownstreamSettings, tasks: Sequence[DownstreamTask], encoder: CountEncoder) -> Outcomes:
    outcomes: Outcomes = {}
    with watched("fitting classifiers", "tasks", len(tasks)) as progress:
        for task in tasks:
            for manner in manners_of(task.settings, has_vectors=False):
                outcome = count_task_outcome(encoder, settings.classifier, task, manner, settings.suite)
                outcomes[task.name, manner, 0] = [outcome]
            progress.advance()
    return outcomes


def _of_layers(settings: DownstreamSettings, tasks: Sequence[DownstreamTask], encoder: Encoder) -> Outcomes:
    """Encodes every sentence once, then fits task by task and layer by layer; what an earlier start found is kept."""
    device = device_of(settings.bank.accelerator)  # first, since the machine may lack it
    sentences, cache = [one for task in tasks for one in all_sentences(task)], settings.cache
    check_room([encoder], sentences, cache)
    vectors = LayerVectors(encoded(encoder, sentences, cache), f"{encoder.fingerprint} {cache.number}")
    wanted = [
        LayerFit(settings, task, vectors, place, manner, seed)
        for task in tasks
        for place in range(len(encoder.layers))
        for manner in manners_of(task.settings, has_vectors=True)
        for seed in (settings.seeds if manner != COSINE else settings.seeds[:1])
    ]
    outcomes: dict[tuple[str, str, int], list[TaskOutcome]] = {}
    for one, outcome in zip(wanted, _scored(settings, wanted, device), strict=True):
        outcomes.setdefault((one.task.name, one.manner, one.place), []).append(outcome)
    return outcomes


def _scored(settings: DownstreamSettings, wanted: Sequence[LayerFit], device: torch.device) -> list[TaskOutcome]:
    """Returns the outcomes that were kept, and scores the others and keeps them; cosines are not kept."""
    of_names = {one.name: one for one in wanted if one.manner != COSINE}
    train = partial(train_jobs, settings.bank)

    def scored(names: Sequence[str]) -> Iterator[TaskOutcome]:
        return (of_names[name].outcome(train, device) for name in names)

    outcomes = KeptTaskOutcomes(settings.workspace.probes, device).read_or_make(of_names, scored)
    return [one.outcome(train, device) if one.manner == COSINE else outcomes[one.name] for one in wanted]
