"""What a sentence must keep to, so that formats with one row a word can hold its propositions."""

from src.formats.reading.lines import UnwritableText
from src.formats.roles.propositions import LabelledSentence

_NOT_A_NAME = ("", "_", "-")


def check_writable(sentence: LabelledSentence) -> None:
    """Refuses what would not be read back the same.

    Raises:
        UnwritableText: at two predicates on one word, at predicates out of order, and at a sense or role that is
            empty, `_` or `-`, or has a `|`.
    """
    predicates = [proposition.predicate for proposition in sentence.propositions]
    if predicates != sorted(set(predicates)):
        found = f"the predicates are on the words {predicates}"
        raise UnwritableText(f"Sentence {sentence.identifier}: {found}. A row has room for one, in order.")
    roles = [argument.role for proposition in sentence.propositions for argument in proposition.arguments]
    names = [*(proposition.sense for proposition in sentence.propositions), *roles]
    unwritable = next((name for name in names if name in _NOT_A_NAME or "|" in name), None)
    if unwritable is not None:
        raise UnwritableText(f'Sentence {sentence.identifier}: "{unwritable}" cannot be a sense or role.')
