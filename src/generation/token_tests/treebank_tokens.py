"""The tokens of treebanks in columns of integers: what millions of words are counted with."""

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.formats.reading.malformed import Omission, OnMalformed
from polyprobe.formats.treebanks import conllu
from polyprobe.formats.treebanks.conllu import ConlluSentence, comment_value
from polyprobe.generation.token_tests.token_level_options import TokenLevelOptions
from polyprobe.generation.token_tests.treebank_words import (
    BundleReader,
    Span,
    Token,
    bundle_reader,
    joined,
    joined_as_released,
    spans_of,
)
from polyprobe.generation.unimorph.inflections import DecodedInflections, Inflections, Numbering, Reading

NO_ITEM = -1
_NUMBERED = ("form", "lemma", "bundle", "upos", "feats")  # what is kept of tokens as numbers of spellings


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
    other = _Surface(surface, on_malformed) if surface else None
    columns, to_bundle = _Columns(options), bundle_reader(options)
    for number, path in enumerate(files):
        for sentence in conllu.read_stripped(path, on_malformed):
            with Omission(on_malformed):
                spans = spans_of(sentence) if other is None else other.of(path, sentence)
                columns.add(number, sentence.identifier, _words(path, sentence, to_bundle), spans)
    if not columns.identifiers:
        raise PolyprobeError(f"{', '.join(map(str, files))}: no sentence is left. Expected at least one.")
    if other is not None and not other.n_found:
        names = ", ".join(map(str, surface))
        raise PolyprobeError(f"{names}: no sent_id of the treebank is there. Expected the same sentences.")
    return columns.finished(files, 0 if other is None else other.n_missing)


def _words(path: Path, sentence: ConlluSentence, to_bundle: BundleReader) -> list[Token]:
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
        self._numberings = {name: Numbering(options.normalization) for name in ("form", "lemma", "text")}
        self._numberings |= {name: Numbering("kept") for name in ("bundle", "upos", "feats")}
        self._of_tokens = {name: array("i") for name in (*_NUMBERED, "line", "place", "sentence")}
        self._of_sentences = {name: array("i") for name in ("text_ids", "n_tokens", "file_ids")}
        self.identifiers: list[str] = []
        self._met: Counter[str] = Counter()

    def add(self, file: int, identifier: str, words: Sequence[Token], spans: Sequence[Span]) -> None:
        options, met, columns = self._options, self._met, self._of_tokens
        met["sentences"] += 1
        join = {"surface": joined, "released": joined_as_released, "words": lambda words, *_: words}[options.multiword]
        tokens = join(words, spans, ";" if options.multiword_labels == "separated" else "") if spans else words
        pieces = [[*filter(None, one.form.split(" "))] if " " in one.form else [one.form] for one in tokens]
        n_with_blank = sum(len(of_token) != 1 for of_token in pieces)
        met["tokens_with_blank"] += n_with_blank
        if n_with_blank and options.words_with_blank == "sentence_left_out":
            return
        first = {"surface": 1, "released": 2, "words": len(words) + 1}[options.multiword]  # word of a restored token
        met["multiword_tokens"] += sum(span.first >= first for span in spans)
        for name in _NUMBERED:
            numbering = self._numberings[name]
            columns[name].extend([numbering[getattr(token, name)] for token in tokens])
        columns["line"].extend([token.line for token in tokens])
        columns["place"].extend(_places(pieces, options.words_with_blank) if n_with_blank else range(len(tokens)))
        columns["sentence"].extend([len(self.identifiers)] * len(tokens))
        text = self._numberings["text"][" ".join(piece for of_token in pieces for piece in of_token)]
        for name, value in zip(self._of_sentences, (text, len(tokens), file), strict=True):
            self._of_sentences[name].append(value)
        self.identifiers.append(identifier)

    def finished(self, files: Sequence[Path], n_without_surface: int) -> TreebankTokens:
        numberings, names, met = self._numberings, _short_names(files), self._met
        spellings = {name: numbering.spellings for name, numbering in numberings.items()}
        columns, of_sentences = (
            {name: np.frombuffer(column, np.int32) for name, column in some.items()}
            for some in (self._of_tokens, self._of_sentences)
        )
        n_changed = numberings["form"].n_changed + numberings["lemma"].n_changed
        inflections = Inflections(
            *(spellings[name] for name in ("lemma", "form", "bundle")),
            *(columns[name] for name in ("lemma", "form", "bundle")),
            Reading(len(columns["form"]), met["tokens_with_blank"], (), n_changed),
        )
        return TreebankTokens(
            decoded=DecodedInflections(inflections, self._options.decoding),
            upos=spellings["upos"],
            upos_ids=columns["upos"],
            feats=spellings["feats"],
            feats_ids=columns["feats"],
            lines=columns["line"],
            places=columns["place"],
            sentence_ids=columns["sentence"],
            texts=spellings["text"],
            **of_sentences,
            identifiers=self.identifiers,
            files=names,
            met={
                "sentences": met["sentences"],
                "multiword_tokens": met["multiword_tokens"],
                "sentences_without_surface": n_without_surface,
                "tokens_with_blank": met["tokens_with_blank"],
                "sentences_with_blank": met["sentences"] - len(self.identifiers),
            },
        )


def _short_names(files: Sequence[Path]) -> list[str]:
    """Returns the names of files, with their folders where files of two folders are called the same."""
    names = Counter(path.name for path in files)
    return [path.name if names[path.name] == 1 else f"{path.parent.name}/{path.name}" for path in files]


def _places(pieces: Sequence[Sequence[str]], words_with_blank: str) -> list[int]:
    """Returns the index of each token that can be an item."""
    if words_with_blank == "counted_as_one":
        return [place if of_token else NO_ITEM for place, of_token in enumerate(pieces)]
    places, n_pieces = [], 0
    for of_token in pieces:
        places.append(n_pieces if len(of_token) == 1 else NO_ITEM)
        n_pieces += len(of_token)
    return places
