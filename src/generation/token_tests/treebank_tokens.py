"""The tokens of treebanks in columns of integers: what millions of words are counted with."""

from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.formats.reading.malformed import Omission, OnMalformed
from polyprobe.formats.treebanks import conllu
from polyprobe.formats.treebanks.conllu import ConlluSentence, comment_value
from polyprobe.generation.token_tests.token_level_options import TokenLevelOptions
from polyprobe.generation.token_tests.treebank_words import (
    Span,
    Token,
    bundle_reader,
    joined,
    joined_as_released,
    spans_of,
)
from polyprobe.generation.unimorph.inflections import DecodedInflections, Inflections, Numbering, Reading

NO_ITEM = -1


@dataclass(frozen=True)
class TreebankTokens:
    """Tokens in the order of the files."""

    decoded: DecodedInflections
    """Lemma, form and bundle of each token, as if it were a triple of an inflection table."""
    upos: Sequence[str]
    """Each tag once."""
    upos_ids: np.ndarray
    """Of each token, `[tokens]`."""
    feats: Sequence[str]
    """Each cell once."""
    feats_ids: np.ndarray
    """Of each token, `[tokens]`."""
    lines: np.ndarray
    """Of its file, on which a token starts, `[tokens]`."""
    places: np.ndarray
    """Of a token in its sentence, from 0, as the index of a row says it; `NO_ITEM` where it cannot be the item of a
    test; `[tokens]`.
    """
    sentence_ids: np.ndarray
    """`[tokens]`."""
    texts: Sequence[str]
    """Of the sentences, words joined by blanks, each once."""
    text_ids: np.ndarray
    """`[sentences]`."""
    n_tokens: np.ndarray
    """`[sentences]`."""
    identifiers: Sequence[str]
    """`sent_id` of each sentence, else its number in the file."""
    files: Sequence[str]
    """Their names, with the folder where two are called the same; file_ids: `[sentences]`."""
    file_ids: np.ndarray
    met: Mapping[str, int]
    """What was met in reading: all `sentences`, `multiword_tokens` restored, `sentences_without_surface`, which the
    file of multiword tokens lacks, `tokens_with_blank` inside, `sentences_with_blank` left out for one.
    """

    def __len__(self) -> int:
        return len(self.lines)


def read_treebanks(
    files: Sequence[Path], surface: Sequence[Path], options: TokenLevelOptions, on_malformed: OnMalformed
) -> TreebankTokens:
    """Reads CoNLL-U files one after the other.

    Args:
        files: of one or several treebanks.
        surface: CoNLL-U files with the same sentences (`sent_id` and words) and their multiword tokens, for treebanks
            without; empty where the treebank has them itself.
        options: how words become tokens, and their FEATS bundles.

    Raises:
        MalformedLine: as `conllu.read`; at FEATS of another kind than `options.labels` says; at a sentence that has
            other words in `surface`.
        PolyprobeError: no sentence is left; no sentence of the treebanks is in `surface`.
    """
    spans = _Surface(surface, on_malformed) if surface else None
    columns = _Columns(options)
    to_bundle = bundle_reader(options)
    for path in files:
        columns.begin()
        for sentence in conllu.read_stripped(path, on_malformed):
            with Omission(on_malformed):
                of_sentence = spans_of(sentence) if spans is None else spans.of(path, sentence)
                columns.add(sentence.identifier, _words(path, sentence, to_bundle), of_sentence)
    if not columns.n_kept:
        raise PolyprobeError(f"{', '.join(map(str, files))}: no sentence is left. Expected at least one.")
    if spans is not None and not spans.n_found:
        names = ", ".join(map(str, surface))
        raise PolyprobeError(f"{names}: no sent_id of the treebank is there. Expected the same sentences.")
    return columns.finished(files, spans.n_missing if spans is not None else 0)


def _words(path: Path, sentence: ConlluSentence, to_bundle: Callable[[Path, int, conllu.Row], str]) -> list[Token]:
    return [
        Token(row.form, row.lemma, row.upos, row.feats, to_bundle(path, line, row), line)
        for line, row in enumerate(sentence.rows, start=sentence.first_row_line)
        if row.is_word
    ]


class _Surface:
    """The multiword tokens of the sentences of other files, by `sent_id`.

    Attributes:
        n_missing, n_found: sentences that were asked for and are not there, or are.
    """

    def __init__(self, files: Sequence[Path], on_malformed: OnMalformed):
        self._sentences: dict[str, tuple[tuple[str, ...], list[Span]]] = {}
        self.n_missing, self.n_found = 0, 0
        for sentence in (one for path in files for one in conllu.read_stripped(path, on_malformed)):
            identifier = comment_value(sentence.comments, "sent_id")
            if identifier is not None:
                words = tuple(row.form for row in sentence.words)
                self._sentences.setdefault(identifier, (words, spans_of(sentence)))

    def of(self, path: Path, sentence: ConlluSentence) -> list[Span]:
        """Returns the multiword tokens of a sentence; none where it is not there, which is counted."""
        known = self._sentences.get(comment_value(sentence.comments, "sent_id") or "")
        if known is None:
            self.n_missing += 1
            return []
        self.n_found += 1
        words, spans = known
        if words != tuple(row.form for row in sentence.words):
            found = f"sentence {sentence.identifier} has other words in the file of multiword tokens"
            raise MalformedLine(path, sentence.line, found, "the same words in both")
        return spans


