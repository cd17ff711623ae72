"""Causal transformers as polyprobe runs them: frozen, each distinct prefix once, log-softmax in float32."""

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from transformers import MODEL_FOR_CAUSAL_LM_MAPPING, AutoModelForCausalLM, PreTrainedConfig

from polyprobe.encoders.transformer.config_checks import reason
from polyprobe.encoders.transformer.files import NotATransformer
from polyprobe.encoders.transformer.model import NUMBER_TYPES, Weights, check_ids, load_model, read_config
from polyprobe.encoders.transformer.sequences import within_budget
from polyprobe.predictors.causal.packed_prefixes import Pack, pack

_log = logging.getLogger(__name__)
_ROW = 512  # prefixes of a pack: attention among them is still a small part of the work
_OUTPUT_ROWS = 256  # prefixes whose logits over the vocabulary are held at once
_CHECK_LENGTH = 6
_WINDOWS = ("sliding_window", "window_size", "attention_chunk_size")  # keys of the length of a window of attention
_NO_WINDOW = 2**31
_TOLERANCE = 1e-4  # of the largest absolute value, in float32
_OF_QUANTISED = 2e-2  # the same of quantised weights, whose products are in 8 bits, or in half precision
_REFUSALS = (
    TypeError, ValueError, RuntimeError, IndexError, AttributeError, NotImplementedError, AssertionError
)  # fmt: skip
_EXPECTED = "a causal language model, such as GPT-2 or Llama"
_OF_OTHER_ORDERS = ("xlnet",)  # among those that transformers counts as causal


