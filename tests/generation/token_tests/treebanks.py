"""Small treebanks for tests, in CoNLL-U."""

from collections.abc import Sequence
from pathlib import Path

Word = tuple[str, str, str]  # form, UPOS, FEATS
CASES = {"Nom": "", "Acc": "i", "Dat": "e", "Loc": "de"}
STEMS = ("ev", "göl", "el", "yer", "ses", "iş", "ip", "deniz")


def sentence(words: Sequence[Word], ranges: Sequence[tuple[int, int, str]] = (), sent_id: str | None = None) -> str:
    """Writes a sentence; `ranges` are first word, last word and spelling of multiword tokens."""
    starts = {first: f"{first}-{last}\t{form}" + "\t_" * 8 for first, last, form in ranges}
    lines = [f"# sent_id = {sent_id}"] if sent_id else []
    for number, (form, upos, feats) in enumerate(words, start=1):
        lines += [starts[number]] if number in starts else []
        lines.append(f"{number}\t{form}\t{form.strip()[:2]}\t{upos}\t_\t{feats}\t_\t_\t_\t_")
    return "\n".join(lines) + "\n\n"


def unimorph_sentence(words: Sequence[tuple[str, str]], sent_id: str | None = None) -> str:
    """Writes a sentence with labels of UniMorph: form and bundle of each word."""
    return sentence([(form, "_", bundle) for form, bundle in words], sent_id=sent_id)


def write_treebank(folder: Path, sentences: int) -> Path:
    """Writes sentences of three nouns, a verb and a full stop; every seventh has the words of the one before it."""
    texts = []
    for number in range(sentences):
        which = number - 1 if number % 7 == 6 else number
        nouns = [_noun(which // 4**place + place) for place in range(3)]
        verb = ("geldi", "VERB", f"Number={'Sing' if which % 3 else 'Plur'}|Person=3|Tense=Past")
        texts.append(sentence([*nouns, verb, (".", "PUNCT", "_")], sent_id=f"s-{number}"))
    path = folder / "train.conllu"
    path.write_text("".join(texts), encoding="utf-8")
    return path


def _noun(number: int) -> Word:
    case = list(CASES)[number % len(CASES)]
    return STEMS[number // len(CASES) % len(STEMS)] + CASES[case], "NOUN", f"Case={case}|Number=Sing"
