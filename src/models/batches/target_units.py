"""The units that a decoder generates: pieces of words by byte pair encoding, or whole symbols."""

import json
from collections.abc import Iterable, Sequence

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import Split
from tokenizers.trainers import BpeTrainer

from polyprobe.errors import check_at_least

END_ID, UNKNOWN_ID = 0, 1
END, UNKNOWN = "", "<unk> "
WORD_END = " "
"""Ends the last piece of a word, as `</w>` does for subword-nmt; no word contains it."""

LEAST_PAIR_COUNT = 2
"""Rarer pairs are not merged (the default of subword-nmt), so a small text may have fewer merges than asked for."""


class TargetUnits:
    """Maps words to integers and back: unit 0 is the end of a sentence, unit 1 whatever cannot be spelled.

    A symbol is one unit. Any other word falls into its characters, of which neighbours are joined as long as there is a
    merge for them (Sennrich et al. 2016). A run of characters that are unknown is one unit, which ends a word when it
    is read back.

        unladen  ->  "un", "lad", "en "

    Args:
        symbols: distinct words that are not divided; the k-th is unit k + 2.
        characters: distinct; each is two units, within a word and at its end.
        merges: pairs of pieces with a blank between them, the first is the first to be done; each joins characters or
            what earlier ones have joined.

    Attributes:
        texts: the text of each unit; the last of a word ends in `WORD_END`.
    """

    def __init__(self, symbols: Sequence[str], characters: Sequence[str], merges: Sequence[str]):
        assert not any(WORD_END in one for one in (*symbols, *characters)), "a word contains what ends a word"
        self.symbols, self.characters, self.merges = tuple(symbols), tuple(characters), tuple(merges)
        pairs = [merge.partition(WORD_END)[::2] for merge in self.merges]
        ends = [character + WORD_END for character in self.characters]
        joined = dict.fromkeys([*self.characters, *ends, *(left + right for left, right in pairs)])
        self.texts = (END, UNKNOWN, *(symbol + WORD_END for symbol in self.symbols), *joined)
        self._ids_of = _IdsOfWords(self.symbols, tuple(joined), pairs)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def settings(self) -> dict[str, list[str]]:
        """The arguments from which the units are built again."""
        return {"symbols": list(self.symbols), "characters": list(self.characters), "merges": list(self.merges)}

    @classmethod
    def learned(cls, sentences: Iterable[Sequence[str]], n_merges: int) -> "TargetUnits":
        """Learns merges: again and again the most frequent pair of neighbours inside of words.

        Of pairs of one count it is the one whose pieces came up first that is merged: characters at the end of a word,
        sorted, then those within, sorted, then what was joined. The released code takes the last in the alphabet.

        Args:
            sentences: the words of train; all their characters are known.
            n_merges: at most so many.
        """
        check_at_least("task.datamodule.merges", n_merges, 0)
        kept = [WORD_END.join(words) for words in sentences]
        characters = sorted(set().union(*kept) - {WORD_END})
        return cls((), characters, _merges(kept, characters, n_merges))

    @classmethod
    def whole_symbols(cls, sentences: Iterable[Sequence[str]]) -> "TargetUnits":
        """Takes every symbol that occurs, sorted; another one is unknown."""
        return cls(sorted({symbol for symbols in sentences for symbol in symbols}), (), ())

    def ids(self, words: Sequence[str]) -> np.ndarray:
        """Codes a sentence without its end: int32 `[units]`."""
        ids_of = self._ids_of
        return np.array([number for word in words for number in ids_of[word]], dtype=np.int32)

    def words(self, ids: Sequence[int] | np.ndarray) -> tuple[str, ...]:
        """Puts the units of a sentence, without its end, together; a last word may lack its end."""
        text = "".join([self.texts[number] for number in ids])
        return tuple(text.removesuffix(WORD_END).split(WORD_END)) if text else ()


class _IdsOfWords(dict[str, tuple[int, ...]]):
    """The units of each word, found when it is first asked for.

    Args:
        symbols: see `TargetUnits`.
        pieces: all other units; the first stands behind the symbols.
        merges: pairs of them.
    """

    def __init__(self, symbols: Sequence[str], pieces: Sequence[str], merges: list[tuple[str, str]]):
        first = UNKNOWN_ID + 1
        super().__init__({symbol: (number,) for number, symbol in enumerate(symbols, start=first)})
        numbers = {piece: number for number, piece in enumerate(pieces, start=first + len(symbols))}
        unknown = WORD_END  # no piece is empty but for its end
        self._library = BPE(
            vocab={unknown: UNKNOWN_ID, **numbers},
            merges=merges,
            unk_token=unknown,
            end_of_word_suffix=WORD_END,
            fuse_unk=True,
            cache_capacity=0,
        )

    def __missing__(self, word: str) -> tuple[int, ...]:
        self[word] = found = tuple(piece.id for piece in self._library.tokenize(word))
        return found


def _merges(sentences: Sequence[str], characters: Sequence[str], n_merges: int) -> list[str]:
    """Learns merges from sentences whose words are separated by `WORD_END`.

    The library asks for a number of units, not of merges, and two merges may give the same unit: it may do more merges
    than were asked for, never fewer as long as there are pairs left. It numbers the ends of words as it meets them in a
    table without order; they are named before, so that their numbers, and with them the merges, are always the same.
    """
    ends = [character + WORD_END for character in characters]
    tokenizer = Tokenizer(BPE(end_of_word_suffix=WORD_END))
    tokenizer.pre_tokenizer = Split(WORD_END, "removed")
    trainer = BpeTrainer(
        vocab_size=len(ends) + len(characters) + n_merges,
        min_frequency=LEAST_PAIR_COUNT,
        special_tokens=ends,
        initial_alphabet=list(characters),
        end_of_word_suffix=WORD_END,
        show_progress=False,
    )
    tokenizer.train_from_iterator(sentences, trainer)
    found = json.loads(tokenizer.to_str())["model"]["merges"]
    return [f"{left}{WORD_END}{right}" for left, right in found[:n_merges]]
