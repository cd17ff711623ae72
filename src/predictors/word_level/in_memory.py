"""A language model of words in memory, as a predictor: it runs each prefix that sentences share once, as a tree.

    the dog barks loudly        (start) - the - dog  - barks > loudly
    the dogs bark                           \\
    the dogs bark loudly                      - dogs > bark - > loudly

A node is a prefix that some sentence continues; after a ">" comes a word that is requested, but that needs no node,
since nothing follows it. The tree is processed level by level, that is by length of prefix: only the states of one
level and of the next are in memory.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from itertools import chain

import numpy as np
import torch
from torch import Tensor

from polyprobe.encoders.base.encoder import fingerprint
from polyprobe.models.batches.text_vocabulary import END_ID, UNKNOWN_ID
from polyprobe.models.language_model import LanguageModel
from polyprobe.models.layers.text_lstm import PrefixStates, TextLSTM
from polyprobe.predictors.base.predictor import Answers, Arrays, Keeper, Predictor, Question, check_questions
from polyprobe.predictors.word_level.predictor import IdRows, WordOptions, distinct_rows

_VERSION = 1
BLOCK_ROWS = 8192
"""Distinct sentences whose log-probabilities are kept in one file."""


class LanguageModelPredictor(Predictor):
    """Computes the log-probability of each word after the words before it; unknown words are read as `<unk>`.

    Distinct sentences are sorted by the ids of their words and cut into blocks, each computed once and kept. Prefixes
    that two blocks share are computed in each: the common beginning of the last sentence of one and the first of the
    other, most often nothing but the start of the sentence.

    Args:
        model: on the device where it is to run; it is not changed, and must not change from one answer to the next.
        seed, epoch: see `Predictor`.
    """

    def __init__(self, name: str, model: LanguageModel, options: WordOptions, seed: int | None, epoch: int | None):
        self.name, self.vocabulary, self.options = name, model.vocabulary, options
        self.model, self.seed, self.epoch = model, seed, epoch

    @cached_property
    def weights(self) -> str:
        """A digest of vocabulary and tensors."""
        digest = hashlib.sha256("\n".join(self.model.vocabulary.words).encode())
        for name, tensor in sorted(self.model.network.state_dict().items()):
            digest.update(f"\0{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
            digest.update(tensor.detach().cpu().contiguous().numpy())
        return digest.hexdigest()

    @property
    def provenance(self) -> dict[str, dict[str, str]]:
        name = self.model_name or self.name
        return {"files": {name if self.epoch is None else f"{self.epoch}/{name}": self.weights}}

    @property
    def fingerprint(self) -> str:
        """See `Predictor`; equal weights have one fingerprint, from any source."""
        return fingerprint("language_model", _VERSION, model=self.weights, **asdict(self.options))

    @property
    def conventions(self) -> str:
        return str(self.options)

    def answer(self, questions: Sequence[Question], keeper: Keeper) -> Answers:
        check_questions(self.name, questions)
        rows, word_of_token = self._coded(questions)
        distinct, row_of = distinct_rows(rows)
        found = self._kept(distinct, keeper)[np.repeat(distinct.starts[row_of], rows.lengths) + rows.places]
        is_unknown = rows.ids == UNKNOWN_ID
        is_asked = (rows.places > 0) | self.options.first
        is_asked &= ~is_unknown | (self.options.unknown == "scored")
        n_asked = np.diff(np.concatenate([[0], np.cumsum(is_asked)])[np.concatenate([[0], rows.ends])])
        return Answers(
            log_probabilities=found[is_asked],
            word_of_token=word_of_token[is_asked],
            is_unknown=is_unknown[is_asked],
            ends=np.cumsum(n_asked),
            refusals=tuple("" if n else "no word of it counts" for n in n_asked.tolist()),
        )

    def log_probabilities(self, rows: IdRows) -> np.ndarray:
        """Returns the log-probability of every token of distinct, sorted rows, in nats: float32 `[tokens]`.

        The first word, if there is no start, has any finite number.
        """
        was_training = self.model.training
        self.model.eval()
        try:
            return prefix_log_probabilities(self.model.network, rows, self.options.start)
        finally:
            self.model.train(was_training)

    def _coded(self, questions: Sequence[Question]) -> tuple[IdRows, np.ndarray]:
        """Returns the ids of the words, and of the end where it counts.

        Returns:
            A row for each question, and the number of each token's word in its question: int32 `[tokens]`.
        """
        words = set(chain.from_iterable(question.words for question in questions))
        ids_of = {word: self.vocabulary.ids(self.options.parts(word)).tolist() for word in words}
        end = [(END_ID,)] if self.options.end else []
        ids: list[int] = []
        word_of_token: list[int] = []
        ends = np.empty(len(questions), dtype=np.int64)
        for number, question in enumerate(questions):
            for place, of_word in enumerate(chain((ids_of[word] for word in question.words), end)):
                ids += of_word
                word_of_token += [place] * len(of_word)
            ends[number] = len(ids)
        return IdRows(np.array(ids, dtype=np.int32), ends), np.array(word_of_token, dtype=np.int32)

    def _kept(self, rows: IdRows, keeper: Keeper) -> np.ndarray:
        """Returns the log-probabilities of all tokens, block by block: `[tokens]`."""
        blocks = list(rows.blocks(BLOCK_ROWS))

        def compute(number: int) -> Arrays:
            return {"log_probabilities": self.log_probabilities(blocks[number])}

        found = keeper.blocks([block.digest for block in blocks], compute)
        return np.concatenate([np.zeros(0, np.float32), *(arrays["log_probabilities"] for arrays in found)])


_NODES_AT_ONCE = 1024


@torch.inference_mode()
def prefix_log_probabilities(network: TextLSTM, rows: IdRows, start: bool) -> np.ndarray:
    """Returns the log-probability of every token of distinct, sorted rows, in nats: float32 `[tokens]`.

    Numbers differ by less than 1e-5 with the other rows; those of equal prefixes are equal.

    Args:
        network: in evaluation mode, on any device.
        rows: ids of words, and of the end where it is requested.
        start: whether `<eos>` is read before the first word; else the first token of each row gets 0.
    """
    device = network.output.weight.device
    found, states = np.zeros(len(rows.ids), dtype=np.float32), network.first_states(1)
    node_of_row = np.zeros(len(rows), dtype=np.int64)
    for depth in range(int(rows.lengths.max(initial=0))):
        goes_on = np.flatnonzero(rows.lengths > depth)
        places = rows.starts[goes_on] + depth  # of the tokens that are predicted at this level
        is_node, node = _numbered(rows.shared < depth, goes_on)
        is_asked, asked_of_place = _numbered(rows.shared <= depth, goes_on)
        first = goes_on[is_node]
        parents = node_of_row[first]
        node_of_row[goes_on] = node
        if depth == 0 and not start:
            continue
        last_words = rows.ids[rows.starts[first] + depth - 1] if depth else np.array([END_ID])
        arrays = (parents, last_words, node[is_asked], rows.ids[places[is_asked]])
        on_device = [torch.from_numpy(one.astype(np.int64)).to(device) for one in arrays]
        states = _grown(network, states, *on_device[:2])
        answers = network.log_probabilities(states.top, *on_device[2:]).cpu().numpy()
        found[places] = answers[asked_of_place]
    return found


def _numbered(is_new: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers groups of neighbouring rows.

    Args:
        is_new: whether a group begins at a row: bool `[all rows]`.

    Returns:
        Whether each row is the first of its group that takes part, and the number of its group: `[rows]` each.
    """
    is_first = np.diff(np.cumsum(is_new)[rows], prepend=0) > 0
    return is_first, np.cumsum(is_first) - 1


def _grown(network: TextLSTM, states: PrefixStates, parents: Tensor, words: Tensor) -> PrefixStates:
    """Lets prefixes grow by a word, some at a time, so that gates of few of them are held."""
    parts = [
        network.next_states(states.of(some), of_some)
        for some, of_some in zip(parents.split(_NODES_AT_ONCE), words.split(_NODES_AT_ONCE), strict=True)
    ]
    return PrefixStates(torch.cat([one.hidden for one in parts], 1), torch.cat([one.cells for one in parts], 1))
