"""Tf-idf of characters, words or pieces: which n-grams an example has, weighted by how few examples have them."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from tokenizers import Tokenizer

from polyprobe.encoders.base.encoder import CountEncoder, Layer, fingerprint
from polyprobe.errors import BadValue, PolyprobeError, check_at_least, import_extra
from polyprobe.formats.files.digest import file_digest
from polyprobe.formats.reading.case import Lowercase, case_rule, lower_cased
from polyprobe.items import Item, words_of
from polyprobe.section import AboveZero, Count, checked

UNITS = ("char", "word", "piece")
_VERSION = 2


class TfIdf(CountEncoder):
    """Weights the n-grams of an example's text by tf-idf, sparse; the vocabulary and the weights come from train alone.

    The count baselines of RuSentEval (Mikhailov et al. 2021), under any probe. The paper's range of n-grams is lost in
    our copy; the released code takes 1 to 4 for every unit, as does conf/encoder/tfidf.yaml.

    The text of a sentence is its words joined by blanks, that of a form or a token in context its form, that of a pair
    both forms joined by a blank. N-grams of characters run over blanks. Weights are scikit-learn's: count times
    ln((1 + examples) / (1 + examples with it)) + 1, then length 1. Nothing is normalised: NFC and NFD spellings differ.

    Args:
        unit: "char" (code points), "word" or "piece" of a tokenizer.
        tokenizer: of the pieces, see `piece_cutter`; None for other units.
        min_n, max_n: shortest and longest n-gram.
        max_features: so many n-grams with the highest counts in train are kept.
        min_examples: an n-gram must occur in so many train examples, or, below 1, in this share of them.
        lowercase, dotless_i: see `case_rule`.

    Raises:
        PolyprobeError: the tokenizer cannot be read.
    """

    @checked("encoder")
    def __init__(
        self,
        unit: Literal[UNITS],
        tokenizer: str | None,
        min_n: Count,
        max_n: int,
        max_features: Count,
        min_examples: AboveZero,
        lowercase: Lowercase,
        dotless_i: bool,
    ):
        if (unit == "piece") != (tokenizer is not None):
            expected = "a tokenizer with encoder.unit=piece, and null with another unit"
            raise BadValue("encoder.tokenizer", tokenizer, expected)
        check_at_least("encoder.max_n", max_n, min_n)
        if isinstance(min_examples, float) and min_examples >= 1:
            raise BadValue("encoder.min_examples", min_examples, "a share below 1, or a whole number of examples")
        self._case = case_rule(lowercase, dotless_i)
        self._cut, digest = (lambda text: text.split(" "), None) if tokenizer is None else piece_cutter(tokenizer)
        self._options = {"ngram_range": (min_n, max_n), "max_features": max_features, "min_df": min_examples}
        self._unit = unit
        self.layers = (Layer(f"tfidf_{unit}", max_features),)
        settings = {"unit": unit, "tokenizer": digest, "case": self._case, **self._options}
        self.fingerprint = fingerprint("tfidf", _VERSION, **settings)

    def features(self, train: Sequence[tuple[Item, ...]], *others: Sequence[tuple[Item, ...]]) -> list[csr_matrix]:
        by_words = {"analyzer": "word", "tokenizer": self._cut, "token_pattern": None}
        analyzer = {"analyzer": "char"} if self._unit == "char" else by_words
        vectorizer = TfidfVectorizer(lowercase=False, **self._options, **analyzer)
        try:
            first = vectorizer.fit_transform(self._texts(train))
        except ValueError as error:  # scikit-learn's word for it
            raise PolyprobeError(f"tfidf finds no n-gram in train ({error}). Lower encoder.min_examples.") from error
        return [first, *(vectorizer.transform(self._texts(split)) for split in others)]

    def _texts(self, examples: Sequence[tuple[Item, ...]]) -> list[str]:
        return [
            lower_cased(" ".join(word for item in items for word in words_of(item)), self._case) for items in examples
        ]


def piece_cutter(tokenizer: str | Path) -> tuple[Callable[[str], list[str]], str]:
    """Returns a function that cuts a text into pieces, none of them special, and a digest of all that they depend on.

    Args:
        tokenizer: a tokenizer.json or the folder with it, a sentencepiece `….model`, or the name of a model on the hub
            ("bert-base-multilingual-cased", "xlm-roberta-base": the BPE and SentencePiece rows of RuSentEval).
    """
    path = Path(tokenizer)
    if path.suffix == ".model":
        return _sentencepiece(path)
    read = Tokenizer.from_file if path.exists() else Tokenizer.from_pretrained
    try:
        loaded = read((path / "tokenizer.json" if path.is_dir() else path).as_posix())
    except Exception as error:  # the library raises bare exceptions
        expected = "a tokenizer.json or its folder, a sentencepiece .model, or the name of a model on the hub"
        raise PolyprobeError(
            f"encoder.tokenizer: {tokenizer} cannot be read ({error}). Expected {expected}."
        ) from error
    loaded.no_truncation()
    loaded.no_padding()
    digest = hashlib.sha256(loaded.to_str().encode()).hexdigest()
    return lambda text: loaded.encode(text, add_special_tokens=False).tokens, digest


def _sentencepiece(path: Path) -> tuple[Callable[[str], list[str]], str]:
    processor = import_extra("sentencepiece", "pieces").SentencePieceProcessor()
    try:
        processor.Load(str(path))
    except (OSError, RuntimeError) as error:
        raise PolyprobeError(f"encoder.tokenizer: {path} is not a sentencepiece model ({error}).") from error
    return lambda text: processor.encode(text, out_type=str), file_digest(path)


class NaiveBayesTfIdf(TfIdf):
    """The features of the rows "NB-uni-tfidf" and "NB-bi-tfidf" of Conneau et al. (2018, Tables 2 and 4).

    conf/probe/naive_bayes.yaml has their classifier.
    """

    own_probe = "naive_bayes"
