"""How downstream tasks are scored: read and checked once, before torch is imported."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Self

from polyprobe.encoders.base.encoder import CountEncoder, Encoder
from polyprobe.errors import BadValue
from polyprobe.formats.reading.malformed import handler_named
from polyprobe.named import built
from polyprobe.probing.count_classifiers.count_classifier import CountClassifier
from polyprobe.probing.settings import AskedSettings, ProbeSettings, check_precision, check_tests
from polyprobe.probing.suites.downstream_tasks import RELEASED, DownstreamSuite, available_tasks, chosen_tasks
from polyprobe.resources.data_root import data_root
from polyprobe.runs.results import COUNT_PROBES


@dataclass(frozen=True, slots=True)
class DownstreamSettings(AskedSettings):
    """Which tasks are scored, and how."""

    suite: DownstreamSuite
    """Of the tasks."""
    tests: Sequence[str]
    """Names of the tasks."""
    seeds: Sequence[int]
    """Each task and layer is fitted once for each; with the released protocol the seed of the toolkit alone."""
    classifier: CountClassifier | None = None
    """Of counts, where the encoder counts; None: that of the suite."""

    @classmethod
    def of(cls, asked: ProbeSettings) -> Self:
        """Finds the tasks that are asked for.

        Raises:
            BadValue: `tests` is not a list, half precision is chosen, or several seeds with the released protocol,
                which has one.
            PolyprobeError: the suite has none of these tasks, or none for the language.
        """
        check_precision(asked.precision)
        check_tests(asked.tests, "[MR,STS14]")
        suite, root = built(asked.suite.options, "suite"), data_root(asked.lang, asked.workspace)
        tests = chosen_tasks(available_tasks(suite, asked.lang, root), asked.tests)
        is_released = asked.protocol == RELEASED
        if is_released and asked.seeds > 1:
            raise BadValue("seeds", asked.seeds, f"1 with protocol=released, whose seed is {suite.folds_seed}")
        seeds = (suite.folds_seed,) if is_released else asked.range_of_seeds
        return cls(asked, root, handler_named(asked.on_malformed), suite, tests, seeds)

    protocol = property(attrgetter("asked.protocol"))

    def options_of(self, encoder: Encoder | CountEncoder) -> str | None:
        """Returns the options of an encoder in words, and how sentences are cut where not as each task says."""
        options = self.asked.encoder.in_words(encoder.model_name is not None, getattr(encoder, "resolved", None))
        cut = None if self.suite.cut_by is None else f"suite.cut_by={self.suite.cut_by}"
        return " ".join(filter(None, [options, cut])) or None


def classifier_of_counts(asked: ProbeSettings, encoder: CountEncoder) -> CountClassifier:
    """Builds the classifier of counts that is chosen, or that belongs to the encoder."""
    probe, encoder_name = asked.with_own_probe(encoder).probe, asked.encoder.name
    classifier = built(probe.options, "probe")
    if not isinstance(classifier, CountClassifier):
        raise BadValue(
            "probe", probe.name, f"{' or '.join(COUNT_PROBES)} with encoder={encoder_name} on downstream tasks"
        )
    if asked.seeds > 1:
        raise BadValue(
            "seeds", asked.seeds, f"1 with probe={probe.name} of encoder={encoder_name}, which draws nothing"
        )
    return classifier
