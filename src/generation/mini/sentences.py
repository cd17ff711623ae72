"""Sentences of the miniature Turkish with analyses, dependency trees, predicates and roles.

Covered: one clause, two clauses joined by a conjunction (both finite), clauses without a predicate; 3 to 12 words.
Not covered: questions, subordinate clauses, quotations. Frequencies and sizes: `data/sentences.yaml`.
"""

import random
from collections.abc import Mapping

from src.generation.mini.clauses import adjectival_clause, verbal_clause
from src.generation.mini.data_files import sentence_settings
from src.generation.mini.phrases import Vocabulary, vocabulary_without_some, whole_vocabulary
from src.generation.mini.trees import Node, TaggedSentence, finished, n_words

Splits = Mapping[str, tuple[TaggedSentence, ...]]


def sentences_by_split(seed: int) -> Splits:
    """Generates train, dev and test, no sentence twice; train lacks some words that the others may have.

    Returns:
        For each split `n_sentences`, then `n_more_for_tokens` sentences.
    """
    generator = random.Random(f"sentences {seed}")
    train_vocabulary, seen, splits = vocabulary_without_some(generator), set(), {}
    for split, n_sentences in sentence_settings()["n_sentences"].items():
        vocabulary = train_vocabulary if split == "train" else whole_vocabulary()
        n_wanted = n_sentences + sentence_settings()["n_more_for_tokens"][split]
        splits[split] = _new_sentences(generator, vocabulary, n_wanted, seen)
    return splits


def text_sentences(splits: Splits, seed: int) -> tuple[TaggedSentence, ...]:
    """Returns the sentences of a plain text: those of train, then `n_more_for_text` new ones that no split has."""
    seen = {sentence.text for sentences in splits.values() for sentence in sentences}
    generator = random.Random(f"text {seed}")
    more = _new_sentences(generator, whole_vocabulary(), sentence_settings()["n_more_for_text"], seen)
    return (*splits["train"], *more)


def sentences_of_trees(seed: int, n_sentences: int) -> tuple[TaggedSentence, ...]:
    """Returns further sentences, which probing sets from constituency trees are made from; none of them is twice."""
    return _new_sentences(random.Random(f"trees {seed}"), whole_vocabulary(), n_sentences, set())


def random_sentence(generator: random.Random, vocabulary: Vocabulary) -> TaggedSentence:
    """Generates a sentence of allowed length."""
    limits = sentence_settings()["words"]
    while True:
        root = _tree(generator, vocabulary)
        if limits["least"] <= n_words(root) <= limits["most"]:
            return finished(root)


def _new_sentences(
    generator: random.Random, vocabulary: Vocabulary, n_wanted: int, seen: set[str]
) -> tuple[TaggedSentence, ...]:
    """Generates sentences whose text is not in `seen`, and adds them to it."""
    sentences: list[TaggedSentence] = []
    while len(sentences) < n_wanted:
        sentence = random_sentence(generator, vocabulary)
        if sentence.text not in seen:
            seen.add(sentence.text)
            sentences.append(sentence)
    return tuple(sentences)


def _tree(generator: random.Random, vocabulary: Vocabulary) -> Node:
    weights = sentence_settings()["sentence_weights"]
    kind = generator.choices(list(weights), list(weights.values()))[0]
    if kind == "no_predicate":
        root = adjectival_clause(generator, vocabulary, "root")
    else:
        root = verbal_clause(generator, vocabulary, "root")
    if kind == "two_clauses":
        word = random_connective(generator)
        root.after.append(joined_by(word, verbal_clause(generator, vocabulary, "conj")))
    root.after.append(punctuation("."))
    return root


def joined_by(word: str, clause: Node) -> Node:
    """Puts a connective before a clause, with a comma where it takes one."""
    comma = [] if word == sentence_settings()["connectives"][0] else [punctuation(",")]
    clause.before[:0] = [*comma, Node(word, word, "CCONJ", "CONJ", "cc")]
    return clause


def random_connective(generator: random.Random) -> str:
    """One of the words that join clauses."""
    return generator.choice(sentence_settings()["connectives"])


def punctuation(form: str) -> Node:
    """A full stop or a comma."""
    return Node(form, form, "PUNCT", "", "punct")
