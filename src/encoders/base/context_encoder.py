"""The base of encoders that read a word in its sentence or, by their option `context`, alone."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, Literal

import numpy as np

from polyprobe.encoders.base.encoder import BLOCK_ITEMS, Encoder, check_items
from polyprobe.items import Form, Item, Sentence, TokenInContext

SENTENCE = "sentence"
Context = Literal["sentence", "none"]


class ContextEncoder(Encoder):
    """Encodes words in their sentences; without context a token has the vector of its form, sentences are refused."""

    kind: ClassVar[str]
    """The encoder in messages."""

    def __init__(self, context: Context):
        self.context, self.reads_context = context, context == SENTENCE
        self.accepts = frozenset({Form, TokenInContext, Sentence} if self.reads_context else {Form, TokenInContext})

    @abstractmethod
    def encode_blocks(self, blocks: Iterable[Sequence[Item]]) -> Iterator[tuple[np.ndarray, ...]]:
        """Yields the vectors of each block, of any number of items that `encode` takes."""

    def encode(self, items: Sequence[Item]) -> Iterator[tuple[np.ndarray, ...]]:
        check_items(self.name_in_messages, self.accepts, items)
        yield from self.encode_blocks(items[start : start + BLOCK_ITEMS] for start in range(0, len(items), BLOCK_ITEMS))

    @property
    def name_in_messages(self) -> str:
        return self.kind if self.reads_context else f"{self.kind} with encoder.context={self.context}"

    def as_read(self, items: Sequence[Item]) -> Sequence[Item]:
        """Returns items as they go through the model: without context a word of a sentence is the form alone."""
        if self.reads_context:
            return items
        return [Form(item.words[item.index]) if isinstance(item, TokenInContext) else item for item in items]

    @property
    def context_in_fingerprint(self) -> dict[str, str]:
        """What a fingerprint says of the context: nothing of the sentence, which was always read before."""
        return {} if self.reads_context else {"context": self.context}
