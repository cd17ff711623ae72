"""X-Probe's English tests (Ravishankar et al. 2019), cut to 1,000, 100 and 300 rows as in docs/sentence_tests.md.

Test rows are drawn from `te`, the others from `va` (from `te`, where `va` is missing); no sentence is drawn twice, as
both may be one file (TreeDepth). WC has every sixth of its words, so that each keeps some rows. The rows are written in
SentEval's format, for `probe.py suite=own`.

Run: POLYPROBE_DATA=… python -m benchmarks.cut_xprobe --folder <empty folder>
"""

import argparse
import os
import random
from pathlib import Path

TESTS = {
    "SentLen": "sentence_length",
    "WC": "word_content",
    "TreeDepth": "tree_depth",
    "BShift": "bigram_shift",
    "Tense": "past_present",
    "SubjNum": "subj_number",
    "ObjNum": "obj_number",
    "SOMO": "odd_man_out",
    "CoordInv": "coordination_inversion",
}
N_TRAIN, N_DEV, N_TEST = 1000, 100, 300
Rows = list[list[str]]  # sentence and label


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="into which the tests are written")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for test, name in TESTS.items():
        published = Path(os.environ["POLYPROBE_DATA"]) / "xprobe/en" / name
        lines = [f"{part}\t{label}\t{sentence}\n" for part, sentence, label in _cut(test, published)]
        (folder / f"{test}.txt").write_text("".join(lines), encoding="utf-8")
        print(f"{test}: {len(lines):,} rows")


def _cut(test: str, published: Path) -> list[tuple[str, str, str]]:
    generator = random.Random(f"xprobe {test} 1")
    of_test = _rows(published / "te.txt")
    of_dev = _rows(published / "va.txt") if (published / "va.txt").exists() else of_test
    if test == "WC":
        kept = set(sorted({label for _, label in of_dev})[::6])
        of_test, of_dev = ([row for row in rows if row[1] in kept] for rows in (of_test, of_dev))
    seen: set[str] = set()
    test_rows = _drawn(of_test, N_TEST, generator, seen)
    others = _drawn(of_dev, N_TRAIN + N_DEV, generator, seen)
    parts = {"tr": others[:N_TRAIN], "va": others[N_TRAIN:], "te": test_rows}
    return [(part, sentence, label) for part, rows in parts.items() for sentence, label in rows]


def _rows(path: Path) -> Rows:
    return [line.rsplit("\t", 1) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def _drawn(rows: Rows, n_rows: int, generator: random.Random, seen: set[str]) -> Rows:
    """Draws rows whose sentence was not seen, and notes them as seen."""
    drawn, shuffled = [], list(rows)
    generator.shuffle(shuffled)
    for row in shuffled:
        if row[0] not in seen and len(drawn) < n_rows:
            seen.add(row[0])
            drawn.append(row)
    return drawn


if __name__ == "__main__":
    main()
