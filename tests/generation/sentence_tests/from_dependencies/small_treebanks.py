"""Small treebanks, written as CoNLL-U from a row of cells for each word."""

from pathlib import Path
from typing import Any

from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.sentence_tests.from_dependencies.treebank_sentences import TreebankSentence, read_treebank
from polyprobe.generation.sentence_tests.labelled_sentences import Corpus, SentenceOptions, sentence_options


def conllu_sentence(rows: str, *comments: str) -> str:
    """Returns a sentence as it stands in a file.

    Args:
        rows: a line for each word: form, lemma, UPOS, FEATS, HEAD and DEPREL, with blanks between them; a multiword
            token is `1-2 form`, an empty node `8.1 form`.
        comments: without their `# `.
    """
    lines, number = [f"# {comment}" for comment in comments], 0
    for row in rows.strip().splitlines():
        cells = row.split()
        if len(cells) == 2:
            lines.append("\t".join([*cells, *"________"]))
        else:
            number += 1
            form, lemma, upos, feats, head, relation = cells
            lines.append("\t".join([str(number), form, lemma, upos, "_", feats, head, relation, "_", "_"]))
    return "\n".join([*lines, "", ""])


def treebank_of(tmp_path: Path, *sentences: str) -> list[TreebankSentence]:
    """Reads sentences from a file of their own."""
    path = tmp_path / "treebank.conllu"
    path.write_text("".join(sentences), encoding="utf-8")
    return read_treebank([path], "unicode", refuse)


def read_sentence(tmp_path: Path, rows: str) -> TreebankSentence:
    """Reads one sentence."""
    return treebank_of(tmp_path, conllu_sentence(rows))[0]


def corpus_from(tmp_path: Path, *rows: str) -> Corpus[TreebankSentence]:
    """Returns the corpus of these sentences; words have no counts."""
    return Corpus(treebank_of(tmp_path, *map(conllu_sentence, rows)), {}, 1.0)


def options_with(**changes: Any) -> SentenceOptions:
    """Returns the options of UD treebanks."""
    return sentence_options("treebanks", 1, **changes)


def write_regular_treebank(path: Path, n_sentences: int) -> None:
    """Writes sentences of 5 to 24 words with a subject, a finite verb and adverbs; six make a document.

    Every noun, verb and adjective stands in several documents, in one value of each feature.
    """
    sentences = []
    for number in range(n_sentences):
        noun, verb = number % 97, number % 89
        gender, plural = ("Masc", "Fem", "Neut")[noun % 3], ("Sing", "Plur")[noun % 2]
        rows = [
            f"Niin niin ADV _ 4 advmod\niso{number % 83} iso ADJ _ 3 amod",
            f"n{noun} n{noun} NOUN Gender={gender}|Number={plural} 4 nsubj",
            f"v{verb} v{verb} VERB Aspect={('Perf', 'Imp')[verb % 2]}|Tense={('Past', 'Pres')[verb % 2]} 0 root",
            *(f"a{number % 7} a ADV _ {3 + place} advmod" for place in range(1, 1 + number % 20)),
            ". . PUNCT _ 4 punct",
        ]
        comments = [f"newdoc id = d{number // 6}"] if number % 6 == 0 else []
        sentences.append(conllu_sentence("\n".join(rows), *comments, f"sent_id = s{number}"))
    path.write_text("".join(sentences), encoding="utf-8")
