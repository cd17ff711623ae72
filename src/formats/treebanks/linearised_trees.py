"""Trees as sequences of symbols, with parts of speech in place of words (Vinyals et al. 2015; Conneau et al. 2018).

    (ROOT (S (NP (PRP They)) (VP (VBD left)) (. .)))       (ROOT (S (NP PRP )NP (VP VBD )VP . )S )ROOT

The outermost constituent is called ROOT where it has no label. Empty elements, indices and function tags are left out.

A dependency tree is written in the same way: a bracket holds a word that has dependents, and all that depends on it;
any other word is its part of speech alone. These are linearised dependency trees, which the paper does not have.

    the DET det 2, cat NOUN nsubj 3, sleeps VERB root 0    (root (nsubj DET NOUN )nsubj VERB )root

Where arcs cross, the words of a bracket are not neighbours in the sentence; they are written in the bracket all the
same, so that the parts of speech stand in another order than the words.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.formats.texts.sentence_lines import TargetedSentence
from polyprobe.formats.treebanks import constituency_trees
from polyprobe.formats.treebanks.constituency_trees import Constituent, category, is_tag, leaves, without_empty, written
from polyprobe.formats.treebanks.dependencies import DependencySentence, dependency_sentences

_ROOT = "ROOT"
_OUTERMOST = (_ROOT, "root")  # what every tree starts with says nothing about it
Bracket = tuple[str, int, int]
_LANGUAGE = "en"  # changes nothing where words are separated by blanks


def linearised_trees(path: Path, on_malformed: OnMalformed) -> Iterator[TargetedSentence]:
    """Reads the words of constituency trees, and the trees as symbols.

    Raises:
        MalformedLine: as `constituency_trees.read`, and at a tree without a word.
    """
    for tree in constituency_trees.read(path, on_malformed):
        plain = without_empty(tree.root)
        if plain is None:
            on_malformed(MalformedLine(path, tree.line, "the tree has empty elements alone", "a word"))
        else:
            words = tuple(written(word) for _, word in leaves(plain))
            yield TargetedSentence(words, tuple(_bracketed(category(plain) or _ROOT, _inside(plain))), tree.line)


def linearised_dependency_trees(path: Path, on_malformed: OnMalformed) -> Iterator[TargetedSentence]:
    """Reads the words of dependency trees (CoNLL-U), and the trees as symbols.

    Raises:
        MalformedLine: as `dependency_sentences`, and at a part of speech that would be read as a bracket.
    """
    for sentence in dependency_sentences(path, on_malformed):
        if like_brackets := [tag for tag in sentence.upos if tag.startswith(("(", ")"))]:
            found = f'UPOS of word {sentence.upos.index(like_brackets[0]) + 1} of the sentence is "{like_brackets[0]}"'
            on_malformed(MalformedLine(path, sentence.line, found, "a tag that does not begin with a bracket"))
        else:
            yield TargetedSentence(sentence.words, tuple(_arcs(sentence)), sentence.line)


def brackets(symbols: Sequence[str]) -> Counter[Bracket] | None:
    """Counts the brackets in a sequence of symbols: label, and half-open span of parts of speech.

    The outermost ROOT (root, of dependency trees) is left out, as the released evalb leaves out TOP.

    Returns:
        None where the symbols are no tree: a bracket is closed that is not the last one opened, or is not closed, or
        no bracket spans all symbols (there are none, or two trees in a row, or a part of speech outside).
    """
    if not symbols:
        return None
    found: Counter[Bracket] = Counter()
    open_ones: list[tuple[str, int]] = []
    n_tags = 0
    for number, symbol in enumerate(symbols):
        if symbol.startswith("("):
            if number and not open_ones:
                return None
            open_ones.append((symbol[1:], n_tags))
        elif not open_ones:
            return None
        elif not symbol.startswith(")"):
            n_tags += 1
        elif open_ones[-1][0] != symbol[1:]:
            return None
        else:
            label, start = open_ones.pop()
            if open_ones or label not in _OUTERMOST:
                found[label, start, n_tags] += 1
    return None if open_ones else found


def _bracketed(label: str, inside: Iterator[str]) -> Iterator[str]:
    yield f"({label}"
    yield from inside
    yield f"){label}"


def _inside(constituent: Constituent) -> Iterator[str]:
    for child in constituent.children:
        if isinstance(child, str):
            yield category(constituent) or _ROOT
        elif is_tag(child):
            yield from _inside(child)
        else:
            yield from _bracketed(category(child), _inside(child))


def _arcs(sentence: DependencySentence) -> Iterator[str]:
    """Yields the symbols with a stack: a hostile chain of words must not end in a RecursionError."""
    dependents: list[list[int]] = [[] for _ in range(len(sentence.words) + 1)]
    for word, head in enumerate(sentence.heads, start=1):
        dependents[head].append(word)
    waiting: list[int | str] = [*dependents[0]]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        else:
            relation = sentence.relations[one - 1]
            inside = [
                sentence.upos[word - 1] if word == one or not dependents[word] else word
                for word in sorted((one, *dependents[one]))
            ]
            waiting += [f"){relation}", *reversed(inside), f"({relation}"]
