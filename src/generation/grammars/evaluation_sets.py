"""Evaluation sets from grammars, written into a run directory: `python generate.py`.

runs/generate/clams-de-3f2a9c1e/sets/simple_agrmt.txt …     a file for each construction
runs/generate/clams-de-3f2a9c1e/missing_words.tsv           where a vocabulary was checked

Words of minimal sets that a vocabulary lacks, and the sets they cost, are counted without enumerating them.
"""

import hashlib
import logging
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Predicate

from polyprobe.display.progress import watched
from polyprobe.display.shown import cell_of
from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.formats.files.digest import file_digest
from polyprobe.formats.files.file_names import check_names, file_name
from polyprobe.formats.grammars.avg import files_behind, grammar_files, read
from polyprobe.formats.minimal_sets import json_sets
from polyprobe.formats.minimal_sets.clams import MinimalSet
from polyprobe.formats.reading.lines import cells_to_line, write_lines
from polyprobe.formats.texts import word_list
from polyprobe.generation.grammars.sentences import (
    Lexeme,
    Part,
    Pattern,
    capitalised,
    ended,
    minimal_sets,
    patterns,
    warn,
    write_published,
)
from polyprobe.resources.data_root import data_root
from polyprobe.resources.download import ensure
from polyprobe.resources.pinned_files import available_targets
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import identity
from polyprobe.runs.study import Outcome, Study, Work
from polyprobe.runs.workspace import Workspace
from polyprobe.section import Expected, Section

OWN = "own"
PROBING_TESTS = ("linspector_type", "linspector_token", "sentences", "pseudowords")  # made without grammars
Constructions = Mapping[str, Sequence[Pattern]]
"""The templates of grammars, ready to be written, by the names of their files."""
ENDINGS = {"published": ".txt", "json_lines": ".jsonl"}
_log = logging.getLogger(__name__)


class GrammarSettings(Section):
    """What is made of which grammars."""

    end_of_sentence: (
        Annotated[
            str,
            Predicate(lambda text: text.split() == [text]),
            Expected("one word, such as . or null", of_parts=True),
        ]
        | None
    )
    """Such as . : a word put after every sentence."""
    capitalise: bool
    """Whether every sentence begins with a capital letter."""
    format: Literal[*ENDINGS]
    """json_lines: also template, lexemes, and place and form of the varied slot of every sentence."""
    grammar: Any
    """With suite=own: a grammar, or a folder of grammars; its common.avg is read before each other file."""
    check_vocabulary: str | None
    """A file with one word per line, or a run of train.py task=lm: lists what it lacks, and the sets that costs."""
    dotless_i: Any
    """Whether İ is the capital of i."""
    suite: str
    """As it is chosen."""
    published: str | None
    """The folder of the suite's grammars, with {language} in its name; None: it has none."""
    language: Mapping[str, Any]
    """The settings of `lang=<code>`."""
    workspace: Workspace
    """The folders of the command."""
    kept: Mapping[str, Any]
    """The configuration as config.yaml keeps it."""

    @property
    def lang(self) -> str:
        """The code of the language."""
        return self.language["code"]

    def __post_init__(self):
        super().__post_init__()
        if (self.suite == OWN) != isinstance(self.grammar, str):
            raise BadValue("grammar", self.grammar, "a file or a folder with suite=own, and null with any other suite")


