"""Constituency trees of the miniature Turkish, read off its dependency trees by the rules of its phrases.

    Dün Ali bu kitabı     (ROOT (S (ADVP-TMP (RB Dün)) (NP-SBJ (NNP Ali))
    dikkatle okudu .        (VP (NP-OBJ (DT bu) (NN kitabı)) (ADVP-MNR (RB dikkatle)) (VBD okudu)) (. .)))

Labels are those of the Penn Treebank, with function tags:

- What stands before the subject and behind the verb is a part of S; the rest is VP. Without a subject before the verb
  all of what stands before the verb is in VP. An adverb or a place that VP begins with is beside a smaller VP.
- Where the predicate is an adjective, ADJP stands for VP.
- Two clauses are (S (S …) (, ,) (CC ama) (S …) (. .)).
- A possessor is NP in NP. Nouns are NN or NNS by their own suffix (iki kedi: NN), names NNP, possessors that are
  pronouns PRP$. A verb is VBD in the tenses of the past, VBZ or VBP in those of the present by its person, VBF in the
  future, which the Penn Treebank has no tag for.
"""

from collections.abc import Sequence

from src.formats.treebanks.constituency_trees import Constituent
from src.generation.mini.phrases import TaggedSentence, Word

_PHRASES = {  # by role
    "A1": "NP-OBJ",
    "A2": "NP-DIR",
    "A3": "NP-DIR",
    "AM-LOC": "NP-LOC",
    "AM-TMP": "ADVP-TMP",
    "AM-MNR": "ADVP-MNR",
    "nsubj": "NP-SBJ",
    "advmod": "ADVP",
}
_ADJUNCTS = ("AM-LOC", "AM-TMP", "AM-MNR")
_TAGS = {"PROPN": "NNP", "PRON": "PRP", "ADJ": "JJ", "ADV": "RB", "DET": "DT", "NUM": "CD", "CCONJ": "CC"}


def constituency_tree(sentence: TaggedSentence) -> Constituent:
    """Returns the tree of a sentence; its words in order are those of the sentence."""
    words = sentence.words
    root = next(index for index, word in enumerate(words) if word.head == 0)
    end = Constituent(".", (words[-1].form,))
    others = [index for index, word in enumerate(words) if word.relation == "conj"]
    if not others:
        return Constituent("ROOT", (Constituent("S", (*_clause(sentence, root), end)),))
    (other,) = others
    marks = [Constituent(",", (words[index].form,)) for index in _children(words, other) if words[index].form == ","]
    (connective,) = [index for index in _children(words, other) if words[index].upos == "CCONJ"]
    clauses = [Constituent("S", _clause(sentence, verb)) for verb in (root, other)]
    return Constituent("ROOT", (Constituent("S", (clauses[0], *marks, _leaf(words, connective), clauses[1], end)),))


def _clause(sentence: TaggedSentence, head: int) -> tuple[Constituent, ...]:
    """The parts of S: what stands before the subject, the subject, VP or ADJP, and what stands behind."""
    words, roles = sentence.words, _roles(sentence, head)
    before, after = ([index for index in sorted(roles) if (index < head) == is_before] for is_before in (True, False))
    subject = next((place for place, index in enumerate(before) if roles[index] == "nsubj"), None)
    n_outside = 0 if subject is None else subject + 1
    phrases = {index: _phrase(words, index, _PHRASES[role]) for index, role in roles.items()}
    predicate = (*((roles[index], phrases[index]) for index in before[n_outside:]), (None, _leaf(words, head)))
    return (
        *(phrases[index] for index in before[:n_outside]),
        _predicate_phrase("VP" if words[head].upos == "VERB" else "ADJP", predicate),
        *(phrases[index] for index in after),
    )


def _predicate_phrase(label: str, parts: Sequence[tuple[str | None, Constituent]]) -> Constituent:
    """Puts what follows an adjunct into a smaller phrase: (VP (NP-LOC …) (VP (NP-OBJ …) (VBD …)))."""
    (role, first), *rest = parts
    if role in _ADJUNCTS:
        return Constituent(label, (first, _predicate_phrase(label, rest)))
    return Constituent(label, tuple(part for _, part in parts))


def _roles(sentence: TaggedSentence, head: int) -> dict[int, str]:
    """The role of each phrase of a clause, by the place of its head; of subjects and intensifiers the relation."""
    words = sentence.words
    relations = {n: words[n].relation for n in _children(words, head) if words[n].relation in ("nsubj", "advmod")}
    of_head = [one for one in sentence.propositions if one.predicate == head]
    roles = {argument.word: argument.role for one in of_head for argument in one.arguments}
    return {**roles, **{n: relation for n, relation in relations.items() if relation == "nsubj" or n not in roles}}


def _phrase(words: Sequence[Word], head: int, label: str) -> Constituent:
    """A phrase and what stands in it; a possessor is a phrase of its own."""
    inside = sorted([head, *_children(words, head)])
    return Constituent(
        label, tuple(_phrase(words, n, "NP") if _is_owner(words[n], n, head) else _leaf(words, n) for n in inside)
    )


def _is_owner(word: Word, index: int, head: int) -> bool:
    return index != head and word.relation == "nmod:poss"


def _leaf(words: Sequence[Word], index: int) -> Constituent:
    return Constituent(_tag(words[index]), (words[index].form,))


def _tag(word: Word) -> str:
    codes = word.bundle.split(";")
    if word.upos == "NOUN":
        return "NNS" if "PL" in codes else "NN"
    if word.upos == "PRON":
        return "PRP$" if "GEN" in codes else "PRP"
    if word.upos == "VERB":
        present = "VBZ" if codes[2:4] == ["3", "SG"] else "VBP"
        return "VBD" if "PST" in codes else "VBF" if "FUT" in codes else present
    return _TAGS[word.upos]


def _children(words: Sequence[Word], head: int) -> list[int]:
    return [index for index, word in enumerate(words) if word.head == head + 1]
