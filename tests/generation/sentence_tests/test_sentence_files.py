import json
import os
import signal
import subprocess
import sys
import textwrap

import pytest

from polyprobe.formats.probing_sets import senteval
from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.sentence_tests.labelled_sentences import LabelledSentence
from polyprobe.generation.sentence_tests.sentence_splits import origins_of, write_sentence_test
from polyprobe.probing.suites.own import own_suite


def write(folder, *words, statistics=None):
    sentence = LabelledSentence(words, "PAST", ("saw",), "d1", {"file": "a.tsv", "line": 7})
    items = {"train": [sentence], "dev": [sentence], "test": [sentence, sentence]}
    rows = {split: [(" ".join(words), "PAST")] * len(of_split) for split, of_split in items.items()}
    write_sentence_test(folder, "Tense", rows, origins_of(items), statistics or {})


def test_a_test_is_one_file_of_sentevals_and_a_folder_about_it(tmp_path):
    write(tmp_path, "He", "saw", statistics={"test": "Tense"})
    assert (tmp_path / "Tense.txt").read_text() == "tr\tPAST\tHe saw\nva\tPAST\tHe saw\n" + "te\tPAST\tHe saw\n" * 2
    origins = [json.loads(line) for line in (tmp_path / "about/Tense/origin.jsonl").read_text().splitlines()]
    assert [(one["row"], one["split"]) for one in origins] == [(1, "train"), (2, "dev"), (3, "test"), (4, "test")]
    assert origins[0] == {
        **{"row": 1, "split": "train", "label": "PAST", "targets": ["saw"]},
        **{"file": "a.tsv", "line": 7},
    }
    assert json.loads((tmp_path / "about/Tense/statistics.json").read_text())["test"] == "Tense"
    assert sorted(os.listdir(tmp_path)) == ["Tense.txt", "about"]


def test_what_is_said_about_tests_is_no_test_to_probe(tmp_path):
    write(tmp_path, "He", "saw")
    both = {"name": "own", "level": "sentence", "lowercase": False}
    suite = own_suite(str(tmp_path), "senteval", [], 0, end_of_sentence=None, capitalise=False, **both)
    assert suite.tests == ["Tense"]


def test_an_earlier_test_is_replaced_whole(tmp_path):
    write(tmp_path, "He", "saw")
    write(tmp_path, "It", "is")
    assert {row.sentence for row in senteval.read(tmp_path / "Tense.txt", refuse)} == {"It is"}


def test_a_sentence_that_cannot_be_written_leaves_no_test(tmp_path):
    with pytest.raises(Exception, match="has a tab"):
        write(tmp_path, "He", "s\taw")
    assert not (tmp_path / "Tense.txt").exists()


def test_a_process_that_is_killed_while_writing_leaves_no_test(tmp_path):
    write(tmp_path, "He", "saw")
    script = """
        import os, signal, sys
        from pathlib import Path
        from polyprobe.generation.sentence_tests.sentence_splits import write_sentence_test

        def origins():
            yield from ({}, {})
            os.kill(os.getpid(), signal.SIGKILL)

        rows = {split: [("It is", "PRES")] for split in ("train", "dev", "test")}
        write_sentence_test(Path(sys.argv[1]), "Tense", rows, origins(), {})
    """
    killed = subprocess.run([sys.executable, "-c", textwrap.dedent(script), str(tmp_path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "Tense.txt").exists()
    write(tmp_path, "It", "is")
    assert (tmp_path / "Tense.txt").read_text().startswith("tr\tPAST\tIt is\n")
