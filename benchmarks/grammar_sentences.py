"""Sentences of a grammar written to a file: ours, and a list of partial sentences that grows slot by slot.

The list is the procedure by which the published sets of CLAMS were made (released code; the program itself is not run
here), written plainly; it holds all sentences at once. Each way runs in a fresh process, in turns, and writes the same
file; imports are not timed. A grammar of ten times as many sentences shows whether memory grows, ours alone.

Run: python -m benchmarks.grammar_sentences --folder <a folder with 2 GB free>
"""

import argparse
import zlib
from pathlib import Path

import numpy as np

from benchmarks.fresh_process import measured, print_table, run_way

SMALL, LARGE, WRITTEN = "small.avg", "large.avg", "written.txt"
N_NOUNS, N_VERBS, N_LAST = 50, 10, {SMALL: 20, LARGE: 200}


def streamed(folder: Path, name: str = SMALL) -> np.ndarray:
    from polyprobe.formats.grammars.avg import read
    from polyprobe.generation.grammars.evaluation_sets import write_published
    from polyprobe.generation.grammars.sentences import patterns

    write_published(patterns(read(folder / name)), folder / WRITTEN, lambda n_done: None)
    return _found(folder)


def line_by_line(folder: Path) -> np.ndarray:
    from polyprobe.formats.grammars.avg import read
    from polyprobe.formats.reading.lines import write_lines
    from polyprobe.generation.grammars.sentences import classic_blocks, patterns

    blocks = classic_blocks(patterns(read(folder / SMALL)))
    write_lines((line for block in blocks for line in block.splitlines()), folder / WRITTEN)
    return _found(folder)


def as_json(folder: Path) -> np.ndarray:
    from polyprobe.formats.grammars.avg import read
    from polyprobe.formats.minimal_sets.json_sets import write
    from polyprobe.generation.grammars.sentences import minimal_sets, patterns

    write(minimal_sets(patterns(read(folder / SMALL))), folder / WRITTEN)
    return _found(folder)


def growing_list(folder: Path) -> np.ndarray:
    from polyprobe.formats.grammars.avg import Slot, read

    grammar = read(folder / SMALL)
    with open(folder / WRITTEN, "w", encoding="utf-8") as file:
        for template in grammar.templates:
            partial = [(True, [])]
            for part in template.parts:
                if not isinstance(part, Slot):
                    partial = [(label, [*words, part]) for label, words in partial]
                    continue
                own = [one.text for one in grammar.preterminals[part]]
                if not grammar.is_varied(part):
                    partial = [(label, [*words, option]) for option in own for label, words in partial]
                    continue
                others = [[one.text for one in grammar.preterminals[rival]] for rival in grammar.rivals(part)]
                lexemes = list(zip(own, *others, strict=True))
                forms = [(n == 0, form) for lexeme in lexemes for n, form in enumerate(lexeme)]
                partial = [(label and good, [*words, form]) for label, words in partial for good, form in forms]
            file.writelines(f"{label}\t{' '.join(words)}\n" for label, words in partial)
    return _found(folder)


WAYS = {
    "ours": streamed,
    "ours, ten times as many": lambda folder: streamed(folder, LARGE),
    "ours, line by line, each checked": line_by_line,
    "ours, JSON lines of sets": as_json,
    "a list that grows": growing_list,
}


def main() -> None:
    arguments = _arguments()
    folder = arguments.folder
    if arguments.way:
        from polyprobe.generation.grammars import evaluation_sets  # noqa: F401  (imported before the clock starts)

        run_way(WAYS, arguments.way, folder)
        return
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for name in N_LAST:
            (folder / name).write_text(_grammar(N_LAST[name]), encoding="utf-8")
        results = measured("benchmarks.grammar_sentences", dict.fromkeys(WAYS, arguments.repetitions), folder)
    finally:
        for file in (*folder.glob("*.avg"), *folder.glob("*.npy"), folder / WRITTEN):
            file.unlink(missing_ok=True)
    print_table(results, {name: int(taken.vectors[1]) for name, taken in results.items()}, "a list that grows")
    for name, taken in results.items():
        print(f"{name:34} {taken.vectors[0]:>12,} lines, {taken.vectors[0] / taken.wall:>12,.0f} a second")
    same = {int(results[name].vectors[2]) for name in ("ours", "ours, line by line, each checked", "a list that grows")}
    print("The files are the same." if len(same) == 1 else "THE FILES DIFFER.")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where the files are made")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    return parser.parse_args()


def _grammar(n_last: int) -> str:
    """A relative clause and a place before the verb that varies: 50 x 50 x `n_last` x 10 sets of two sentences."""
    nouns = [f"N_{slot}[] {' | '.join(f'noun{slot}{n}' for n in range(N_NOUNS))}" for slot in (1, 2)]
    last = f"N_3[] {' | '.join(f'place{n}' for n in range(n_last))}"
    singular, plural = (" | ".join(f"verb{n}{end}" for n in range(N_VERBS)) for end in ("s", ""))
    template = "S[] the N_1[] that the N_2[] love near the N_3[] V[s]"
    return "\n".join(["vary: V[]", template, *nouns, last, f"V[s] {singular}", f"V[p] {plural}", ""])


def _found(folder: Path) -> np.ndarray:
    """Lines, bytes and checksum of what was written; read in pieces, so that it does not count in memory."""
    n_lines = n_bytes = checksum = 0
    with open(folder / WRITTEN, "rb") as file:
        while piece := file.read(1 << 20):
            n_lines, n_bytes, checksum = n_lines + piece.count(b"\n"), n_bytes + len(piece), zlib.crc32(piece, checksum)
    return np.array([n_lines, n_bytes, checksum])


if __name__ == "__main__":
    main()
