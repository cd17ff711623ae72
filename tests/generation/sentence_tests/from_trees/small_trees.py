"""Trees for tests: one from its bracketing, many by a small grammar."""

import random
from pathlib import Path

from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.treebanks import constituency_trees
from polyprobe.formats.treebanks.constituency_trees import Constituent
from polyprobe.generation.sentence_tests.from_trees.tree_sentences import TreeSentence, read_trees, tree_sentence
from polyprobe.generation.sentence_tests.labelled_sentences import Corpus

_NOUNS = ("cat", "dog", "bird", "child", "king", "road", "house", "river", "song", "stone", "tree", "field")
_VERBS = ("see", "need", "follow", "cover", "reach", "help", "paint", "watch")
_ADJECTIVES = ("old", "red", "far", "tall")
_ADVERBS = ("today", "often", "here", "slowly")


def sentence_of(bracketing: str, folder: Path, document: str = "d") -> TreeSentence:
    """Reads one tree."""
    path = folder / "tree.tsv"
    path.write_text(f"{document}\t{bracketing}\n", encoding="utf-8")
    (tree,) = constituency_trees.read(path, refuse)
    sentence = tree_sentence(tree.root, tree.document, {"file": "tree.tsv", "line": tree.line})
    assert sentence is not None
    return sentence


def corpus_of_trees(*sentences: TreeSentence, scale: float = 1.0, **counts: float) -> Corpus[TreeSentence]:
    """Makes a corpus of sentences, and of counts of words."""
    return Corpus(sentences, counts, scale)


def write_trees(path: Path, n_trees: int, n_documents: int = 40) -> Path:
    """Writes trees that a small grammar makes: clauses, some of them coordinated, some with nested phrases."""
    chance = random.Random(7)
    lines = [f"d{number % n_documents}\t(ROOT {_sentence(chance, number)})\n" for number in range(n_trees)]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def sentences_of_grammar(folder: Path, n_trees: int) -> list[TreeSentence]:
    """Reads what `write_trees` writes."""
    return list(read_trees([write_trees(folder / "trees.tsv", n_trees)], refuse))


def _sentence(chance: random.Random, number: int) -> str:
    clause = _clause(chance)
    if number % 2 == 0:
        return f"(S (S {clause}) (, ,) (CC and) (S {_clause(chance)}) (. .))"
    opening = chance.choice(["", "", f"(ADVP (RB {chance.choice(_ADVERBS)})) (, ,) ", "(PP (IN at) (NP (NN home))) "])
    return f"(S {opening}{clause} (. .))"


def _clause(chance: random.Random) -> str:
    verb = chance.choice(_VERBS)
    tag, form = ("VBD", f"{verb}ed") if chance.random() < 0.5 else ("VBP", verb)
    return f"{_noun_phrase(chance, 0)} (VP ({tag} {form}) {_noun_phrase(chance, 0)})"


def _noun_phrase(chance: random.Random, depth: int) -> str:
    noun = chance.choice(_NOUNS)
    tag, form = ("NNS", f"{noun}s") if chance.random() < 0.5 else ("NN", noun)
    adjectives = " ".join(f"(JJ {chance.choice(_ADJECTIVES)})" for _ in range(chance.randrange(5)))
    plain = f"(NP (DT the) {adjectives} ({tag} {form}))"
    if depth < 4 and chance.random() < 0.4:
        return f"(NP {plain} (PP (IN near) {_noun_phrase(chance, depth + 1)}))"
    return plain


def bracketed(constituent: Constituent | str) -> str:
    """Writes a constituent, or a word, as files have it."""
    if isinstance(constituent, str):
        return constituent
    return f"({constituent.label} {' '.join(map(bracketed, constituent.children))})"
