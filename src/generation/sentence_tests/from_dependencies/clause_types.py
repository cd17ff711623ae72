"""ConjType and ImpersonalSent: how a sentence is built of clauses, and whether it has a subject.

ConjType (SCONJ, CCONJ): which kind of conjunction joins the clauses of a complex sentence. The paper does not say how a
clause is told from a phrase; here
- a subordinating conjunction begins a clause that it marks (advcl, ccomp, acl, csubj), if it is finite: its predicate,
  an auxiliary or a copula of it is, or the treebank does not say; "by going" is no clause of its own;
- a coordinating one begins a coordinated predicate with a subject of its own: "he came and went" is one clause, "he
  came and she went" are two;
- sentences with clauses of both kinds have no label.

ImpersonalSent (1, 0): 1 where the root has no subject and is like one of the language's patterns in
`dependency_rules.yaml`, 0 where it has one (nsubj or csubj). A sentence without subject that fits no pattern has no
label: its subject may be understood.
"""

from collections.abc import Mapping, Sequence

from src.generation.sentence_tests.from_dependencies.dependency_rules import ClauseLink, WordPattern
from src.generation.sentence_tests.from_dependencies.treebank_sentences import TreebankSentence
from src.generation.sentence_tests.labelled_sentences import LabelledSentence

_SUBJECTS = ("nsubj", "csubj")


def conjunction_type(sentence: TreebankSentence, links: Mapping[str, ClauseLink]) -> LabelledSentence | None:
    """Labels a sentence by the kind of the conjunctions that join its clauses; None where there are none, or both."""
    found = {label for label, link in links.items() if any(_begins_clauses(sentence, link))}
    return _labelled(sentence, found.pop()) if len(found) == 1 else None


def impersonality(sentence: TreebankSentence, impersonal: Sequence[WordPattern]) -> LabelledSentence | None:
    """Labels a sentence as impersonal or not; None where a subject is missing for another reason."""
    if _has_subject(sentence, sentence.root):
        return _labelled(sentence, "0")
    root = sentence.tree[sentence.root]
    return _labelled(sentence, "1") if any(pattern.fits(root) for pattern in impersonal) else None


def _begins_clauses(sentence: TreebankSentence, link: ClauseLink) -> list[bool]:
    heads = [word.head - 1 for word in sentence.tree if link.conjunction.fits(word)]
    return [_is_clause(sentence, head, link) for head in heads]


def _is_clause(sentence: TreebankSentence, place: int, link: ClauseLink) -> bool:
    relation = sentence.tree[place].basic_relation
    if relation not in link.clause:
        return False
    return _joins_predicates(sentence, place) if relation == "conj" else _is_finite(sentence, place)


def _joins_predicates(sentence: TreebankSentence, place: int) -> bool:
    first = sentence.tree[place].head - 1
    is_predicate = sentence.tree[first].upos in ("VERB", "AUX") or _has_subject(sentence, first)
    return is_predicate and _has_subject(sentence, place)


def _is_finite(sentence: TreebankSentence, place: int) -> bool:
    dependents = [sentence.tree[one] for one in sentence.dependents(place)]
    auxiliaries = [word for word in dependents if word.basic_relation in ("aux", "cop")]
    return any(word.features.get("VerbForm", "Fin") == "Fin" for word in [sentence.tree[place], *auxiliaries])


def _has_subject(sentence: TreebankSentence, place: int) -> bool:
    return any(sentence.tree[one].basic_relation in _SUBJECTS for one in sentence.dependents(place))


def _labelled(sentence: TreebankSentence, label: str) -> LabelledSentence:
    return LabelledSentence(sentence.words, label, (), sentence.document, sentence.place)
