"""Who begins with an empty data folder can train: what a default needs is published, or another corpus is."""

import pytest
from omegaconf import OmegaConf

from polyprobe.datamodules.corpora.labelled_corpora import chosen_corpus, file_names
from polyprobe.resources.pinned_files import source_of
from polyprobe.runs.names.conf_folders import corpora_of_task

NOT_PUBLISHED = ("parallel/europarl/", "trees/europarl/", "ordered/", "nli/en_allnli/")
OF_THE_USER = ("srl/conll2009/", "nli/xnli/")  # of the LDC; in archives on XNLI's page
TASKS = ("dep", "ner", "nli", "pos", "srl")
PAIRS = [(task, lang) for task in TASKS for lang in corpora_of_task(task) if lang != "mini"]


def missing(corpora):
    """Returns the files of corpora that are neither published nor known as what the user has to bring."""
    files = sorted({target for corpus in corpora for target in targets(corpus)})
    return [file for file in files if source_of(file) is None and not file.startswith(OF_THE_USER)]


def targets(corpus):
    splits = [corpus["train"], corpus["dev"], corpus["test"], *corpus.get("treebank", {}).values()]
    beside = [one["file"] for one in corpus.get("beside", {}).values()]
    return {target for one in [*splits, *beside] for target in ([one] if isinstance(one, str) else one)}


@pytest.mark.parametrize(("task", "lang"), PAIRS)
def test_every_file_of_the_default_corpus_can_be_fetched_into_an_empty_folder(task, lang, tmp_path):
    data = corpora_of_task(task)[lang]["data"]
    corpus = data["corpora"][chosen_corpus({"on_malformed": None, **data}, tmp_path)]
    assert missing([corpus]) == []


@pytest.mark.parametrize("lang", [lang for task, lang in PAIRS if task == "nli"])
def test_every_published_corpus_of_inference_can_be_fetched(lang):
    assert missing(corpora_of_task("nli")[lang]["data"]["corpora"].values()) == []


def test_what_sentence_encoders_learn_from_can_be_fetched_but_for_novels_and_the_largest_corpora():
    read, files = OmegaConf.create(corpora_of_task("sentence")["en"]), set()
    for target in ("de", "fr"):
        read.data.target = target
        corpora = OmegaConf.to_container(read, resolve=True)["data"]["corpora"]
        files |= {file for name, corpus in corpora.items() for file in file_names(name, corpus)}
    not_known = {file for file in files if source_of(file) is None}
    assert {file for file in not_known if not file.startswith(NOT_PUBLISHED)} == set()
    assert {prefix for prefix in NOT_PUBLISHED if any(file.startswith(prefix) for file in not_known)} == {
        *NOT_PUBLISHED
    }
