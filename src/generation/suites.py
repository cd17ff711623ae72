"""What can be made, and by what: suites of probing tests, and minimal sets of grammars; a run that makes tests.

runs/generate/linspector_type-tr-s1-3f2a9c1e/sets/     what the suite writes, in the layout of its published tests
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from polyprobe.display.progress import watched
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.digest import file_digest
from polyprobe.formats.files.file_names import file_name
from polyprobe.generation.grammars.evaluation_sets import GrammarSettings, GrammarStudy
from polyprobe.generation.made_tests.writing import STATISTICS, described
from polyprobe.generation.maker import LeftOut, Maker, MakingSettings
from polyprobe.generation.pseudoword_tests import PseudowordTests
from polyprobe.generation.sentence_level import SentenceTests
from polyprobe.generation.token_level import TokenLevelTests
from polyprobe.generation.type_level import TypeLevelTests
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import identity
from polyprobe.runs.study import Outcome, Study, Work

MAKERS: Mapping[str, type[Maker]] = {
    "linspector_type": TypeLevelTests,
    "linspector_token": TokenLevelTests,
    "pseudowords": PseudowordTests,
    "sentences": SentenceTests,
}
_IN_THE_RECORD = (
    "filters",
    "items",
    "labels",
    "duplicates",
    "inputs_of_several_labels",
    "reversed_pairs",
    "ambiguity",
    "frequent_share",
    "frequent_draw",
    "shared_with_train",
    "majority",
    "memoriser",
)


def study_of(settings: MakingSettings | GrammarSettings, words_of_run: Callable[[Path], Collection[str]]) -> Study:
    """Returns what is asked: tests by their maker, or minimal sets of grammars.

    Args:
        words_of_run: returns the vocabulary of the model of a run; called only if one is to be checked.

    Raises:
        PolyprobeError: there is a fault in an option or in a file.
    """
    if isinstance(settings, GrammarSettings):
        return GrammarStudy(settings, words_of_run)
    return TestsStudy(settings, MAKERS[settings.suite.name].of(settings))


class TestsStudy(Study, Work):
    """Tests of a language, made from its sources.

    The record of a finished run has under `tests` what each is like, under `left_out` a sentence on each that could not
    be made, under `made_from` the files, under `malformed_rows_left_out` how many rows.
    """

    command = "generate"

    def __init__(self, settings: MakingSettings, maker: Maker):
        self.settings, self.maker = settings, maker
        self.config, self.workspace = settings.kept, settings.workspace
        self._data = _digests([source.path for source in maker.sources])

    @property
    def name(self) -> str:
        suite, language, seed = self.settings.suite.name, self.settings.language, self.settings.seed
        of_sources = {**self.maker.known_by(self.settings), "data": [*self._data.values()]}
        number = identity({"suite": suite, "lang": language, "seed": seed, **of_sources})
        return file_name(f"{suite}-{language}-s{seed}-{number}")

    @property
    def outcome(self) -> list[Path]:
        """The files of rows that a finished run wrote."""
        files = (self.run.path / name for name in self.run.record().get("files", {}))
        return [file for file in files if file.is_relative_to(self.run.sets) and file.name != STATISTICS]

    def versions(self) -> Mapping[str, str]:
        """Digests under the names of the run's first start if they are the same: files may be moved."""
        recorded = self.run.record().get("data", {})
        return recorded if Counter(recorded.values()) == Counter(self._data.values()) else self._data

    def prepare(self) -> Work:
        return self

    def work(self, run: RunDirectory) -> Outcome:
        tests, left_out = {}, []
        with watched("reading and making", "tests", None) as progress:
            for one in self.maker.make(run.sets, self.settings.tests):
                progress.advance()
                if isinstance(one, LeftOut):
                    left_out.append(one.reason)
                else:
                    tests[one.name] = {key: one.statistics[key] for key in _IN_THE_RECORD if key in one.statistics}
        notes = {
            "tests": tests,
            "left_out": left_out,
            "made_from": described(self.maker.sources),
            "malformed_rows_left_out": len(self.maker.on_malformed.places),
        }
        return [], notes


def _digests(paths: Sequence[Path]) -> dict[str, str]:
    """Digests the files, by their names; of two files of one name by their paths."""
    if len({path.resolve() for path in paths}) < len(paths):
        raise PolyprobeError(f"made_from has a file twice: {', '.join(map(str, paths))}. Expected each once.")
    names = [f"{path.parent.name}/{path.name}" for path in paths]
    return {
        name if names.count(name) == 1 else str(path.absolute()): file_digest(path)
        for name, path in zip(names, paths, strict=True)
    }