class GrammarStudy(Study, Work):
    """The sets of every grammar that a configuration names.

    Args:
        words_of_run: returns the vocabulary of the model of a run; called only if one is to be checked.
    """

    command = "generate"

    def __init__(self, settings: GrammarSettings, words_of_run: Callable[[Path], Collection[str]]):
        self.config, self.settings, self.workspace = settings.kept, settings, settings.workspace
        self.files = _grammars(settings)
        check_names("a grammar", (file.stem for file in self.files))
        self.constructions = {file.stem: _patterns(file, self.settings) for file in self.files}
        self.vocabulary = self.settings.check_vocabulary
        self.known = None
        if self.vocabulary is not None:
            path = Path(self.vocabulary)
            self.known = frozenset(words_of_run(path)) if path.is_dir() else word_list.read(path)
        self._data = {file.name: file_digest(file) for file in _behind(self.files)}
        if self.known is not None:
            words, is_list = "\n".join(sorted(self.known)).encode(), Path(self.vocabulary).is_file()
            self._data["vocabulary"] = file_digest(self.vocabulary) if is_list else hashlib.sha256(words).hexdigest()

    @property
    def name(self) -> str:
        """Suite, language (or the name of your own grammar) and identity, which includes the grammars' content."""
        settings, suite = self.settings, self.settings.suite
        what = Path(settings.grammar).absolute().stem if suite == OWN else settings.lang
        options = {key: getattr(settings, key) for key in ("capitalise", "dotless_i", "end_of_sentence", "format")}
        return file_name(f"{suite}-{what}-{identity({'what': [suite, what], **options, 'data': self._data})}")

    @property
    def outcome(self) -> list[Path]:
        ending = ENDINGS[self.settings.format]
        return [self.run.sets / f"{file_name(name)}{ending}" for name in self.constructions]

    def versions(self) -> Mapping[str, str]:
        return self._data

    def prepare(self) -> Work:
        return self

    def work(self, run: RunDirectory) -> Outcome:
        self._write()
        counted = ("n_sets", "n_sentences", "n_alone", "n_identical")
        counts = {
            name: {"n_templates": len(templates)}
            | {key: sum(getattr(one, key) for one in templates) for key in counted}
            for name, templates in self.constructions.items()
        }
        return [], {"constructions": counts, **_missing(run.missing_words, self.constructions, self.known)}

    def _write(self) -> None:
        """Writes the sets of each grammar."""
        n_sentences = sum(pattern.n_sentences for templates in self.constructions.values() for pattern in templates)
        write = write_published if self.settings.format == "published" else _write_json_lines
        with watched("writing", "sentences", n_sentences) as progress:
            for templates, target in zip(self.constructions.values(), self.outcome, strict=True):
                target.parent.mkdir(exist_ok=True)
                write(templates, target, progress.advance)


def _grammars(settings: GrammarSettings) -> list[Path]:
    """Returns the files of the grammars; missing published ones are fetched."""
    suite, lang = settings.suite, settings.lang
    if suite == OWN:
        return grammar_files(Path(settings.grammar))
    if settings.published is None:
        expected = "Expected suite=clams, or suite=own with a grammar"
        tests = f"tests to train probes on are generated by suite={', '.join(PROBING_TESTS)}"
        raise PolyprobeError(f"suite={suite} cannot be made. {expected}; {tests}.")
    root = data_root(settings.language, settings.workspace)
    folder = settings.published.format(language=lang)
    targets = available_targets(f"{folder}/")
    if targets and settings.language.get("generator") is None:
        for target in targets:
            ensure(root, target, settings.workspace.mirror)
    if not (root / folder).is_dir():
        known = sorted({Path(target).parent.name for target in available_targets(str(Path(folder).parent) + "/")})
        raise PolyprobeError(
            f"lang={lang} has no grammars of suite={suite}: {root / folder} is not there. "
            f"They are published for {', '.join(known)}; lang=mini has its own."
        )
    return grammar_files(root / folder)


def _patterns(file: Path, settings: GrammarSettings) -> list[Pattern]:
    """Reads a grammar and prepares its sentences by the options."""
    grammar = read(file)
    if not grammar.vary:
        expected = "a line such as vary: V[]: without one there are no ungrammatical sentences"
        raise PolyprobeError(f"{file}: the grammar has no vary statement. Expected {expected}.")
    made = patterns(grammar)
    warn(grammar, made)
    if settings.format == "published" and any(len(pattern.varied) > 1 for pattern in made):
        _log.warning("%s: two slots vary, so its sets are not lines in a row. format=json_lines keeps them.", file)
    if settings.capitalise:
        made = [capitalised(pattern, settings.dotless_i) for pattern in made]
    if settings.end_of_sentence is not None:
        made = [ended(pattern, settings.end_of_sentence) for pattern in made]
    return made


