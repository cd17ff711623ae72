"""Sentences of UD treebanks, compact, with all that tests ask of them.

1-2  del   _   …          words   del  tren       what is written into a test: tokens
1    de    ADP …          tree    de  el  tren    what labels rest on: syntactic words
2    el    DET …
3    tren  NOUN …

Which document a sentence stands in:

    # newdoc id = weblog-1      where every file starts with a document: the comment begins one, with or without an id
    # sent_id = b104.2          else: b104, the id without its number, where ids name documents
    # sent_id = mst-0005        else: every sentence is a document of its own

Ids name documents where none of the names holds more than a tenth of the sentences: `mst`, `train-s` and `n` (of
n01001011) name the treebank, its file or a genre.
"""

import functools
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.case import lower_cased
from polyprobe.formats.reading.malformed import Omission, OnMalformed
from polyprobe.formats.treebanks.conllu import ConlluSentence, Row, read_stripped
from polyprobe.formats.treebanks.dependencies import checked_heads
from polyprobe.generation.sentence_tests.labelled_sentences import AnalysedSentence

_MOST_OF_TREEBANK = 0.1
_NUMBER = re.compile(r"[\W_]*s?\d+$")
_NEW_DOCUMENT = re.compile(r"#\s*newdoc\b(?:\s+id\s*=\s*(.*\S))?")
_NO_BREAK_SPACE = "\u00a0"  # of "25 000", one token: sentences of tests are split at blanks


DocumentMark = tuple[str, str | None, str]
"""What a sentence says on its document: its file; the id of the document that starts here, empty where it has none,
None where none starts; its own id.
"""


def new_document(comments: Iterable[str]) -> str | None:
    """Returns the id of the document that starts with a sentence of these comments; None if none does."""
    found = next((match for comment in comments if (match := _NEW_DOCUMENT.match(comment))), None)
    return (found.group(1) or "") if found else None


def documents_of(marks: Sequence[DocumentMark]) -> list[str]:
    """Names the document of each sentence of a treebank; the marks are in the order of the files."""
    first_of_files = {file: begun for file, begun, _ in reversed(marks)}.values()
    if marks and all(begun is not None for begun in first_of_files):
        return _begun(marks)
    names = [_NUMBER.sub("", identifier) for *_, identifier in marks]
    if names and max(Counter(names).values()) <= _MOST_OF_TREEBANK * len(names):
        return names
    return [f"{number} {file} {one}" for number, (file, _, one) in enumerate(marks, start=1)]


def _begun(marks: Sequence[DocumentMark]) -> list[str]:
    """Names each sentence after the document that began last; one without an id after its place."""
    names, name = [], ""
    for number, (file, begun, _) in enumerate(marks, start=1):
        if begun is not None:
            name = begun or f"{number} {file}"
        names.append(name)
    return names


@dataclass(frozen=True, slots=True)
class TreeWord:
    """A syntactic word."""

    form: str
    """Lower-cased."""
    lemma: str
    """Lower-cased."""
    upos: str
    features: Mapping[str, str]
    """Of FEATS, a value of several as it stands (`Fem,Masc`)."""
    head: int
    """1-based, 0 at the root."""
    relation: str
    """`upos` and `relation`: as in the file; the relation with its subtype."""
    token: int
    """Place of its token among the words of the sentence, from 0."""
    is_token: bool
    """Whether the token is this word and no other."""

    @property
    def basic_relation(self) -> str:
        """The relation without its subtype."""
        return self.relation.partition(":")[0]


@dataclass(frozen=True, slots=True)
class TreebankSentence(AnalysedSentence):
    """A sentence of tokens and its dependency tree."""

    tree: tuple[TreeWord, ...]
    """Its syntactic words, one of them the root."""

    @property
    def root(self) -> int:
        """The place of the root in the tree, from 0."""
        return next(place for place, word in enumerate(self.tree) if word.head == 0)

    @property
    def depth(self) -> int:
        """Words from the root to the deepest word; the root alone is 1.

        Punctuation is left out: what a comma depends on says nothing on the sentence. RuSentEval (labels 5 to 9) does
        not say how it counts; X-Probe's 3 to 7 count the root as 1.
        """
        heads, depths = [word.head for word in self.tree], [0] * (len(self.tree) + 1)
        counted = (number for number, word in enumerate(self.tree, start=1) if word.basic_relation != "punct")
        return max((_depth(number, heads, depths) for number in counted), default=1)

    def dependents(self, place: int) -> Iterator[int]:
        """Yields the places of the words whose head is at a place of the tree, from 0."""
        return (dependent for dependent, word in enumerate(self.tree) if word.head == place + 1)


