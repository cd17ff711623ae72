"""Writes the corpora of the miniature Turkish where published data of other languages would lie.

    mini-<digest>/
      srl/mini/mini-up-{train,dev,test}.conllup               Universal PropBank 2.0, joined, with spans
      ud/mini/{train,dev,test}.conllu                         the same sentences as a treebank
      ner/mini/{train,dev,test}.txt                           the same sentences with names of persons and places
      nli/mini/{train,dev,test}.tsv                           pairs of sentences, in a table with a header
      unimorph/mini/mini.txt                                  the inventory: lemma, form, bundle
      frequency/mini.txt                                      the words of corpora/mini.txt with their counts
      wuggy/mini.txt                                          the forms with their syllables
      um/mini/{train,dev,test}.conllu                         the treebank, and more, with UniMorph bundles in FEATS
      linspector/type/mini/<Test>/{train,dev,test}.txt        and statistics.json, origin.jsonl
      linspector/token/mini/<Test>/{train,dev,test}.txt       and statistics.json, origin.jsonl
      corpora/mini.txt                                        plain text, one sentence a line, words apart
      corpora/mini_agreement.txt                              such a text that teaches the agreement of minimal sets
      senteval/mini/<test>.txt                                all splits in one file; about/ says more of some
      trees/mini/{train,dev,test}.tsv                         stories: a story's name and a constituency tree a line
      parallel/mini/{train,dev,test}.{mini,ana}               stories and their translation, a sentence a line
      ordered/mini/{train,dev,test}/stories.txt               stories with a blank line between two, words apart
      trees/mini_sentences/sentences.tsv                      further sentences, which tests in senteval/ are made from
      clams/grammars/mini/<construction>.avg                  grammars of minimal sets; common.avg is part of each
      clams/eval/mini/<construction>.txt                      their sets
      manifest.tsv                                            SHA-256 and path of every file above

The folder's name is a digest of what made it: the rules, the source of all that generates, and the seed. Each kind of
data has its `_write_…` function here.
"""

import hashlib
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from polyprobe.formats.files.atomic import remove_left_overs
from polyprobe.formats.grammars.avg import grammar_files
from polyprobe.formats.reading.lines import cells_to_line, write_lines
from polyprobe.formats.roles.propositions import Proposition
from polyprobe.formats.roles.universal_propbank import JOINED_COLUMNS
from polyprobe.formats.treebanks import conllu, constituency_trees
from polyprobe.formats.treebanks.conllu import ConlluSentence, Row
from polyprobe.formats.treebanks.constituency_trees import TreeOfDocument
from polyprobe.generation.grammars.sentences import classic_lines
from polyprobe.generation.made_tests.writing import Source
from polyprobe.generation.mini import renderings
from polyprobe.generation.mini.agreement import agreement_sentences
from polyprobe.generation.mini.data_files import FOLDER, LANGUAGE, settings_of
from polyprobe.generation.mini.inference import HEADER, inference_pairs
from polyprobe.generation.mini.lexicon import names
from polyprobe.generation.mini.phrases import TaggedSentence, Word
from polyprobe.generation.mini.probing_sets import (
    counted_words,
    sentence_level_sets,
    write_frequency_list,
    write_inflection_table,
    write_syllabified_words,
    write_token_level_sets,
    write_tree_level_sets,
    write_type_level_sets,
)
from polyprobe.generation.mini.renderings import constituency_tree
from polyprobe.generation.mini.sentences import Splits, sentences_by_split, sentences_of_trees, text_sentences
from polyprobe.generation.mini.stories import Story, stories_by_split
from polyprobe.splits import SPLITS

MANIFEST = "manifest.tsv"
LICENCE = "Apache-2.0"
GENERATION = FOLDER.parents[1]
ENTITY_TYPES = {"person": "PER", "place": "LOC"}


def ensure(root: Path, seed: int) -> Path:
    """Returns the folder with the corpora, and makes it first if it is missing or incomplete.

    Args:
        root: the folder in which `mini-<digest>` lies or will lie.
        seed: of the draws of sentences and probing sets.

    Returns:
        The folder; two processes that make it at once end with one complete folder.
    """
    folder = Path(root) / f"{LANGUAGE}-{digest(seed)}"
    if is_whole(folder):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    remove_left_overs(folder.parent)
    neighbour = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}.tmp")
    try:
        write_corpora(neighbour, seed)
        _move(neighbour, folder)
    finally:
        shutil.rmtree(neighbour, ignore_errors=True)
    return folder


def digest(seed: int) -> str:
    """Names the corpora: 12 hexadecimal digits over rules, lexicon, sources of all of `src/generation`, and seed."""
    state = hashlib.sha256(f"seed {seed}".encode())
    for path in sorted(GENERATION.rglob("*.*")):
        if path.is_file() and path.suffix != ".pyc":
            content = path.read_bytes()
            state.update(f"\n{path.name} {len(content)}\n".encode() + content)
    return state.hexdigest()[:12]