def _behind(files: Iterable[Path]) -> list[Path]:
    """Returns the files that grammars are read from, each once."""
    return list(dict.fromkeys(part for file in files for part in files_behind(file)))


def _write_json_lines(templates: Sequence[Pattern], target: Path, advance: Callable[[int], None]) -> None:
    def counted() -> Iterator[MinimalSet]:
        for one in minimal_sets(templates):
            yield one
            if one.number % 1000 == 0:
                advance(1000 * len(one.variants))

    json_sets.write(counted(), target)


def _missing(table: Path, constructions: Constructions, known: frozenset[str] | None) -> dict[str, Any]:
    """Writes the table of missing words and counts the sets they cost, where a vocabulary is checked."""
    if known is None:
        return {}
    rows = [("construction", "word", "preterminals", "lines", "focus", "sets")]
    for name, templates in constructions.items():
        for word, *cells in missing_words(templates, known):
            rows.append((cell_of(name), cell_of(word), *cells))
    write_lines(map(cells_to_line, rows), table)
    return {"missing": {name: missing_sets(templates, known) for name, templates in constructions.items()}}


def missing_words(patterns: Iterable[Pattern], known: Collection[str]) -> list[tuple[str, ...]]:
    """Lists the unknown words, those that cost most sets first.

    Returns:
        Of each: the word; the preterminals that have it, S for the words of a template; the files and lines that have
        it (`common.avg:12`); "focus" if it is in a varied slot, where it can decide a set, else "other"; how many sets
        have it in at least one sentence.
    """
    n_sets: Counter[str] = Counter()
    parts: dict[str, list[Part]] = {}
    for pattern in patterns:
        holding = [
            (part, Counter(word for lexeme in part.lexemes for word in sorted(_words(lexeme))))
            for part in pattern.parts
        ]
        for word in dict.fromkeys(word for _, counts in holding for word in counts if word not in known):
            n_sets[word] += pattern.n_sets - math.prod(len(part.lexemes) - counts[word] for part, counts in holding)
            parts.setdefault(word, []).extend(part for part, counts in holding if counts[word])
    return [(word, *_places(word, parts[word]), str(count)) for word, count in n_sets.most_common()]


def missing_sets(patterns: Sequence[Pattern], known: Collection[str]) -> dict[str, int]:
    """Counts the sets with an unknown word: in a varied slot (`focus`), elsewhere (`other`), and at all (`any`)."""

    def counted(*is_varied: bool) -> int:
        def is_missing(part: Part, lexeme: Lexeme) -> bool:
            return part.is_varied in is_varied and not _words(lexeme) <= known

        return sum(pattern.n_sets - pattern.n_sets_without(is_missing) for pattern in patterns)

    return {"focus": counted(True), "other": counted(False), "any": counted(True, False)}


def _words(lexeme: Lexeme) -> set[str]:
    return {word for form in lexeme.forms for word in form.text.split(" ")}


def _places(word: str, parts: Sequence[Part]) -> tuple[str, str, str]:
    """Says where a word is: preterminals, lines, focus or not; see `missing_words`."""
    forms = [form for part in parts for lexeme in part.lexemes for form in lexeme.forms if word in form.text.split(" ")]
    slots = dict.fromkeys(part.slot.name if part.slot else "S" for part in parts)
    places = dict.fromkeys(f"{form.place.path.name}:{form.place.line}" for form in forms)
    return " ".join(slots), " ".join(places), "focus" if any(part.is_varied for part in parts) else "other"