class _Columns:
    """Collects tokens."""

    def __init__(self, options: TokenLevelOptions):
        self._options = options
        self._joined = {"surface": joined, "released": joined_as_released, "words": lambda words, *_: words}[
            options.multiword
        ]
        self._separator = ";" if options.multiword_labels == "separated" else ""
        normalization = options.normalization
        self._forms, self._lemmas, self._texts = (Numbering(normalization) for _ in range(3))
        self._bundles, self._upos, self._feats = (Numbering("kept") for _ in range(3))
        self._columns = {name: array("i") for name in _OF_TOKENS}
        self._text_ids, self._n_tokens, self._file_ids = array("i"), array("i"), array("i")
        self._identifiers: list[str] = []
        self._n_files = self._n_multiword = self._n_with_blank = self._n_sentences = 0

    @property
    def n_kept(self) -> int:
        """How many sentences there are so far."""
        return len(self._identifiers)

    def begin(self) -> None:
        self._n_files += 1

    def add(self, identifier: str, words: Sequence[Token], spans: Sequence[Span]) -> None:
        self._n_sentences += 1
        tokens = self._joined(words, spans, self._separator) if spans else words
        pieces = [list(filter(None, token.form.split(" "))) if " " in token.form else [token.form] for token in tokens]
        n_with_blank = sum(len(of_token) != 1 for of_token in pieces)
        self._n_with_blank += n_with_blank
        if n_with_blank and self._options.words_with_blank == "sentence_left_out":
            return
        multiword = self._options.multiword
        self._n_multiword += sum(multiword == "surface" or (multiword == "released" and one.first > 1) for one in spans)
        places = _places(pieces, self._options.words_with_blank) if n_with_blank else range(len(tokens))
        sentence = len(self._identifiers)
        self._add_tokens(tokens)
        self._columns["place"].extend(places)
        self._columns["sentence"].extend([sentence] * len(tokens))
        self._text_ids.append(self._texts[" ".join(piece for of_token in pieces for piece in of_token)])
        self._n_tokens.append(len(tokens))
        self._file_ids.append(self._n_files - 1)
        self._identifiers.append(identifier)

    def _add_tokens(self, tokens: Sequence[Token]) -> None:
        columns = self._columns
        forms, lemmas, bundles, upos, feats = self._forms, self._lemmas, self._bundles, self._upos, self._feats
        columns["form"].extend([forms[token.form] for token in tokens])
        columns["lemma"].extend([lemmas[token.lemma] for token in tokens])
        columns["bundle"].extend([bundles[token.bundle] for token in tokens])
        columns["upos"].extend([upos[token.upos] for token in tokens])
        columns["feats"].extend([feats[token.feats] for token in tokens])
        columns["line"].extend([token.line for token in tokens])

    def finished(self, files: Sequence[Path], n_without_surface: int) -> TreebankTokens:
        of_tokens = {name: np.frombuffer(column, np.int32) for name, column in self._columns.items()}
        n_changed = self._forms.n_changed + self._lemmas.n_changed
        inflections = Inflections(
            self._lemmas.spellings,
            self._forms.spellings,
            self._bundles.spellings,
            of_tokens["lemma"],
            of_tokens["form"],
            of_tokens["bundle"],
            Reading(len(of_tokens["form"]), self._n_with_blank, (), n_changed),
        )
        n_left_out = self._n_sentences - self.n_kept
        return TreebankTokens(
            decoded=DecodedInflections(inflections, self._options.decoding),
            upos=self._upos.spellings,
            upos_ids=of_tokens["upos"],
            feats=self._feats.spellings,
            feats_ids=of_tokens["feats"],
            lines=of_tokens["line"],
            places=of_tokens["place"],
            sentence_ids=of_tokens["sentence"],
            texts=self._texts.spellings,
            text_ids=np.frombuffer(self._text_ids, np.int32),
            n_tokens=np.frombuffer(self._n_tokens, np.int32),
            identifiers=self._identifiers,
            files=_short_names(files),
            file_ids=np.frombuffer(self._file_ids, np.int32),
            met={
                "sentences": self._n_sentences,
                "multiword_tokens": self._n_multiword,
                "sentences_without_surface": n_without_surface,
                "tokens_with_blank": self._n_with_blank,
                "sentences_with_blank": n_left_out,
            },
        )


def _short_names(files: Sequence[Path]) -> list[str]:
    """Returns the names of files, with their folders where files of two folders are called the same."""
    names = Counter(path.name for path in files)
    return [path.name if names[path.name] == 1 else f"{path.parent.name}/{path.name}" for path in files]


_OF_TOKENS = ("form", "lemma", "bundle", "upos", "feats", "line", "place", "sentence")


def _places(pieces: Sequence[Sequence[str]], words_with_blank: str) -> list[int]:
    """Returns the index of each token that can be an item."""
    if words_with_blank == "counted_as_one":
        return [place if of_token else NO_ITEM for place, of_token in enumerate(pieces)]
    places, n_pieces = [], 0
    for of_token in pieces:
        places.append(n_pieces if len(of_token) == 1 else NO_ITEM)
        n_pieces += len(of_token)
    return places