def is_whole(folder: Path) -> bool:
    """Says whether every file of the manifest is there with the content it had when written."""
    try:
        lines = (folder / MANIFEST).read_text(encoding="utf-8").splitlines()
        return all(_content_digest(folder / path) == known for known, path in (line.split("\t") for line in lines))
    except (OSError, ValueError):
        return False


def write_corpora(folder: Path, seed: int) -> None:
    """Writes all corpora into a folder that does not exist yet."""
    sentences = sentences_by_split(seed)
    text = text_sentences(sentences, seed)
    in_treebank = {split: sentences[split][:n] for split, n in settings_of("sentences")["n_sentences"].items()}
    _write_propbank(folder / "srl" / LANGUAGE, in_treebank)
    _write_treebank(folder / "ud" / LANGUAGE, in_treebank)
    type_of = {name.lemma: ENTITY_TYPES[name.kind] for name in names()}
    entities = {split: _entity_lines(some, type_of) for split, some in in_treebank.items()}
    _write_lines(folder / "ner" / LANGUAGE, "txt", entities)
    pairs = {split: map(cells_to_line, (HEADER, *rows)) for split, rows in inference_pairs(seed).items()}
    _write_lines(folder / "nli" / LANGUAGE, "tsv", pairs)
    _write_text(folder / "corpora" / f"{LANGUAGE}.txt", (one.forms for one in text))
    _write_text(folder / "corpora" / f"{LANGUAGE}_agreement.txt", agreement_sentences(seed))
    _write_type_level(folder, text, seed)
    _write_token_level(folder, sentences, seed)
    sets = {test: map(cells_to_line, rows) for test, rows in sentence_level_sets(sentences, seed).items()}
    _write_lines(folder / "senteval" / LANGUAGE, "txt", sets)
    _write_tree_level(folder, seed)
    _write_stories(folder, stories_by_split(seed))
    _write_minimal_sets(folder / "clams")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    manifest = [cells_to_line((_content_digest(path), path.relative_to(folder).as_posix())) for path in files]
    write_lines(manifest, folder / MANIFEST)


def _write_propbank(folder: Path, sentences: Splits) -> None:
    folder.mkdir(parents=True)
    for split, some in sentences.items():
        rows = (_with_roles(_conllu_sentence(split, n, one), one) for n, one in enumerate(some, start=1))
        conllu.write(rows, folder / f"{LANGUAGE}-up-{split}.conllup")


def _write_treebank(folder: Path, sentences: Splits) -> None:
    folder.mkdir(parents=True)
    for split, some in sentences.items():
        rows = (_conllu_sentence(split, n, one) for n, one in enumerate(some, start=1))
        conllu.write(rows, folder / f"{split}.conllu")


def _entity_lines(sentences: Iterable[TaggedSentence], type_of: Mapping[str, str]) -> Iterator[str]:
    """Every name is a span of one word, as in IOB2; a blank line ends a sentence."""
    for sentence in sentences:
        for word in sentence.words:
            yield cells_to_line((word.form, f"B-{type_of[word.lemma]}" if word.upos == "PROPN" else "O"))
        yield ""


def _write_lines(folder: Path, ending: str, lines_of: Mapping[str, Iterable[str]]) -> None:
    folder.mkdir(parents=True)
    for name, lines in lines_of.items():
        write_lines(lines, folder / f"{name}.{ending}")


def _conllu_sentence(split: str, number: int, sentence: TaggedSentence) -> ConlluSentence:
    comments = (f"# sent_id = {LANGUAGE}-{split}-{number}", f"# text = {sentence.text}")
    return ConlluSentence(number, 0, comments, tuple(_row(sentence.words, n) for n in range(len(sentence.words))))


def _row(words: tuple[Word, ...], index: int) -> Row:
    word, following = words[index], words[index + 1 : index + 2]
    misc = "SpaceAfter=No" if following and following[0].upos == "PUNCT" else "_"
    cells = (word.form, word.lemma, word.upos, "_", word.feats, str(word.head), word.relation, "_", misc)
    return Row(str(index + 1), *cells)


def _with_roles(tree: ConlluSentence, sentence: TaggedSentence) -> ConlluSentence:
    header = (conllu.columns_comment(JOINED_COLUMNS),) if tree.number == 1 else ()
    propositions = {proposition.predicate: proposition for proposition in sentence.propositions}
    cells = [_role_cells(sentence.words, propositions.get(n)) for n in range(len(tree.rows))]
    rows = tuple(replace(row, extra=extra) for row, extra in zip(tree.rows, cells, strict=True))
    return ConlluSentence(tree.number, 0, (*header, *tree.comments), rows, JOINED_COLUMNS)


