"""Words to pieces: tokenizes sentences word by word, into sequences that a model can take.

Faults inside of a foreign tokenizer, which the library answers by exceptions of any kind or by a panic, are told.
"""

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from tokenizers import Encoding, Tokenizer, normalizers
from transformers import AutoTokenizer, PreTrainedTokenizerBase

from polyprobe.encoders.transformer.config_checks import check_config_file, reason
from polyprobe.encoders.transformer.files import NotATransformer
from polyprobe.errors import PolyprobeError
from polyprobe.items import words_at

_log = logging.getLogger(__name__)
TEXT, WORDS = "text", "words"
_BLANK = "▁"
_TRIAL = "a Zß ж猫 \ue000\U0001f99c 7."  # letters of several scripts, one of nobody's, a parrot
_SANE_LIMIT = 1_000_000  # tokenizers without a limit of their own say 10**30


@dataclass(frozen=True, eq=False, slots=True)
class SentencePieces:
    """The pieces of a sentence, without special tokens."""

    ids: np.ndarray
    """`[pieces]`, int64."""
    words: np.ndarray
    """`[pieces]`, the word of each piece, ascending: every word has at least one piece."""
    n_unknown: int
    """Words that the tokenizer has no piece for, which have the unknown piece."""
    last_words: np.ndarray | None = None
    """`[pieces]`, the last word that a piece covers, where words are characters; None where they are not."""


class Pieces:
    """A fast tokenizer that neither cuts nor pads.

    Attributes:
        backend: the tokenizer itself.
        unknown: id of the unknown piece; None where it has none.
        limit: pieces of a sequence, special tokens included; None without a limit of its own.

    Raises:
        NotATransformer: see `read_tokenizer`.
    """

    def __init__(self, folder: Path):
        self.folder, self._tokenizer = folder, read_tokenizer(folder)
        self.backend, self.unknown = self._tokenizer.backend_tokenizer, self._tokenizer.unk_token_id
        self.backend.no_truncation()
        self.backend.no_padding()
        limit = self._tokenizer.model_max_length
        self.limit = int(limit) if limit < _SANE_LIMIT else None

    def n_with_special(self, texts: Iterable[str]) -> int:
        """Counts the texts in which a special token of the tokenizer is written, which it does not read as text."""
        added = self.backend.get_added_tokens_decoder().values()
        names = [re.escape(token.content) for token in added if token.special]
        written = re.compile("|".join(names) or r"(?!)")
        return sum(written.search(text) is not None for text in texts)

    def of_texts(self, sentences: Sequence[Sequence[str]]) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yields what the tokenizer makes of sentences as running texts, their words joined by blanks.

        Yields:
            Ids without special tokens around them, the word that each piece begins in (a blank belongs to the word
            after it), and where it ends in the text: `[pieces]`, int64 all.
        """
        with tokenizing(self.folder):
            encodings = self.backend.encode_batch([" ".join(words) for words in sentences], add_special_tokens=False)
        for words, encoding in zip(sentences, encodings, strict=True):
            starts, ends = ([place[side] for place in encoding.offsets] for side in (0, 1))
            yield tuple(np.array(one, np.int64) for one in (encoding.ids, words_at(starts, words), ends))

    def _over_characters(
        self, encoding: Encoding, text: str, n_before: int = 0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Returns the pieces of a text whose words are characters; the unknown piece is that of uncovered ones.

        Args:
            encoding: of the text, behind `n_before` characters.

        Returns:
            Ids, first and last character of each piece, `[pieces]`; and the uncovered characters: int64 each.
        """
        starts, ends = np.maximum(np.array(encoding.offsets, np.int64).reshape(-1, 2) - n_before, 0).T
        firsts = np.minimum(starts, len(text) - 1)
        lasts = np.maximum(firsts, ends - 1)  # a piece of nothing counts as one of the character that it stands at
        is_covered = np.array([character.isspace() for character in text], bool)
        for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
            is_covered[first : last + 1] = True
        missing = np.flatnonzero(~is_covered)
        places = np.searchsorted(firsts, missing)
        ids = np.insert(np.array(encoding.ids, np.int64), places, self.unknown or 0)
        return ids, np.insert(firsts, places, missing), np.insert(lasts, places, missing), missing


