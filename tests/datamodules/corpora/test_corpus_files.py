"""Where a datamodule's examples come from: what is missing is made or fetched, and nothing is read before."""

import pytest

from polyprobe.datamodules.corpora.corpus_files import CorpusFiles
from polyprobe.resources.download import MissingFile
from polyprobe.runs.workspace import Workspace

MADE = {"_target_": "polyprobe.resources.mini_corpora.ensure", "seed": 1}
ENTRY = {
    "reader": "polyprobe.formats.treebanks.labelled_words.universal_pos_sentences",
    **{split: f"ud/mini/{split}.conllu" for split in ("train", "dev", "test")},
}


def files(folder, **changed) -> CorpusFiles:
    settings = {"settings": ENTRY, "lang": {"generator": MADE}, **changed}
    workspace = Workspace(folder / "data", folder / "work", mirror=None)
    return CorpusFiles("mini", on_malformed=None, max_words=None, workspace=workspace, **settings)


def test_a_generated_language_is_made_when_the_corpus_is_prepared(mini_folder, tmp_path):
    source = files(tmp_path)
    assert not (tmp_path / "work").exists()
    source.prepare()
    (made,) = (tmp_path / "work/cache").iterdir()
    assert made.name == mini_folder.name
    made_at = (made / "ud/mini/train.conllu").stat().st_mtime_ns
    files(tmp_path).prepare()
    assert (made / "ud/mini/train.conllu").stat().st_mtime_ns == made_at


@pytest.mark.parametrize(
    "missing",
    [
        {"dev": "absent.conllu"},
        {
            "reader": "universal_propbank_standoff_sentences",
            "treebank": dict.fromkeys(("train", "dev", "test"), "absent.conllu"),
        },
        {"beside": {"more": {"reader": "universal_pos_sentences", "file": "absent.conllu"}}},
    ],
)
def test_every_file_of_a_corpus_is_there_once_it_is_prepared(missing, mini_folder, tmp_path):
    (tmp_path / "data").symlink_to(mini_folder)
    files(tmp_path, lang={"generator": None}).prepare()
    with pytest.raises(MissingFile, match=r"absent\.conllu"):
        files(tmp_path, lang={"generator": None}, settings={**ENTRY, **missing}).prepare()
