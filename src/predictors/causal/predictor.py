"""Causal transformers as predictors: GPT-2, Llama, and any other that reads from left to right."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np

from polyprobe.encoders.base.encoder import fingerprint
from polyprobe.encoders.transformer.files import NotATransformer
from polyprobe.errors import BadValue
from polyprobe.predictors.base.predictor import Answers, Arrays, Keeper, Question, check_questions
from polyprobe.predictors.base.transformer_predictor import PredictorOptions, TransformerPredictor
from polyprobe.predictors.causal.model import CausalModel, check_causal
from polyprobe.predictors.causal.packed_prefixes import Ids, Reading, answers, pack, ranges, refused
from polyprobe.predictors.causal.text_pieces import TextPieces
from polyprobe.section import Expected

_VERSION = 2
_BLOCK_PREFIXES = 4096  # kept at once: 20 seconds of GPT-2 on one core


class CausalOptions(PredictorOptions, key="predictor"):
    """What a user chooses."""

    model: Annotated[Any, Expected("text or null")]
    """Folder written by save_pretrained, or name on the Hugging Face hub, such as gpt2."""
    start: Literal["bos", "none"]
    """Token before the first piece: bos: the tokenizer's BOS, or EOS if there is none (GPT-2); none: nothing."""
    first: bool
    """true: the first piece is scored; must be false with start=none."""
    end: bool
    """true: the EOS token after the sentence is also scored."""
    unknown: Literal["scored", "left_out"]
    """OOV (the tokenizer's unknown piece): scored: like any other; left_out: read, but not scored."""
    words: Literal["plain", "begin_corrected"]
    """plain: plain subword scores; begin_corrected: the end of a word is scored with its last piece, not with the first
    of the next word (Pimentel and Meister 2024).

    The end of a word: that another one begins, or the sentence ends (also Oh and Schuler 2024). The beginning of the
    first word is not corrected. Whole sentences then have to be run, not only their shared prefixes.
    """

    def __post_init__(self):
        super().__post_init__()
        if self.first and self.start == "none":
            raise BadValue("predictor.first", True, "false where predictor.start is none: nothing comes before it")


