import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from polyprobe.formats.probing_sets import linspector
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.generation.made_tests.writing import Source
from polyprobe.generation.maker import LeftOut, Written
from polyprobe.generation.pseudo_tests.lexicon_words import pseudo_options
from polyprobe.generation.pseudoword_tests import PseudowordTests
from polyprobe.splits import SPLITS
from tests.generation.pseudoword_windows import candidates
from tests.generation.syllabified import rule_made_words, write_lexicon

ROOT = Path(__file__).parents[3]
SMALL = {"train": 350, "dev": 100, "test": 50}


def written_lexicon(folder: Path, n: int = 420, **ends: str) -> Source:
    return Source(write_lexicon(folder / "lexicon.txt", rule_made_words(n), **ends), "CC BY-SA 4.0", "1a2b")


def word_list(folder: Path, words: list[str]) -> Source:
    (folder / "words.txt").write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    return Source(folder / "words.txt")


def made(folder: Path, syllables: Source | None, frequency: Source | None = None, rules="article", **changes):
    options = pseudo_options(rules, "tr", True, 1, **{"items": SMALL, **changes})
    files = {"syllables": [syllables] if syllables else [], "frequency": [frequency] if frequency else []}
    (outcome,) = PseudowordTests(options, files, refuse).make(folder / "made", None)
    return outcome


