"""How deep a dependency tree is."""

from src.generation.sentence_tests.from_dependencies.treebank_sentences import TreebankSentence


def dependency_depth(sentence: TreebankSentence) -> int:
    """Counts the words from the root to the deepest word; the root alone is 1.

    Punctuation is left out: what a comma depends on says nothing on the sentence. RuSentEval (labels 5 to 9) does not
    say how it counts; X-Probe's 3 to 7 count the root as 1.
    """
    heads = [word.head for word in sentence.tree]
    depths = [0] * (len(heads) + 1)
    counted = (number for number, word in enumerate(sentence.tree, start=1) if word.basic_relation != "punct")
    return max((_depth(number, heads, depths) for number in counted), default=1)


def _depth(number: int, heads: list[int], depths: list[int]) -> int:
    """Returns the depth of a word (from 1), and keeps it and that of the words above it in `depths` (0: not known)."""
    above = []
    while number and not depths[number]:
        above.append(number)
        number = heads[number - 1]
    for one in reversed(above):
        depths[one] = depths[heads[one - 1]] + 1
    return depths[above[0]] if above else depths[number]