class CausalPredictor(TransformerPredictor):
    """Computes the log-probability of each piece after the pieces before it.

    A sentence is read as a text: its words, as written, joined by blanks, or characters by nothing. So the first word
    has no blank before it if the tokenizer expects blanks (GPT-2, Llama 3), and the pieces that it has after a blank if
    the tokenizer adds one. A word of which the tokenizer keeps nothing has the unknown piece; without such a piece its
    sentence is refused, as is one that is longer than the model allows.

    Every distinct prefix of all sentences is run once, see `CausalModel`; the work is done and kept in blocks of sorted
    sequences of pieces. The prefixes that the two sequences at a border of blocks share are run again: at most one
    sentence in 4,096 prefixes, and one in 512 inside a block. The borders depend on all requested sentences.

    Other sentences, budget and device change answers by less than 1e-5 in float32, so they are not in the fingerprint.

    Raises:
        NotATransformer: the folder holds no causal language model with a fast tokenizer.
        PolyprobeError: an option is out of range, or the hub's model cannot be fetched.
    """

    def __init__(self, **options: Annotated[Any, CausalOptions]):
        self.options = CausalOptions(**options)
        super().__init__(self.options)
        check_causal(self.folder, self.config)
        self.pieces = TextPieces(self.folder)
        self._prefix = self._start_token() if self.options.start == "bos" else ()
        self._beginnings = self._beginnings_of_words() if self.options.words == "begin_corrected" else None
        self._suffix = self._end_token() if self.options.end or self._beginnings is not None else ()
        self.conventions = self._conventions()
        self.fingerprint = fingerprint(
            "causal",
            _VERSION,
            files=self.files,
            around=[self._prefix, self._suffix],
            first=self.options.first,
            end=self.options.end,
            corrected=self._beginnings is not None,
            unknown=self.options.unknown,
            **self.weights.in_fingerprint(),
        )

    def _conventions(self) -> str:
        start, end = (self.pieces.name(around[0]) if around else None for around in (self._prefix, self._suffix))
        return "; ".join([
            f"{start or 'nothing'} is read before the first piece",
            f"the first piece {'counts' if self.options.first else 'does not count'}",
            f"{end} behind the last piece counts" if self.options.end else "the end of the sentence does not count",
            f"an unknown piece {'counts' if self.options.unknown == 'scored' else 'is read, but does not count'}",
            f"the first word is read {'as behind' if self.pieces.joins_first else 'without'} a blank",
            f"the end of a word counts with {'the next' if self._beginnings is None else 'its own last'} piece",
            f"weights are {self.weights}",
        ])  # fmt: skip

    def answer(self, questions: Sequence[Question], keeper: Keeper) -> Answers:
        """See `Predictor.answer`; weights are loaded when the first block is missing.

        Raises:
            NotATransformer: the weights are not those of a causal language model.
        """
        check_questions("causal", questions)
        self.log_special(questions)
        readings = self._all_readings(questions)
        found = self._log_probabilities(_sequences(readings), keeper)
        return answers([readings[question.words, question.between] for question in questions], found)

    def _all_readings(self, questions: Sequence[Question]) -> dict[tuple, Reading]:
        of_characters = self._readings(questions, "", self.pieces.of_characters)
        return self._readings(questions, " ", self.pieces) | of_characters

    def _readings(self, questions: Sequence[Question], between: str, read: Callable) -> dict[tuple, Reading]:
        """Reads the distinct sentences whose words are separated in a way."""
        sentences = list(dict.fromkeys(one.words for one in questions if one.between == between))
        if sentences and not between and self._beginnings is not None:
            raise BadValue("predictor.words", "begin_corrected", "plain where words are characters (suite.words)")
        return {
            (words, between): self._reading(words, found)
            for words, found in zip(sentences, read(sentences), strict=True)
        }

    def _reading(self, words: Sequence[str], pieces: tuple[np.ndarray, ...] | None) -> Reading:
        if pieces is None:
            return refused("the tokenizer keeps nothing of one of its words, and has no unknown piece")
        ids = (*self._prefix, *pieces[0].tolist(), *self._suffix)
        limit = self._limit
        if limit is not None and len(ids) - 1 > limit:
            return refused(f"it has {len(pieces[0])} pieces, and the model reads {limit}")
        is_piece_unknown = pieces[0] == self.pieces.unknown
        is_unknown = np.isin(pieces[1], pieces[1][is_piece_unknown])
        counts = np.ones(len(pieces[0]), bool)
        counts[0] = self.options.first
        if self.options.unknown == "left_out":
            counts &= ~is_piece_unknown
        n_end, predicted = len(self._suffix), slice(1 - len(self._prefix), None)
        reading = Reading(
            ids,
            np.pad(counts, (0, n_end), constant_values=self.options.end)[predicted],
            np.pad(pieces[1], (0, n_end), constant_values=len(words))[predicted],
            np.pad(is_unknown, (0, n_end))[predicted],
            "",
            *(np.pad(last, (0, n_end), constant_values=len(words))[predicted] for last in pieces[2:]),
        )
        return reading if reading.counts.any() else refused("it has no piece that counts")

    def _log_probabilities(self, sequences: Sequence[Ids], keeper: Keeper) -> dict[Ids, np.ndarray]:
        """Returns `CausalModel.log_probabilities` of all pieces of each sequence but its first."""
        blocks = [sequences[block] for block in ranges(sequences, _BLOCK_PREFIXES)]
        names = [hashlib.sha256(repr(block).encode()).hexdigest()[:32] for block in blocks]
        arrays = keeper.blocks(names, lambda number: self._block(blocks[number]))
        found = {}
        for block, kept in zip(blocks, arrays, strict=True):
            borders = np.cumsum([len(sequence) - 1 for sequence in block])[:-1]
            found.update(zip(block, np.split(kept["log_probabilities"], borders, axis=1), strict=True))
        return found

    def _block(self, sequences: Sequence[Ids]) -> Arrays:
        packs = [pack(sequences[row]) for row in ranges(sequences, self._model.row_size)]
        return {"log_probabilities": np.concatenate(self._model.log_probabilities(packs), axis=1)}

    @cached_property
    def _model(self) -> CausalModel:
        """The model, loaded when first needed: never if all blocks are kept."""
        return CausalModel(self.folder, self.weights, self.token_budget, self._beginnings)

    @cached_property
    def _limit(self) -> int | None:
        """How many pieces a sequence may have, with the start token; a piece that is only predicted does not count."""
        limits = (self.pieces.limit, getattr(self.config, "max_position_embeddings", None))
        return min((limit for limit in limits if isinstance(limit, int) and limit > 0), default=None)

    def _start_token(self) -> Ids:
        for token in (self.pieces.beginning, self.pieces.end):
            if token is not None:
                return (token,)
        found = "its tokenizer has neither a beginning nor an end token"
        raise NotATransformer(self.folder, found, "one of them; without a start: predictor.start=none")

    def _end_token(self) -> Ids:
        if self.pieces.end is None:
            needed = "one for predictor.end=true and for predictor.words=begin_corrected"
            raise NotATransformer(self.folder, "its tokenizer has no end token", needed)
        return (self.pieces.end,)

    def _beginnings_of_words(self) -> np.ndarray:
        found = self.pieces.beginnings()
        if found is None:
            said = f"plain, since the tokenizer of {self.folder} does not mark the beginnings of words"
            raise BadValue("predictor.words", "begin_corrected", said)
        return found


def _sequences(readings: Mapping[tuple, Reading]) -> list[Ids]:
    """Returns the distinct sequences of pieces, sorted, so that neighbours share prefixes."""
    return sorted({reading.ids for reading in readings.values() if not reading.refusal})
