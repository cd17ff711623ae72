"""What a command asks an encoder or a predictor: distinct items of tests or tasks, distinct sentences of sets."""

from polyprobe.items import Item
from polyprobe.predictors.base.predictor import Question
from polyprobe.probing.design import read_tests
from polyprobe.probing.downstream.settings import DownstreamSettings
from polyprobe.probing.downstream.task_outcomes import all_sentences
from polyprobe.probing.minimal_sets.questions import sentences_of
from polyprobe.probing.minimal_sets.settings import MinimalSetSettings
from polyprobe.probing.settings import ProbeSettings, ProbingSettings
from polyprobe.probing.suites.chosen import has_downstream_tasks
from polyprobe.probing.suites.downstream_tasks import load_task
from polyprobe.probing.suites.minimal_set_files import load


def items_to_encode(asked: ProbeSettings) -> list[Item]:
    """Returns the distinct items of all tests or downstream tasks, in their order; missing files are fetched.

    Raises:
        PolyprobeError: something is not what it should be.
    """
    if not has_downstream_tasks(asked.suite.options):
        tests = read_tests(ProbingSettings.of(asked))
        splits = [split for test in tests for split in (test.train, test.dev, test.test)]
        return list(dict.fromkeys(one for split in splits for items in split.items for one in items))
    settings = DownstreamSettings.of(asked)
    how = settings.root, asked.workspace.mirror, settings.protocol, settings.on_malformed
    tasks = [load_task(settings.suite, name, *how) for name in settings.tests]
    return list(dict.fromkeys(one for task in tasks for one in all_sentences(task)))


def questions_to_score(asked: ProbeSettings) -> list[Question]:
    """Returns the distinct sentences of all minimal sets, in their order; missing files are fetched.

    Raises:
        PolyprobeError: something is not what it should be.
    """
    settings = MinimalSetSettings.of(asked)
    where = settings.root, asked.workspace.mirror
    suite = load(settings.files, settings.lang, settings.constructions, *where, settings.on_malformed)
    sentences = map(sentences_of, suite.constructions)
    return list(dict.fromkeys(Question(words, None, one.between) for one in sentences for words in one.words))
