"""The folder of corpora of the miniature Turkish: layout, determinism, wholeness."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

import pytest
import yaml

from polyprobe.errors import MalformedLine
from polyprobe.formats.entities import entity_columns
from polyprobe.formats.probing_sets import linspector, senteval
from polyprobe.formats.roles import universal_propbank
from polyprobe.formats.treebanks import conllu, constituency_trees
from polyprobe.generation.mini import corpora
from polyprobe.generation.mini.corpora import digest, ensure, is_whole
from polyprobe.generation.sentence_tests.from_trees.tree_sentences import leaves

REPOSITORY = Path(__file__).parents[3]
WRITES = (
    "import sys; from pathlib import Path; from polyprobe.generation.mini.corpora import ensure; "
    "ensure(Path(sys.argv[1]), 1)"
)
NEWER = (
    *(
        "trees/",
        "parallel/",
        "ordered/",
        "senteval/mini/about/",
        "senteval/mini/top_constituents",
        "senteval/mini/obj_",
    ),
    *("senteval/mini/odd_", "senteval/mini/coordination_"),
)


@pytest.fixture(scope="module")
def folder(mini_folder, tmp_path_factory) -> Path:
    """A copy, in which tests may damage files."""
    return shutil.copytree(mini_folder, tmp_path_factory.mktemp("corpora") / mini_folder.name)


def test_the_folder_has_the_layout_of_published_data(folder):
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")}
    assert {f"srl/mini/mini-up-{split}.conllup" for split in ("train", "dev", "test")} <= files
    assert "linspector/type/mini/POS/train.txt" in files
    assert "linspector/token/mini/Part of Speech/test.txt" in files
    assert {f"ud/mini/{split}.conllu" for split in ("train", "dev", "test")} <= files
    assert {f"ner/mini/{split}.txt" for split in ("train", "dev", "test")} <= files
    assert {f"nli/mini/{split}.tsv" for split in ("train", "dev", "test")} <= files
    assert {"corpora/mini.txt", "corpora/mini_agreement.txt"} <= files
    assert "clams/eval/mini/simple_agrmt.txt" in files
    assert {f"trees/mini/{split}.tsv" for split in ("train", "dev", "test")} <= files
    assert {f"ordered/mini/{split}/stories.txt" for split in ("train", "dev", "test")} <= files
    parallel = {f"parallel/mini/{split}.{code}" for split in ("train", "dev", "test") for code in ("mini", "ana")}
    assert parallel <= files
    n_of_stories, n_of_trees = 3 + 3 + 6, 1 + 4 + 4 * 2
    assert len(files) == 1 + 3 + 3 + 3 + 3 + 1 + 3 + 3 + 5 * 11 + 5 * 9 + 6 + 9 + 9 + n_of_stories + n_of_trees


def test_the_role_corpus_is_read_by_the_reader_of_its_format(folder):
    path = folder / "srl/mini/mini-up-train.conllup"
    sentences = list(universal_propbank.universal_propbank_sentences(path, _refuse))
    assert len(sentences) == 1600
    assert sentences[0].identifier == "mini-train-1"
    assert sum(len(sentence.propositions) for sentence in sentences) > 1600


def test_the_treebank_has_the_sentences_of_the_role_corpus_and_their_trees(folder):
    trees = list(conllu.read(folder / "ud/mini/dev.conllu", _refuse))
    roles = list(conllu.read(folder / "srl/mini/mini-up-dev.conllup", _refuse))
    assert [[word.cells for word in tree.words] for tree in trees] == [
        [word.cells[:10] for word in one.words] for one in roles
    ]
    assert all([word.head for word in tree.words].count("0") == 1 for tree in trees)


def test_the_names_of_the_treebank_are_entities(folder):
    trees = conllu.read(folder / "ud/mini/dev.conllu", _refuse)
    tagged = entity_columns.entity_column_sentences(folder / "ner/mini/dev.txt", _refuse, "tab", ["token", "tag"])
    seen = set()
    for tree, sentence in zip(trees, tagged, strict=True):
        assert sentence.words == tuple(word.form for word in tree.words)
        assert [tag != "O" for tag in sentence.labels] == [word.upos == "PROPN" for word in tree.words]
        seen |= {(word.lemma, tag) for word, tag in zip(tree.words, sentence.labels, strict=True)}
    assert {("Leyla", "B-PER"), ("Ankara", "B-LOC")} <= seen


def test_the_plain_text_has_every_sentence_once_and_none_of_dev_or_test(folder):
    lines = (folder / "corpora/mini.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(set(lines)) == 5600
    for split in ("dev", "test"):
        sentences = conllu.read(folder / f"srl/mini/mini-up-{split}.conllup", _refuse)
        assert not {" ".join(word.form for word in sentence.words) for sentence in sentences} & set(lines)


def test_texts_are_the_words_with_their_spacing(folder):
    for sentence in conllu.read(folder / "srl/mini/mini-up-dev.conllup", _refuse):
        text = "".join(word.form + ("" if word.misc == "SpaceAfter=No" else " ") for word in sentence.words)
        assert conllu.comment_value(sentence.comments, "text") == text.rstrip(" ")


def test_spans_hold_the_head_of_their_argument(folder):
    for sentence in conllu.read(folder / "srl/mini/mini-up-dev.conllup", _refuse):
        for word in sentence.words:
            _, heads, spans = word.extra
            for head, span in zip(heads.split("|"), spans.split("|"), strict=True):
                assert head == span == "_" or _holds(span, head)


def test_probing_files_are_read_by_the_reader_of_their_format(folder):
    assert len(list(linspector.read_forms(folder / "linspector/type/mini/Case/train.txt", _refuse))) == 1400
    pairs = linspector.read_form_pairs(folder / "linspector/type/mini/OddFeat/test.txt", _refuse)
    assert len(list(pairs)) == 400
    tokens = linspector.read_tokens(folder / "linspector/token/mini/Person/test.txt", _refuse)
    assert len(list(tokens)) == 400
    sentences = senteval.read(folder / "senteval/mini/tree_depth.txt", _refuse)
    assert Counter(row.split for row in sentences) == {"train": 1400, "dev": 400, "test": 400}


def test_stories_are_the_same_sentences_as_trees_as_parallel_text_and_in_their_order(folder):
    for split in ("train", "dev", "test"):
        sentences = _lines(folder / f"parallel/mini/{split}.mini")
        assert len(_lines(folder / f"parallel/mini/{split}.ana")) == len(sentences)
        trees = [one.root for one in constituency_trees.read(folder / f"trees/mini/{split}.tsv", _refuse)]
        assert [" ".join(word for _, word in leaves(root)) for root in trees] == sentences
        ordered = _lines(folder / f"ordered/mini/{split}/stories.txt")
        assert [line for line in ordered if line] == sentences


def test_a_blank_line_is_between_two_stories_and_nowhere_else(folder):
    for split in ("train", "dev", "test"):
        trees = constituency_trees.read(folder / f"trees/mini/{split}.tsv", _refuse)
        stories = [[one.line for one in of_story] for _, of_story in groupby(trees, lambda one: one.document)]
        text = (folder / f"ordered/mini/{split}/stories.txt").read_text(encoding="utf-8")
        assert [len(story.split("\n")) for story in text.removesuffix("\n").split("\n\n")] == [*map(len, stories)]


def test_the_splits_of_stories_share_no_sentence(folder):
    splits = [set(_lines(folder / f"parallel/mini/{split}.mini")) for split in ("train", "dev", "test")]
    assert sum(map(len, splits)) == len(set.union(*splits))


@pytest.mark.parametrize(
    ("file", "labels"),
    [("obj_number", {"NN", "NNS"}), ("odd_man_out", {"C", "O"}), ("coordination_inversion", {"I", "O"})],
)
def test_tests_from_trees_have_equally_many_of_both_labels(folder, file, labels):
    rows = list(senteval.read(folder / f"senteval/mini/{file}.txt", _refuse))
    for split, least in (("train", 250), ("dev", 70), ("test", 70)):
        counts = Counter(row.label for row in rows if row.split == split)
        assert set(counts) == labels
        assert counts.total() >= least
        assert max(counts.values()) - min(counts.values()) <= 1


def test_ten_sequences_of_constituents_are_told_apart(folder):
    rows = list(senteval.read(folder / "senteval/mini/top_constituents.txt", _refuse))
    assert Counter(row.split for row in rows) == {"train": 1400, "dev": 400, "test": 400}
    assert {"NP_VP_.", "VP_.", "S_CC_S_.", "NP_ADJP_.", "OTHER"} < {row.label for row in rows}
    assert len({row.label for row in rows}) == 10


@pytest.mark.parametrize(
    ("is_new", "expected"),
    [(False, "c3af6ccfe8d7454b"), (True, "0fdcc5d7edb5cca3")],
    ids=["older files", "trees, stories and their translation"],
)
def test_the_files_are_the_same_on_every_machine(mini_folder, is_new, expected):
    """Published numbers rest on these bytes: whoever changes them on purpose makes the numbers again."""
    lines = (mini_folder / "manifest.tsv").read_text(encoding="utf-8").splitlines()
    chosen = [line for line in lines if line.split("\t")[1].startswith(NEWER) == is_new]
    assert hashlib.sha256("\n".join(chosen).encode()).hexdigest()[:16] == expected


def test_a_process_with_another_hash_seed_writes_the_same_bytes(folder, tmp_path):
    hash_seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    subprocess.run([sys.executable, "-c", WRITES, str(tmp_path)], cwd=REPOSITORY, env=environment, check=True)
    assert _digests(tmp_path) == _digests(folder.parent)


def test_the_files_that_the_language_names_are_there(folder):
    named = yaml.safe_load((REPOSITORY / "conf/lang/mini.yaml").read_text(encoding="utf-8"))["made_from"]
    paths = [path for value in named.values() for path in ([value] if isinstance(value, str) else value)]
    assert {path.partition("/")[0] for path in paths} == {"unimorph", "frequency", "ud", "wuggy", "corpora"}
    assert all((folder / path).exists() for path in paths)


def test_another_seed_has_another_folder(folder):
    assert digest(1) == folder.name.removeprefix("mini-")
    assert digest(2) != digest(1)


@pytest.mark.parametrize("source", ["type_level.py", "made_tests/languages.yaml", "mini/data/rules.yaml"])
def test_another_source_of_what_is_generated_has_another_folder(tmp_path, monkeypatch, source):
    shutil.copytree(REPOSITORY / "src/generation", tmp_path / "generation")
    monkeypatch.setattr(corpora, "GENERATION", tmp_path / "generation")
    before = digest(3)
    assert before == digest(3)
    with open(tmp_path / "generation" / source, "a") as file:
        file.write("# other\n")
    assert digest(3) != before


def test_a_whole_folder_is_left_alone(folder):
    before = (folder / "manifest.tsv").stat().st_mtime_ns
    assert ensure(folder.parent, seed=1) == folder
    assert (folder / "manifest.tsv").stat().st_mtime_ns == before


@pytest.mark.parametrize("file", ["manifest.tsv", "srl/mini/mini-up-dev.conllup"])
def test_a_folder_that_lacks_a_file_is_not_whole(folder, file):
    absent = (folder / file).rename(folder / "elsewhere")
    assert not is_whole(folder)
    absent.rename(folder / file)
    assert is_whole(folder)


def test_a_damaged_folder_is_made_again_and_what_a_killed_process_left_is_removed(folder, mini_folder, monkeypatch):
    monkeypatch.setattr(corpora, "write_corpora", lambda neighbour, seed: shutil.copytree(mini_folder, neighbour))
    file = folder / "linspector/type/mini/Case/dev.txt"
    content = file.read_bytes()
    file.write_bytes(content[:-10])
    left_over = folder.parent / f".{folder.name}.0f.tmp"
    (left_over / "srl").mkdir(parents=True)
    os.utime(left_over, (1e9, 1e9))
    ensure(folder.parent, seed=1)
    assert file.read_bytes() == content
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_of_two_writers_at_once_one_wins_and_nothing_is_left_behind(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(corpora, "write_corpora", lambda neighbour, seed: shutil.copytree(folder, neighbour))
    with ThreadPoolExecutor(2) as pool:
        folders = list(pool.map(lambda _: ensure(tmp_path, seed=1), range(2)))
    assert folders[0] == folders[1]
    assert [path.name for path in tmp_path.iterdir()] == [folders[0].name]


def test_an_interruption_leaves_nothing_behind(tmp_path, monkeypatch):
    def writes_half(folder, seed):
        (folder / "srl").mkdir(parents=True)
        raise KeyboardInterrupt

    monkeypatch.setattr(corpora, "write_corpora", writes_half)
    with pytest.raises(KeyboardInterrupt):
        ensure(tmp_path, seed=3)
    assert list(tmp_path.iterdir()) == []


def _refuse(place: MalformedLine) -> None:
    raise place


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def _holds(span: str, head: str) -> bool:
    role, _, ends = span.rpartition(":")
    start, end = map(int, ends.split("-"))
    return role == head.rpartition(":")[0] and start <= int(head.rpartition(":")[2]) <= end


def _digests(root: Path) -> dict[str, str]:
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