def origins(folder: Path) -> list[dict]:
    lines = (folder / "made/Pseudo/origin.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def listed(folder: Path) -> list[dict[str, str]]:
    header, *rows = (folder / "made/pseudowords.tsv").read_text(encoding="utf-8").splitlines()
    return [dict(zip(header.split("\t"), row.split("\t"), strict=True)) for row in rows]


@pytest.fixture(scope="module")
def by_seed(tmp_path_factory) -> Path:
    """The test that is made of 420 words unless options say otherwise."""
    folder = tmp_path_factory.mktemp("by_seed")
    assert isinstance(made(folder, written_lexicon(folder)), Written)
    return folder


def test_every_split_has_as_many_words_as_pseudowords_of_the_same_lengths(by_seed):
    for split, size in SMALL.items():
        rows = list(linspector.read_forms(by_seed / f"made/Pseudo/{split}.txt", refuse))
        assert Counter(row.label for row in rows) == {"0": size / 2, "1": size / 2}
        lengths = [sorted(len(row.forms[0]) for row in rows if row.label == label) for label in "01"]
        assert lengths[0] == lengths[1]


def test_words_and_pseudowords_are_distinct_and_no_pseudoword_is_a_word(by_seed):
    forms = [origin["forms"][0] for origin in origins(by_seed)]
    assert len(set(forms)) == len(forms) == 500
    words = {word.replace("-", "") for word in rule_made_words(420)}
    assert all((origin["forms"][0] in words) == (origin["label"] == "1") for origin in origins(by_seed))


def test_no_pseudoword_stands_in_another_split_than_its_word(by_seed):
    splits: dict[str, set[str]] = {}
    for origin in origins(by_seed):
        splits.setdefault(origin["seed_word"], set()).add(origin["split"])
    assert {len(of_word) for of_word in splits.values()} == {1}
    assert Counter(split for (split,) in splits.values()) == {split: size / 2 for split, size in SMALL.items()}


def test_the_rows_and_their_origins_stand_in_the_same_order(by_seed):
    rows = [
        (split, line, row.forms[0], row.label)
        for split in SPLITS
        for line, row in enumerate(linspector.read_forms(by_seed / f"made/Pseudo/{split}.txt", refuse), start=1)
    ]
    assert rows == [(one["split"], one["line"], one["forms"][0], one["label"]) for one in origins(by_seed)]


def test_every_pseudoword_of_the_list_was_first_found_in_its_window(by_seed):
    for row in listed(by_seed)[::40]:
        found = candidates(by_seed / "lexicon.txt", "tr", row["Word"], 40)
        assert row["Match"] in found[int(row["Window"])]


def test_no_word_has_more_pseudowords_than_wanted_and_each_row_has_its_statistics(by_seed):
    rows = listed(by_seed)
    assert max(Counter(row["Word"] for row in rows).values()) == 5
    assert all(row["Lexicality"] == "N" and float(row["Old20"]) > 0 for row in rows)
    assert all(abs(int(row["Maxdeviation"])) <= int(row["Window"]) for row in rows)


def test_statistics_say_what_went_and_what_is_shared(by_seed):
    statistics = json.loads((by_seed / "made/Pseudo/statistics.json").read_text(encoding="utf-8"))
    assert statistics["duplicates"] == 0
    assert statistics["shared_with_train"] == {key: {"dev": 0, "test": 0} for key in ("seed_word", "form")}
    assert statistics["majority"]["accuracy"] == statistics["memoriser"] == 0.5
    assert statistics["made_from"][0]["licence"] == "CC BY-SA 4.0"
    assert statistics["pseudowords"]["seed_words"] == 420
    assert {step["filter"]: step["left"] for step in statistics["filters"]}["not drawn"] == 250


def test_pseudowords_that_a_frequency_list_has_are_replaced_by_others(by_seed, tmp_path):
    attested = listed(by_seed)[0]["Match"]
    outcome = made(tmp_path, written_lexicon(tmp_path), word_list(tmp_path, [attested.upper(), "ev"]))
    assert attested not in {row["Match"] for row in listed(tmp_path)}
    taken = {step["filter"]: step["taken"] for step in outcome.statistics["filters"]}
    assert taken["words of the frequency list"] == 1
    made(tmp_path, written_lexicon(tmp_path), word_list(tmp_path, [attested]), listed_words="kept")
    assert attested in {row["Match"] for row in listed(tmp_path)}


def test_ranks_are_those_of_the_frequency_list(tmp_path):
    words = [word.replace("-", "") for word in rule_made_words(420)]
    outcome = made(tmp_path, written_lexicon(tmp_path), word_list(tmp_path, words[::-1]))
    ranks = {origin["forms"][0]: origin["ranks"][0] for origin in origins(tmp_path)}
    assert all(rank == (words[::-1].index(form) + 1 if form in words else None) for form, rank in ranks.items())
    assert outcome.statistics["frequent_share"] == dict.fromkeys(SPLITS, 0.5)


def test_the_released_rules_draw_rows_by_a_coin(tmp_path):
    made(tmp_path, written_lexicon(tmp_path), rules="released", split="random")
    rows = origins(tmp_path)
    n_words = Counter(row["label"] for row in rows)["1"]
    assert 200 < n_words < 300
    assert n_words != 250  # of this seed
    words = [row["seed_word"] for row in rows if row["label"] == "1"]
    assert len(set(words)) == len(words)
    splits: dict[str, set[str]] = {}
    for row in rows:
        splits.setdefault(row["seed_word"], set()).add(row["split"])
    assert any(len(of_word) > 1 for of_word in splits.values())


def test_a_small_lexicon_has_a_scaled_test_or_a_list_alone(tmp_path):
    outcome = made(tmp_path, written_lexicon(tmp_path, 200))
    assert isinstance(outcome, LeftOut)
    assert "500 are requested. For the largest possible test: pseudowords.sizes=scaled" in outcome.reason
    assert sorted(os.listdir(tmp_path / "made")) == ["pseudowords.tsv"]
    scaled = made(tmp_path, written_lexicon(tmp_path, 200), sizes="scaled")
    assert sum(scaled.statistics["items"].values()) in (300, 400)
    few = made(tmp_path / "few", written_lexicon(tmp_path, 90), sizes="scaled")
    assert "(minimum 300)." in few.reason


def test_plain_words_are_enough(tmp_path):
    words = [word.replace("-", "") for word in rule_made_words(420)]
    outcome = made(tmp_path, None, word_list(tmp_path, words), nuclei="general")
    assert sum(outcome.statistics["items"].values()) == 500


def test_malformed_rows_are_skipped_and_counted(tmp_path):
    source = written_lexicon(tmp_path)
    with open(source.path, "a", encoding="utf-8") as file:
        file.write("ek\tek\t1.0\tN;NOM\n")
    options = pseudo_options("article", "tr", True, 1, items=SMALL)
    (outcome,) = PseudowordTests(options, {"syllables": [source]}, Skipped()).make(tmp_path / "made", None)
    assert outcome.statistics["lexicon"]["malformed_rows_left_out"] == 1


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_bytes_come_of_another_order_of_sets_and_other_line_ends(by_seed, tmp_path):
    written_lexicon(tmp_path)
    program = "\n".join(
        [
            "import sys; from pathlib import Path",
            "from polyprobe.formats.reading.malformed import refuse",
            "from polyprobe.generation.made_tests.writing import Source",
            "from polyprobe.generation.pseudo_tests.lexicon_words import pseudo_options",
            "from polyprobe.generation.pseudoword_tests import PseudowordTests",
            f"options = pseudo_options('article', 'tr', True, 1, items={SMALL})",
            "folder = Path(sys.argv[1])",
            "source = Source(folder / 'lexicon.txt', 'CC BY-SA 4.0', '1a2b')",
            "list(PseudowordTests(options, {'syllables': [source]}, refuse).make(folder / 'made', None))",
        ]
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, env=environment, check=True)
    assert files(tmp_path / "made") == files(by_seed / "made")
    made(tmp_path / "marked", written_lexicon(tmp_path, ends="\r\n", start="\ufeff"))
    marked = files(tmp_path / "marked/made")
    assert {k: v for k, v in marked.items() if "statistics" not in k} == {
        k: v for k, v in files(by_seed / "made").items() if "statistics" not in k
    }