class WordPieces(Pieces):
    """A fast tokenizer that reads words, so that the word of each piece is known.

    A word by itself is read as after a blank, the first one too: byte-level tokenizers (GPT-2, RoBERTa) distinguish the
    two. A word of which the tokenizer keeps nothing (a lone joiner, a control character) has the unknown piece.

    A sentence is read by `reading`: as its words are, or as the text that it is. Then it has the pieces that the
    tokenizer gives the text, no blank before it and no unknown piece in place of nothing.

    Attributes:
        prefix, suffix: ids of the special tokens before and after the pieces of a sequence.
        blank: what goes before a word: a blank or nothing.
        first_blank: the same before the first word of a sentence.
        mask_id: None where there is no mask.
    """

    def __init__(self, folder: Path, reading: Literal["text", "words"] = WORDS):
        super().__init__(folder)
        self._reading = reading
        self.blank = _blank_before_words(self.backend)
        self.first_blank = self.blank if reading == WORDS else ""
        self.mask_id = self._tokenizer.mask_token_id
        self.prefix, self.suffix = self._special_tokens()

    def __call__(self, sentences: Sequence[Sequence[str]]) -> Iterator[SentencePieces]:
        """Yields the pieces of each sentence."""
        spaced = [[self.blank + word for word in words] for words in sentences]
        with tokenizing(self.folder):
            encodings = self.backend.encode_batch(spaced, is_pretokenized=True, add_special_tokens=False)
        for words, encoding in zip(sentences, encodings, strict=True):
            yield self._with_unknown(words, np.array(encoding.ids, np.int64), np.array(encoding.word_ids, np.int64))

    def of_sentences(self, sentences: Sequence[Sequence[str]]) -> Iterator[SentencePieces]:
        """Yields the pieces of each sentence, read as `reading` says."""
        if self._reading == WORDS:
            yield from self(sentences)
        else:
            yield from (SentencePieces(ids, words, 0) for ids, words, _ in self.of_texts(sentences))

    def of_characters(self, sentence: Sequence[str]) -> SentencePieces:
        """Returns the pieces of a sentence whose words are characters, without blanks between them.

        Raises:
            PolyprobeError: no piece covers a character, and the tokenizer has no unknown piece.
        """
        text = "".join(sentence)
        with tokenizing(self.folder):
            encoding = self.backend.encode([self.first_blank + text], is_pretokenized=True, add_special_tokens=False)
        ids, firsts, lasts, missing = self._over_characters(encoding, text, n_before=len(self.first_blank))
        self._check_known(sentence, missing)
        return SentencePieces(ids, firsts, len(missing), lasts)

    def whole_texts(self, texts: Sequence[str], limit: int | None) -> Iterator[tuple[np.ndarray, np.ndarray, bool]]:
        """Yields the pieces of running texts as the tokenizer reads them, its special tokens included.

        Args:
            texts: of any number of words, blanks as they are.
            limit: pieces of a text; what is longer is cut where the tokenizer cuts. None for no limit.

        Yields:
            Ids, and which of them are special tokens, `[pieces]` both; and whether the text was cut.
        """
        for encoding in self._encoded_texts(texts, limit):
            is_special = np.array(encoding.special_tokens_mask, bool)
            yield np.array(encoding.ids, np.int64), is_special, len(encoding.overflowing) > 0

    def prompt_length(self, prompt: str) -> int:
        """Returns how many pieces a prompt has at the beginning of a text, special tokens before it included.

        As sentence-transformers counts: of the prompt alone, without the special token that it ends with.
        """
        (encoding,) = self._encoded_texts([prompt], None)
        ends_special = bool(encoding.ids) and encoding.ids[-1] in self._tokenizer.all_special_ids
        return len(encoding.ids) - int(ends_special)

    def lower_case(self) -> None:
        """Lower-cases all that is read from now on, before the tokenizer's own rules: `do_lower_case`."""
        own = self.backend.normalizer
        lower = normalizers.Lowercase()
        self.backend.normalizer = lower if own is None else normalizers.Sequence([lower, own])

    def _encoded_texts(self, texts: Sequence[str], limit: int | None) -> Sequence[Encoding]:
        try:
            with tokenizing(self.folder):
                if limit is not None:
                    self.backend.enable_truncation(limit, direction=self._tokenizer.truncation_side)
                return self.backend.encode_batch(list(texts))
        finally:
            self.backend.no_truncation()

    def _check_known(self, words: Sequence[str], missing: np.ndarray) -> None:
        if len(missing) and self.unknown is None:
            raise PolyprobeError(
                f"{self.folder}: its tokenizer returns nothing for the word {words[missing[0]]!r} and has no unknown "
                "piece. Remove such words."
            )

    def _with_unknown(self, words: Sequence[str], ids: np.ndarray, owners: np.ndarray) -> SentencePieces:
        """Adds the unknown piece to words that have none."""
        missing = np.setdiff1d(np.arange(len(words)), owners)
        self._check_known(words, missing)
        places = np.searchsorted(owners, missing)
        ids, owners = np.insert(ids, places, self.unknown or 0), np.insert(owners, places, missing)
        return SentencePieces(ids, owners, len(missing))

    def _special_tokens(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the ids before and after the pieces of a sequence, as the tokenizer adds them."""
        encoding = self.backend.encode([self.blank + "a"], is_pretokenized=True, add_special_tokens=True)
        inside = [place for place, word in enumerate(encoding.word_ids) if word is not None]
        if not inside:
            raise NotATransformer(self.folder, 'its tokenizer returns no piece for the word "a"', _EXPECTED)
        ids = np.array(encoding.ids, np.int64)
        return ids[: inside[0]], ids[inside[-1] + 1 :]


_EXPECTED = "a fast tokenizer (tokenizer.json, or files that transformers makes one of) that tells words of pieces"


def log_special(n_sentences: int) -> None:
    """Logs in how many sentences special tokens are written, if there are any."""
    if n_sentences:
        _log.warning(
            "Sentences in which a special token of the tokenizer is written: %d. It is read as that token, not as "
            "text.",
            n_sentences,
        )


def read_tokenizer(folder: Path) -> PreTrainedTokenizerBase:
    """Reads a fast tokenizer; code that the folder brings along is never executed.

    Raises:
        NotATransformer: there is no tokenizer, one without a vocabulary, or one without offsets.
    """
    if (folder / "config.json").is_file():
        check_config_file(folder)  # which transformers reads to find the kind of tokenizer
    # Each kind fails in its own way at missing or damaged files.
    with tokenizing(folder, _EXPECTED, "its tokenizer cannot be loaded"):
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
    if not tokenizer.is_fast:
        found = f"its tokenizer, {type(tokenizer).__name__}, has no offsets"
        raise NotATransformer(folder, found, _EXPECTED)
    _check_vocabulary(folder, tokenizer)
    _check_faultless(folder, tokenizer.backend_tokenizer)
    return tokenizer


def _check_faultless(folder: Path, backend: Tokenizer) -> None:
    """Reads a text that few vocabularies know whole: what fails at one such word would fail in the middle of a run."""
    backend.no_truncation()
    backend.no_padding()
    with tokenizing(folder):
        backend.encode(_TRIAL)
        backend.encode(_TRIAL.split(), is_pretokenized=True)


def _check_vocabulary(folder: Path, tokenizer: PreTrainedTokenizerBase) -> None:
    """Refuses the tokenizer of a folder without a vocabulary: it has special tokens alone, and perhaps a blank."""
    backend = tokenizer.backend_tokenizer
    special = {token.content for token in backend.get_added_tokens_decoder().values() if token.special}
    if set(backend.get_vocab()) <= special | set(tokenizer.all_special_tokens) | {_BLANK}:
        names = dict.fromkeys(("tokenizer.json", *tokenizer.vocab_files_names.values()))
        found = f"its tokenizer has no vocabulary ({', '.join(names)}: missing or empty)"
        raise NotATransformer(folder, found, _EXPECTED)


def _blank_before_words(backend: Tokenizer) -> str:
    """Returns the text to put before a word so that it has the pieces that it has in a text.

    Some tokenizers (GPT-2, Llama 3, Gemma) expect the blank; others add it or have none. A text of two words shows
    which kind this is.
    """
    text = backend.encode("a a", add_special_tokens=False).ids
    as_words = backend.encode(["a", " a"], is_pretokenized=True, add_special_tokens=False).ids
    without = backend.encode(["a", "a"], is_pretokenized=True, add_special_tokens=False).ids
    return " " if text == as_words != without else ""


_PANIC = "PanicException"  # of pyo3: no `Exception`, and of no module that could be imported

_OF_EVERY_TEXT = "a tokenizer that makes pieces of every text, with the unknown piece that it names in its vocabulary"


@contextmanager
def tokenizing(folder: Path, expected: str = _OF_EVERY_TEXT, found: str = "its tokenizer fails") -> Iterator[None]:
    """Around what a tokenizer does with words: a fault of the tokenizer is told in one line.

    Raises:
        NotATransformer: the tokenizer fails or panics.
    """
    try:
        yield
    except BaseException as error:
        if not (isinstance(error, Exception) or type(error).__name__ == _PANIC) or isinstance(error, NotATransformer):
            raise
        raise NotATransformer(folder, f"{found} ({reason(error)})", expected) from error
