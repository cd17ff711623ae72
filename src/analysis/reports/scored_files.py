"""Scores two files as the official scorers do: `analyze.py score=… gold=… system=…`."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from polyprobe.analysis.output.tables import Printable, Table
from polyprobe.errors import BadValue, MalformedLine, PolyprobeError, check_choice
from polyprobe.metrics.bleu import score_files
from polyprobe.metrics.official import conll2009, conll2018, conlleval


def scores_of_files(_: Path, scorer: str, gold: str | None, system: str | None) -> Iterator[Printable]:
    """Makes the table of a scorer, a name of `SCORERS`.

    Raises:
        UnknownChoice: there is no such scorer.
        MalformedLine: a file is empty, or that of the right answers has blank lines alone.
        PolyprobeError: a file is not named or not there, or the official scorer refuses it.
    """
    check_choice("score", scorer, SCORERS)
    files = _file("gold", gold), _file("system", system)
    _check_sentences(*files)
    yield SCORERS[scorer](*files)


def _file(key: str, name: str | None) -> Path:
    if name is None:
        raise BadValue(key, name, "a file (score=… compares gold=FILE with system=FILE)")
    if not Path(name).is_file():
        found = f"{name} is a folder. Expected a file" if Path(name).is_dir() else f"there is no file {name}"
        raise PolyprobeError(f"{key}: {found}.")
    return Path(name)


def _check_sentences(gold: Path, system: Path) -> None:
    """Refuses files that the official scorers score, too, as 0 of 0."""
    for path in (gold, system):
        if not path.stat().st_size:
            raise MalformedLine(path, 1, "the file is empty", "at least one sentence")
    with open(gold, "rb") as lines:  # of the system they may be blank: it may have translated nothing
        if not any(map(bytes.strip, lines)):
            raise MalformedLine(gold, 1, "the file has blank lines alone", "at least one sentence")


def _ud(gold: Path, system: Path) -> Table:
    table = Table(["metric"], ["precision", "recall", "F1", "of aligned", "correct", "gold", "system"])
    scores = conll2018.score_files(gold, system)
    if not scores["Sentences"]["gold_total"]:
        raise MalformedLine(gold, 1, "the file has comments and no sentence", "at least one sentence")
    for name, score in scores.items():
        percentages = [score["precision"], score["recall"], score["f1"], score["aligned_accuracy"]]
        counts = [score["correct"], score["gold_total"], score["system_total"]]
        table.add_row(name, *map(_percent, percentages), *map(str, counts))
    return table.titled(f"CoNLL-2018 evaluation (%) of {system}", ["Punctuation counts but in CLAS, MLAS and BLEX."])


def _conll09(gold: Path, system: Path) -> Table:
    scores = conll2009.score_files(gold, system)
    table = Table(["metric"], ["%", "correct", "of"])
    for name, share in scores["syntactic"].items():
        table.add_row(
            f"syntactic {_score_in_words(name)}", _percent(share["percent"]), str(share["correct"]), str(share["total"])
        )
    for name, value in scores["semantic"].items():
        table.add_row(f"semantic {_score_in_words(name)}", *_semantic_cells(value))
    roles = scores["arguments_only"]
    for name, total in {"precision": "system", "recall": "gold"}.items():
        table.add_row(f"role {name}", _percent(roles[name]), str(roles["correct"]), str(roles[total]))
    table.add_row("role F1", _percent(roles["f1"]), "", "")
    return table.titled(f"CoNLL-2009 scorer (%) of {system}", ["Role scores leave the predicates out."])


def _spans(gold: Path, system: Path) -> Table:
    scores = conlleval.score_files(gold) if gold == system else conlleval.score_side_by_side(gold, system)
    table = Table(["type"], ["precision", "recall", "F1", "correct", "gold", "system"])
    counts = {"gold": scores["gold_phrases"], "found": scores["found_phrases"], "correct": scores["correct_phrases"]}
    for name, score in [("all types", {**scores, **counts}), *scores["types"].items()]:
        percentages = [score["precision"], score["recall"], score["f1"]]
        table.add_row(name, *map(_percent, percentages), *(str(score[key]) for key in ("correct", "gold", "found")))
    accuracy = f"Accuracy of the tags {_percent(scores['accuracy'])} over {scores['tokens']} tokens."
    source = "Tags: the last two columns." if gold == system else "Tags: the last column of either file."
    return table.titled(f"conlleval (%) of {system}", [accuracy, source])


def _bleu(gold: Path, system: Path) -> Table:
    scores = score_files([gold], system)
    table = Table(["metric"], ["value"])
    table.add_row("BLEU", _percent(scores["bleu"]))
    for n_words, precision in enumerate(scores["precisions"], start=1):
        table.add_row(f"precision of {n_words}-grams", f"{precision:.1f}")
    table.add_row("brevity penalty", f"{scores['brevity_penalty']:.3f}")
    table.add_row("words", str(scores["words"]))
    table.add_row("words of the reference", str(scores["reference_words"]))
    return table.titled(f"multi-bleu (%) of {system}", ["Words as they are, divided by white space."])


def _semantic_cells(value: float | dict) -> list[str]:
    """Returns the percentage and, where they are known, what is right of how many."""
    if isinstance(value, float):
        return [_percent(value), "", ""]
    if "total" in value:
        return [_percent(value["percent"]), str(value["correct"]), str(value["total"])]
    correct, total = value["correct_args"] + value["correct_preds"], value["total_args"] + value["total_preds"]
    return [_percent(value["percent"]), str(correct), str(total)]


def _score_in_words(name: str) -> str:
    return name.replace("_", " ").replace("f1", "F1").replace("las", "LAS").replace("uas", "UAS")


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


SCORERS: Mapping[str, Callable[[Path, Path], Table]] = {
    "bleu": _bleu,
    "conll09": _conll09,
    "spans": _spans,
    "ud": _ud,
}
"""What `score=` takes: a function of the gold file and the system file that returns the table of scores."""
