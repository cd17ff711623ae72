"""Whether a word is read in its sentence, or alone: LINSPECTOR's C-ELMo and D-ELMo (Şahin et al. 2020, section 4.2)."""

from collections.abc import Sequence

from src.errors import check_choice
from src.items import Form, Item, Sentence, TokenInContext

SENTENCE, NONE = "sentence", "none"


def checked_context(context: str) -> str:
    """Returns `encoder.context`, which is one of "sentence" and "none"."""
    check_choice("encoder.context", context, (SENTENCE, NONE))
    return context


def accepted_items(context: str) -> frozenset[type]:
    """Returns the items that have a vector: without context a word has one and a sentence has none."""
    return frozenset({Form, TokenInContext, Sentence} if context == SENTENCE else {Form, TokenInContext})


def as_read(items: Sequence[Item], context: str) -> Sequence[Item]:
    """Returns items as they go through the model: without context a word of a sentence is the form alone."""
    if context == SENTENCE:
        return items
    return [Form(item.words[item.index]) if isinstance(item, TokenInContext) else item for item in items]


def name_with(encoder: str, context: str) -> str:
    """Returns the name of an encoder for messages, with the option that makes it refuse sentences."""
    return encoder if context == SENTENCE else f"{encoder} with encoder.context={context}"


def in_fingerprint(context: str) -> dict[str, str]:
    """Returns what a fingerprint says of the context: nothing of the sentence, which was always read before."""
    return {} if context == SENTENCE else {"context": context}
