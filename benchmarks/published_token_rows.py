"""The rows of LINSPECTOR's published token-level tests that stand in sentences of a treebank at hand.

Writes these rows as tests of their own, and prints of each test how many there are in train, dev and test, how many of
the test items stand in sentences of train, and in how many the label that train gives most often to the form is right
(an unknown form has train's commonest label): of the rows that stand in the treebank, and of the others. Tokens of the
treebank are joined as the released program does.

Run: POLYPROBE_DATA=… python -m benchmarks.published_token_rows --language turkish --code tr --treebank tr_imst \\
    --folder <empty folder>
"""

import argparse
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from pathlib import Path

from polyprobe.formats.probing_sets import linspector
from polyprobe.formats.probing_sets.linspector import TokenRow
from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.token_tests.token_level_options import token_options_of
from polyprobe.generation.token_tests.treebank_tokens import read_treebanks
from polyprobe.splits import SPLITS


def main() -> None:
    arguments = _arguments()
    data = Path(os.environ["POLYPROBE_DATA"])
    files = sorted((data / "ud" / arguments.treebank).glob("*.conllu"))
    known = set(read_treebanks(files, [], token_options_of("released", arguments.code, 1), refuse).texts)
    for test in sorted((data / "linspector/token" / arguments.language).iterdir()):
        rows = {split: list(linspector.read_tokens(test / f"{split}.txt", refuse)) for split in SPLITS}
        in_treebank = {split: [row for row in rows[split] if _text(row) in known] for split in SPLITS}
        _write(in_treebank, arguments.folder / test.name)
        counts = "/".join(f"{len(some):,}" for some in in_treebank.values())
        print(f"{test.name}: in the treebank {counts}; {_said(rows, known)}")


def _said(rows: dict[str, list[TokenRow]], known: Set[str]) -> str:
    """Says what train knows of the test items."""
    of_train = {_text(row) for row in rows["train"]}
    is_right = _memoriser(rows["train"])
    inside, outside = ([row for row in rows["test"] if (_text(row) in known) == wanted] for wanted in (True, False))
    return (
        f"sentence in train {_percent([_text(row) in of_train for row in rows['test']])}; "
        f"memoriser in the treebank {_percent(map(is_right, inside))}, elsewhere {_percent(map(is_right, outside))}"
    )


def _text(row: TokenRow) -> str:
    return " ".join(row.words)


def _memoriser(train: Sequence[TokenRow]) -> Callable[[TokenRow], bool]:
    """Returns what says whether the label that train gives most often to the form of a row is right."""
    labels: dict[str, Counter[str]] = {}
    for row in train:
        labels.setdefault(row.words[row.index], Counter())[row.label] += 1
    of_all = Counter(row.label for row in train)
    return lambda row: labels.get(row.words[row.index], of_all).most_common(1)[0][0] == row.label


def _write(rows: dict[str, list[TokenRow]], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for split, of_split in rows.items():
        lines = [f"{_text(row)}\t{row.index}\t{row.label}\n" for row in of_split]
        (folder / f"{split}.txt").write_text("".join(lines), encoding="utf-8")


def _percent(found: Iterable[bool]) -> str:
    answers = list(found)
    return f"{100 * sum(answers) / len(answers):.0f} %" if answers else "–"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", required=True, help="folder of the published tests")
    parser.add_argument("--code", required=True, help="of the language, ISO 639-1")
    parser.add_argument("--treebank", required=True, help="folder below ud/")
    parser.add_argument("--folder", type=Path, required=True, help="into which the rows are written")
    return parser.parse_args()


if __name__ == "__main__":
    main()