class CausalModel:
    """A causal language model in evaluation mode on its device.

    Packs of prefixes go through the model as rows in which each position sees its own prefix and has its depth as
    position. Models that do not allow this (some compute positions or masks themselves, some have no attention) read
    the sentences as rows, padded on the right; a first run on random pieces shows which way is right. So do models
    whose window of attention is shorter than a sentence. The output layer runs once for each prefix either way.

    Attributes:
        row_size: how many prefixes a pack may have.
        is_packed: whether packs go through the model as one row each.

    Args:
        weights: logits are made float32 before their log-softmax.
        token_budget: positions of a batch, padding included.
        beginnings: ids of the pieces that begin a word; None if their probability is not needed.
    """

    def __init__(self, folder: Path, weights: Weights, token_budget: int, beginnings: np.ndarray | None):
        self.folder, self.device, self.token_budget = folder, weights.device, token_budget
        config = read_config(folder)
        check_causal(folder, config)
        self._model = load_model(AutoModelForCausalLM, folder, config, weights).eval()
        self._number_type = NUMBER_TYPES[weights.number_type]
        self._tolerance = _OF_QUANTISED if weights.are_quantised(config) else _TOLERANCE
        self._model.config.use_cache = False
        self._n_pieces = self._model.get_input_embeddings().num_embeddings
        self._body, self._head = self._model, nn.Identity()
        self._window = min(getattr(config, name, None) or _NO_WINDOW for name in _WINDOWS)
        self.row_size = min(_ROW, token_budget)
        self._beginnings = None if beginnings is None else self._tensor(beginnings)
        with torch.inference_mode(), weights.trial(config):
            self._check_causal()
            self._find_head()
            self.is_packed = self._takes_packs()
        if not self.is_packed:
            _log.info("%s takes no packed prefixes: whole sentences go through it, each distinct one once.", folder)

    @torch.inference_mode()
    def log_probabilities(self, packs: Sequence[Pack]) -> list[np.ndarray]:
        """Returns the log-probabilities, in nats, of all predicted pieces of each pack.

        Returns:
            For each pack float32 `[1, predicted]`; or `[2, predicted]`, where the second row is the log-probability
            that a word begins in the place of each piece.
        """
        for one in packs:
            check_ids(self.folder, int(max(one.ids.max(), one.predicted.max())), self._n_pieces)
        n_rows = max(1, self.token_budget // self.row_size)
        found = []
        for start in range(0, len(packs), n_rows):
            batch = packs[start : start + n_rows]
            packed = self.is_packed and max(int(one.depths.max()) for one in batch) < self._window
            states = self._packed_states(batch) if packed else [self._plain_states(one) for one in batch]
            found += [self._predicted(one, state) for one, state in zip(batch, states, strict=True)]
        return found

    def _packed_states(self, packs: Sequence[Pack]) -> list[Tensor]:
        """Returns the last state of each prefix, `[prefixes, width]` for each pack."""
        sizes = [len(one.ids) for one in packs]
        ids, depths = np.zeros((2, len(packs), max(sizes)), np.int64)
        sees = np.tile(np.eye(max(sizes), dtype=bool), (len(packs), 1, 1))  # padding sees itself, lest it be nan
        for row, (one, size) in enumerate(zip(packs, sizes, strict=True)):
            ids[row, :size], depths[row, :size], sees[row, :size, :size] = one.ids, one.depths, one.sees()
        hidden = torch.zeros(sees.shape, dtype=self._number_type).masked_fill_(
            torch.from_numpy(~sees), torch.finfo(self._number_type).min
        )
        output = self._body(
            input_ids=torch.from_numpy(ids).to(self.device),
            position_ids=torch.from_numpy(depths).to(self.device),
            attention_mask=hidden[:, None].to(self.device),
        )
        return [states[:size] for states, size in zip(output[0].to(self.device), sizes, strict=True)]

    def _plain_states(self, one: Pack) -> Tensor:
        """Returns the same from rows that are padded on the right."""
        ways = [one.paths[number, : one.depths[number] + 1] for number in one.ends()]
        states: Tensor | None = None
        for numbers in within_budget([len(way) for way in ways], self.token_budget):
            ids = np.zeros((len(numbers), len(ways[numbers[0]])), np.int64)
            is_real = np.zeros(ids.shape, np.int64)
            for row, number in enumerate(numbers):
                ids[row, : len(ways[number])], is_real[row, : len(ways[number])] = one.ids[ways[number]], 1
            output = self._body(input_ids=self._tensor(ids), attention_mask=self._tensor(is_real))[0].to(self.device)
            states = output.new_empty(len(one.ids), output.shape[-1]) if states is None else states
            for row, number in enumerate(numbers):
                states[self._tensor(ways[number])] = output[row, : len(ways[number])]
        return states

    def _predicted(self, one: Pack, states: Tensor) -> np.ndarray:
        """Runs the output layer once for each prefix; of its logits only those requested are kept."""
        order = np.argsort(one.contexts, kind="stable")
        contexts, pieces = one.contexts[order], one.predicted[order]
        found = np.empty((1 if self._beginnings is None else 2, len(order)), np.float32)
        for start in range(0, len(states), _OUTPUT_ROWS):
            asked = slice(*np.searchsorted(contexts, [start, start + _OUTPUT_ROWS]))
            logits = self._head(states[start : start + _OUTPUT_ROWS]).to(self.device).float()
            rows = self._tensor(contexts[asked] - start)
            chosen = [logits[rows, self._tensor(pieces[asked])]]
            if self._beginnings is not None:
                chosen.append(logits[:, self._beginnings].logsumexp(-1)[rows])
            found[:, order[asked]] = (torch.stack(chosen) - _normalisers(logits)[rows]).cpu().numpy()
        return found

    def _check_causal(self) -> None:
        """Refuses a model whose predictions depend on later pieces, such as BERT."""
        ids = self._random_pieces(1)
        changed = ids.clone()
        changed[:, -1] = (changed[:, -1] + 1) % self._n_pieces
        try:
            logits, others = self._model(input_ids=ids)[0], self._model(input_ids=changed)[0]
        except _REFUSALS as error:
            raise NotATransformer(self.folder, f"its model reads no sentence ({reason(error)})", _EXPECTED) from error
        if not (logits.isfinite().all() and others.isfinite().all()):
            raise NotATransformer(self.folder, "its predictions are not finite", "weights that are numbers")
        if not self._is_alike(logits[:, :-1], others[:, :-1]):
            found = "its predictions depend on the pieces behind them"
            raise NotATransformer(self.folder, found, f"{_EXPECTED}; for a masked model: predictor=masked")

    def _find_head(self) -> None:
        """Separates body and output layer, if the logits are those of the output layer and of nothing after it."""
        ids = self._random_pieces(2)
        body, head = self._model.base_model, self._model.get_output_embeddings()
        try:
            is_whole = self._is_alike(head(body(input_ids=ids)[0]), self._model(input_ids=ids)[0])
        except _REFUSALS:
            return
        if is_whole:
            self._body, self._head = body, head

    def _takes_packs(self) -> bool:
        """Says whether a full row has the same results as each sentence alone."""
        n_sentences = max(2, self.row_size // (_CHECK_LENGTH - 1))
        ids = self._random_pieces(n_sentences)
        ids[:, 0] = ids[0, 0]
        sequences = sorted({(*row, 0) for row in ids.tolist()})
        whole = pack(sequences)
        places = [0, len(sequences) // 2, len(sequences) - 1]
        alone = torch.tensor([sequences[place][:-1] for place in places], device=self.device)
        try:
            states = self._packed_states([whole])[0]
        except _REFUSALS:
            return False
        ways = whole.contexts.reshape(len(sequences), -1)[places]
        return self._is_alike(states[self._tensor(ways)], self._body(input_ids=alone)[0])

    def _is_alike(self, found: Tensor, expected: Tensor) -> bool:
        if found.shape != expected.shape:
            return False
        return bool((found - expected.to(found.device)).abs().max() <= self._tolerance * expected.abs().max())

    def _random_pieces(self, n_sentences: int) -> Tensor:
        limit = getattr(self._model.config, "max_position_embeddings", None) or 0
        size = (n_sentences, min(_CHECK_LENGTH, limit) if limit > 0 else _CHECK_LENGTH)
        return self._tensor(np.random.default_rng(0).integers(0, self._n_pieces, size))

    def _tensor(self, numbers: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(numbers)).to(self.device)


def check_causal(folder: Path, config: PreTrainedConfig) -> None:
    """Refuses a model that predicts no next piece."""
    if type(config) not in MODEL_FOR_CAUSAL_LM_MAPPING:
        found = f"a model of the type {config.model_type} has no output layer for the next piece"
        raise NotATransformer(folder, found, _EXPECTED)
    if config.model_type in _OF_OTHER_ORDERS:
        found = f"a model of the type {config.model_type} predicts a piece from those in any order"
        raise NotATransformer(folder, found, _EXPECTED)


def _normalisers(logits: Tensor) -> Tensor:
    """Returns the log of the summed exponentials of each row; the rows are overwritten, so that no copy is made."""
    highest = logits.amax(-1, keepdim=True)
    return logits.sub_(highest).exp_().sum(-1).log_() + highest[:, 0]