def read_treebank(paths: Sequence[Path], case: str, on_malformed: OnMalformed) -> list[TreebankSentence]:
    """Reads the files of a treebank, one after the other.

    Empty nodes and DEPS are left out.

    Args:
        paths: CoNLL-U, in an order that counts.
        case: how words are lower-cased, as `lower_cased` takes it.
        on_malformed: called with the place of every sentence that is not CoNLL-U, whose words make up no tree with one
            root, or that has a feature without a value.
    """
    lower = functools.cache(lambda word: sys.intern(lower_cased(word, case)))
    sentences, marks = [], []
    for path in paths:
        for sentence in read_stripped(path, on_malformed):
            with Omission(on_malformed):
                tree = _tree(path, sentence, lower)
                file = f"{path.parent.name}/{path.name}"
                place = {"file": file, "line": sentence.line, "sentence": sentence.identifier}
                words = tuple(row.form.replace(" ", _NO_BREAK_SPACE) for row in _tokens(sentence))
                sentences.append((words, place, tree))
                marks.append((file, new_document(sentence.comments), sentence.identifier))
    named = zip(sentences, documents_of(marks), strict=True)
    return [TreebankSentence(words, name, place, tree) for (words, place, tree), name in named]


def _depth(number: int, heads: Sequence[int], depths: list[int]) -> int:
    """Returns the depth of a word (from 1); keeps it, and those of the words above it, in `depths` (0: not known)."""
    above, word = [], number
    while word and not depths[word]:
        above.append(word)
        word = heads[word - 1]
    for one in reversed(above):
        depths[one] = depths[heads[one - 1]] + 1
    return depths[number]


def _tree(path: Path, sentence: ConlluSentence, lower: Callable[[str], str]) -> tuple[TreeWord, ...]:
    heads = checked_heads(path, sentence)
    places = _token_places(sentence)
    of_several = {token for token, row in enumerate(_tokens(sentence)) if not row.is_word}
    words = [row for row in enumerate(sentence.rows, start=sentence.first_row_line) if row[1].is_word]
    for line, row in words:
        if _features(row.feats) is None:
            expected = 'features with values: Case=Gen|Number=Sing, or "_"'
            raise MalformedLine(path, line, f'FEATS is "{row.feats}"', expected)
    return tuple(
        TreeWord(
            lower(row.form),
            lower(row.lemma),
            sys.intern(row.upos),
            _features(row.feats),
            head,
            sys.intern(row.deprel),
            token,
            token not in of_several and " " not in row.form,
        )
        for (_, row), head, token in zip(words, heads, places, strict=True)
    )


def _tokens(sentence: ConlluSentence) -> Iterator[Row]:
    """Yields the rows that are written: multiword tokens, and words that no multiword token covers."""
    covered = 0
    for row in sentence.rows:
        if "-" in row.id:
            covered = int(row.id.partition("-")[2])
            yield row
        elif row.is_word and int(row.id) > covered:
            yield row


def _token_places(sentence: ConlluSentence) -> list[int]:
    """Returns for each word the place of its token, from 0."""
    places, token, covered = [], -1, 0
    for row in sentence.rows:
        if "-" in row.id:
            covered, token = int(row.id.partition("-")[2]), token + 1
        elif row.is_word:
            token += int(row.id) > covered
            places.append(token)
    return places


@functools.cache
def _features(feats: str) -> Mapping[str, str] | None:
    """Reads FEATS once for all words that have them; None where a feature has no value."""
    pairs = [pair.partition("=") for pair in feats.split("|")] if feats != "_" else []
    return {name: value for name, _, value in pairs} if all(name and value for name, _, value in pairs) else None