def _role_cells(words: tuple[Word, ...], proposition: Proposition | None) -> tuple[str, str, str]:
    """The cells UP:PRED, UP:ARGHEADS and UP:ARGSPANS of a predicate, or of another word."""
    if proposition is None:
        return "_", "_", "_"
    arguments = [(argument.role, argument.word, words[argument.word]) for argument in proposition.arguments]
    heads = "|".join(f"{role}:{index + 1}" for role, index, _ in arguments) or "_"
    spans = "|".join(f"{role}:{word.start + 1}-{word.end}" for role, _, word in arguments) or "_"
    return proposition.sense, heads, spans


def _write_text(path: Path, sentences: Iterable[Sequence[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_lines((" ".join(words) for words in sentences), path)


def _write_type_level(folder: Path, text: Sequence[TaggedSentence], seed: int) -> None:
    """Writes the lexica, and the probing sets that are made from them."""
    words = counted_words(text)
    unimorph = folder / "unimorph" / LANGUAGE / f"{LANGUAGE}.txt"
    frequency = folder / "frequency" / f"{LANGUAGE}.txt"
    write_inflection_table(unimorph)
    write_frequency_list(words, frequency)
    write_syllabified_words(words, folder / "wuggy" / f"{LANGUAGE}.txt")
    sources = _generated((unimorph, frequency), seed)
    write_type_level_sets(*sources, folder / "linspector" / "type" / LANGUAGE, seed)


def _write_token_level(folder: Path, sentences: Splits, seed: int) -> None:
    """Writes all sentences with their bundles, and the probing sets that are made from them."""
    treebank = folder / "um" / LANGUAGE
    _write_treebank(treebank, {split: tuple(map(_with_bundles, sentences[split])) for split in SPLITS})
    treebanks = [treebank / f"{split}.conllu" for split in SPLITS]
    write_token_level_sets(_generated(treebanks, seed), folder / "linspector" / "token" / LANGUAGE, seed)


def _with_bundles(sentence: TaggedSentence) -> TaggedSentence:
    """Puts the bundle of each word where its features of UD stood."""
    return replace(sentence, words=tuple(replace(word, feats=word.bundle or "_") for word in sentence.words))


def _generated(paths: Iterable[Path], seed: int) -> list[Source]:
    return [Source(path, LICENCE, f"generated by rule, seed {seed}") for path in paths]


def _write_tree_level(folder: Path, seed: int) -> None:
    """Writes sentences with their constituency trees, and the probing sets that are made from them."""
    path = folder / "trees" / f"{LANGUAGE}_sentences" / "sentences.tsv"
    sentences = sentences_of_trees(seed, settings_of("probing_sets")["tree"]["n_sentences"])
    _write_trees(((f"sentence-{number}", one) for number, one in enumerate(sentences, start=1)), path)
    (source,) = _generated([path], seed)
    write_tree_level_sets(source, folder / "senteval" / LANGUAGE, seed)


def _write_stories(folder: Path, stories: Mapping[str, Sequence[Story]]) -> None:
    """Writes the same sentences as trees, with their translation, and as text in which their order is kept."""
    for split, of_split in stories.items():
        named = [(f"{split}-{number}", one) for number, story in enumerate(of_split, start=1) for one in story]
        _write_trees(named, folder / "trees" / LANGUAGE / f"{split}.tsv")
        parallel = folder / "parallel" / LANGUAGE
        _write_text(parallel / f"{split}.{LANGUAGE}", (one.forms for _, one in named))
        _write_text(parallel / f"{split}.{renderings.LANGUAGE}", (renderings.translated(one) for _, one in named))
        lines = [line for story in of_split for line in ((), *(one.forms for one in story))]
        _write_text(folder / "ordered" / LANGUAGE / split / "stories.txt", lines[1:])


def _write_trees(named: Iterable[tuple[str, TaggedSentence]], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    trees = ((document, constituency_tree(one)) for document, one in named)
    constituency_trees.write((TreeOfDocument(n, *tree) for n, tree in enumerate(trees, start=1)), path)


def _write_minimal_sets(folder: Path) -> None:
    grammars = folder / "grammars" / LANGUAGE
    shutil.copytree(FOLDER / "grammars", grammars)
    (folder / "eval" / LANGUAGE).mkdir(parents=True)
    for grammar in grammar_files(grammars):
        write_lines(classic_lines(grammar), folder / "eval" / LANGUAGE / f"{grammar.stem}.txt")


def _move(neighbour: Path, folder: Path) -> None:
    """Renames the finished neighbour; a damaged folder in its place goes first, another process's whole one stays."""
    if folder.exists() and not is_whole(folder):
        damaged = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}.damaged")
        os.replace(folder, damaged)
        shutil.rmtree(damaged, ignore_errors=True)
    try:
        os.rename(neighbour, folder)
    except OSError:
        if not is_whole(folder):
            raise


def _content_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
