"""`data=<file or folder>`: which keys it stands for, what is refused."""

import csv
import re

import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.runs.command.compose import compose
from polyprobe.runs.command.overrides import CommandLineError
from polyprobe.runs.command.own_data import with_own_data
from tests.commands.scripts import ROOT
from tests.formats.small_files import KINDS

PARTS = "shares: {train: [0,0.8], dev: [0.8,0.9], test: [0.9,1]}"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for kind, content in KINDS.items():
        (tmp_path / kind).write_text(content, encoding="utf-8")
    (tmp_path / "names").write_text("word,label\n", encoding="utf-8")
    return tmp_path


def write(folder, name, content):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(content, encoding="utf-8")


def one_file(reader, file, *options, drawn=True):
    parts = [*options, *(f"{split}: {file}" for split in ("train", "dev", "test")), PARTS]
    return f"{{reader: {reader}, {', '.join(parts)}{', split_seed: 1' if drawn else ''}}}"


@pytest.mark.parametrize(
    ("file", "more", "keys"),
    [
        ("table", [], ["suite=table", "suite.level=type", "suite.columns=[word,label]"]),
        ("objects", [], ["suite=table", "suite.level=type", "suite.format=objects", "suite.word=form"]),
        (
            "tokens",
            [],
            ["suite=table", "suite.level=token", "suite.columns=[sentence,index,label]", "suite.index=index"],
        ),
        ("treebank", [], ["suite=own", "suite.format=conllu", "suite.level=token", "suite.column=upos"]),
        (
            "treebank",
            ["columns={label: feats.Case}"],
            ["suite=own", "suite.format=conllu", "suite.level=token", "suite.column=feats.Case"],
        ),
        ("senteval", [], ["suite=own", "suite.format=senteval"]),
        ("clams", ["predictor=lstm"], ["suite=own", "suite.format=clams"]),
        ("blimp", ["check=true"], ["suite=own", "suite.format=blimp"]),
        ("clams", ["suite.format=table", "suite.columns=[label,sentence]"], ["suite=table", "suite.level=sentence"]),
        ("table", ["suite.format=linspector"], ["suite=own"]),
        ("table", ["suite.level=sentence"], ["suite=table", "suite.columns=[word,label]"]),
    ],
)
def test_data_to_probe_with_stand_for_the_keys_of_a_suite(file, more, keys):
    path = [f"suite.path={file}"]
    expected = [keys[0], *path, *keys[1:]]
    assert with_own_data("probe", [f"data={file}", *more]) == [
        *expected,
        *(one for one in more if not one.startswith("columns")),
    ]


@pytest.mark.parametrize(
    ("part", "content", "keys"),
    [
        ("train.txt", "a\tX\nb\tY\n", ["suite.format=linspector", "suite.level=type"]),
        ("train.txt", KINDS["tokens"], ["suite.format=linspector", "suite.level=token"]),
        ("tr.txt", "a b\tX\nb c\tY\n", ["suite.format=xprobe"]),
    ],
)
def test_a_folder_of_folders_is_a_suite(part, content, keys, folder):
    (folder / "sets").mkdir()
    write(folder, f"sets/Case/{part}", content)
    assert with_own_data("probe", ["data=sets"]) == ["suite=own", "suite.path=sets", *keys]


@pytest.mark.parametrize(
    ("header", "more", "keys"),
    [
        ("text,class", [], ["suite.level=sentence", "suite.sentence=text", "suite.label=class"]),
        ("form,case", [], ["suite.level=type", "suite.word=form", "suite.label=case"]),
        ("sentence,word,label", [], ["suite.level=token"]),
        ("word,pos,case", ["columns=label:case"], ["suite.level=type", "suite.label=case"]),
        ("id,word,label,split", [], ["suite.level=type", "suite.split=split"]),
        ('"my word",label', ["columns=word:my word"], ["suite.level=type", 'suite.word="my word"']),
        ("word,null", [], ["suite.level=type", 'suite.label="null"']),
        ("word,a\\b", [], ["suite.level=type", 'suite.label="a\\b"']),
        ("word,${oc.env:HOME}", [], ["suite.level=type", 'suite.label="\\${oc.env:HOME}"']),
        ('word,"a,b",c', ['columns={label: "a,b"}'], ["suite.level=type", 'suite.label="a,b"']),
    ],
)
def test_columns_are_known_by_their_names_or_named(header, more, keys, folder):
    n_columns = len(next(csv.reader([header])))
    write(
        folder,
        "mine.csv",
        f"{header}\n" + "".join(f"{','.join(f'a{n} b'[: 2 + n % 2] for _ in range(n_columns))}\n" for n in range(4)),
    )
    found = with_own_data("probe", ["data=mine.csv", *more])
    assert found[: 2 + len(keys)] == ["suite=table", "suite.path=mine.csv", *keys]


def test_of_two_columns_without_names_the_one_with_blanks_is_the_sentence(folder):
    write(folder, "mine.tsv", "X\ta b\nY\tb c\nX\tc d\n")
    assert with_own_data("probe", ["data=mine.tsv"])[2:] == ["suite.level=sentence", "suite.columns=[label,sentence]"]


def test_minimal_pairs_with_names_of_ones_own_are_pairs(folder):
    write(folder, "mine.csv", "richtig,falsch\na b,b a\n")
    typed = ["data=mine.csv", "columns={good: richtig, bad: falsch}", "predictor=lstm"]
    assert with_own_data("probe", typed)[:4] == [
        "suite=pairs", "suite.path=mine.csv", "suite.good=richtig", "suite.bad=falsch",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("task", "file", "entry"),
    [
        ("pos", "treebank", one_file("universal_pos_sentences", "treebank")),
        ("dep", "treebank", one_file("dependency_sentences", "treebank")),
        ("srl", "propbank", one_file("universal_propbank_sentences", "propbank")),
        ("srl", "conll2009", one_file("conll2009_word_sentences", "conll2009")),
        ("lm", "text", one_file("text_sentences", "text", drawn=False)),
        ("word_vectors", "text", "{reader: text_sentences, train: text}"),
        (
            "ner",
            "entities",
            one_file(
                "entity_column_sentences",
                "entities",
                "reader_options: {separator: space, columns: [token,column2,tag]}",
            ),
        ),
    ],
)
def test_data_to_train_on_are_a_corpus(task, file, entry):
    expected = ["data.corpus=mine", f"+data.corpora.mine={entry}", "lang=und", f"task={task}"]
    assert with_own_data("train", [f"task={task}", f"data={file}"]) == expected


def test_pairs_of_sentences_are_read_by_the_names_of_their_columns(folder):
    write(folder, "nli.tsv", "sentence1\tsentence2\tgold_label\na b\tb\tneutral\nb c\tc\tentailment\n")
    options = "{separator: tab, premise: sentence1, hypothesis: sentence2, label: gold_label}"
    entry = one_file("table_pairs", "nli.tsv", f"reader_options: {options}")
    assert f"+data.corpora.mine={entry}" in with_own_data("train", ["task=nli", "data=nli.tsv"])


def test_files_named_for_the_splits_are_these(folder):
    for name in ("xx-train.tsv", "xx-valid.tsv", "xx-test.tsv", "README.md"):
        write(folder, f"ud/{name}", KINDS["treebank"])
    entry = "{reader: dependency_sentences, train: ud/xx-train.tsv, dev: ud/xx-valid.tsv, test: ud/xx-test.tsv}"
    assert f"+data.corpora.mine={entry}" in with_own_data("train", ["task=dep", "data=ud"])


def test_translations_are_found_by_the_endings_of_files(folder):
    for split in ("train", "dev", "test"):
        write(folder, f"par/{split}.xno", "a b\n")
        write(folder, f"par/{split}.en", "the a b\n")
    further = "{objective: nmt, reader: parallel_sentences, further_files: {target: {replace: .en, by: .xno}}, "
    entry = f"+data.corpora.mine={further}train: par/train.en, dev: par/dev.en, test: par/test.en}}"
    assert entry in with_own_data("train", ["task=sentence", "data=par", "lang=en"])
    with pytest.raises(PolyprobeError, match=r"the direction is not clear\. Expected lang=en or lang=xno"):
        with_own_data("train", ["task=sentence", "data=par"])


@pytest.mark.parametrize(
    ("command", "typed", "words"),
    [
        ("probe", ["data=tabel"], "there is no .*/tabel. Did you mean table?"),
        ("probe", ["data=table", "data=text"], "data= must be one file or one folder"),
        ("probe", ["data=text"], "running text, which has no labels. To train a model on it: .* task=lm data=text"),
        ("probe", ["data=vectors"], "encoder=static_vectors encoder.path=vectors"),
        ("probe", ["data=table", "suite=senteval"], "data= and suite=senteval exclude each other"),
        ("probe", ["data=names"], "the names in its first line, and no rows below"),
        ("probe", ["data=table", "predictor=causal"], "Expected a first line with their names, good<tab>bad"),
        ("probe", ["data=objects", "predictor=causal"], "scores minimal pairs. Expected 'columns={good: …, bad: …}'"),
        ("probe", ["data=blimp"], "minimal pairs, to evaluate a language model on. Add predictor="),
        ("probe", ["data=clams"], r"suite.format=table 'suite.columns=\[label,sentence\]'"),
        ("probe", ["data=table", "columns={labl: x}"], 'columns: the role "labl" is unknown. Did you mean label'),
        ("probe", ["data=objects", "columns={word: fom}"], 'the column "fom" is unknown. Did you mean form'),
        ("probe", ["data=table", "suite.separator='|'"], 'suite.separator "|" is unknown. Known: comma, '),
        ("train", ["data=treebank"], "which of these\\? Expected task=pos or task=dep or task=sentence obj"),
        ("train", ["data=text", "task=pos"], "running text, which task=pos does not read. It is for task=lm"),
    ],
)
def test_what_is_of_no_use_is_answered_with_what_is(command, typed, words):
    with pytest.raises((PolyprobeError, CommandLineError), match=words):
        with_own_data(command, typed)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("word,pos,case\na,b,c\n", "which of them is the label? Its columns are word, pos, case."),
        (
            "id,remark,register\n1,a b,X\n2,c d,Y\n3,e,X\n",
            "which of them is the text (word or sentence) and which the label?",
        ),
        ("a, b\tX\nc, d\tY\n", "Expected suite.separator=tab or suite.separator=comma"),
        ("premise,hypothesis,label\na b,b,neutral\n", "pairs of sentences. To train a model on them"),
    ],
)
def test_a_table_that_can_be_read_in_several_ways_is_asked_about(content, words, folder):
    write(folder, "mine.csv", content)
    with pytest.raises(PolyprobeError, match=re.escape(words)):
        with_own_data("probe", ["data=mine.csv"])


@pytest.mark.parametrize("header", ["comment", "remark", "item"])
def test_a_column_with_blanks_in_nearly_every_cell_has_sentences(header, folder):
    write(folder, "mine.csv", f"{header},register\na b,X\nc d,X\ne f,Y\nyes,Y\ng h,X\n")
    config = compose("probe", ["data=mine.csv"])
    assert (config["suite"]["level"], config["suite"]["sentence"]) == ("sentence", header)


def test_a_column_with_a_few_blanks_has_words_and_a_typed_one_what_is_typed(folder):
    write(folder, "mine.csv", "kelime,durum\na b,X\nc,X\ne,Y\nf,Y\ng,X\n")
    assert compose("probe", ["data=mine.csv"])["suite"]["level"] == "type"
    write(folder, "mine.csv", "item,durum,other\na,X,1\nb,Y,2\n")
    config = compose("probe", ["data=mine.csv", "columns={label: durum}"])
    assert (config["suite"]["level"], config["suite"]["word"]) == ("type", "item")
    write(folder, "mine.csv", "id,comment,by\n1,a b,X\n2,c d,X\n")
    config = compose("probe", ["data=mine.csv", "columns={word: comment, label: by}"])
    assert (config["suite"]["level"], config["suite"]["word"]) == ("type", "comment")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "has no file that is read"),
        ({"a.txt": KINDS["text"], "b.tsv": KINDS["table"]}, "several formats: a.txt is running text; b.tsv is a table"),
        ({"train.tsv": KINDS["table"]}, "has train.tsv, but no file of dev and none of test"),
        (
            {"train.tsv": KINDS["table"], "dev.tsv": "word\tlabel\nc\tX\n", "test.tsv": KINDS["table"]},
            "line 1 of dev.tsv has names of columns (word, label), line 1 of train.tsv has none (a | X)",
        ),
    ],
)
def test_a_folder_has_one_file_or_kind_of_files(files, words, folder):
    (folder / "mine").mkdir()
    for name, content in files.items():
        write(folder, f"mine/{name}", content)
    with pytest.raises(PolyprobeError, match=re.escape(words)):
        with_own_data("probe", ["data=mine"])


def test_labels_of_pairs_that_are_others_are_told_with_the_key_that_says_what_they_mean(folder):
    write(folder, "nli.csv", "premise,hypothesis,label\na b,b,yes\nb c,c,no\n")
    with pytest.raises(PolyprobeError, match=r"\+data.corpora.mine.reader_options.labels=\{no: …, yes: …\}"):
        with_own_data("train", ["task=nli", "data=nli.csv"])


@pytest.mark.parametrize("typed", [["suite=own", "suite.path=x"], ["data.on_malformed=skip"], ["data={a: b}"], []])
def test_other_command_lines_stay_as_they_are(typed):
    assert with_own_data("probe", typed) == typed
    assert with_own_data("analyze", ["data=table"]) == ["data=table"]


def test_a_path_with_blanks_and_quotes_is_written_as_hydra_reads_it(folder):
    write(folder, "my words.tsv", KINDS["table"])
    for typed in ("my words.tsv", '"my words.tsv"'):
        assert with_own_data("probe", [f"data={typed}"])[1] == 'suite.path="my words.tsv"'


@pytest.mark.parametrize("typed", [[], ["suite.quotes=always"]])
def test_quoted_cells_between_tabs_are_read_without_their_quotation_marks(typed, folder):
    write(folder, "mine.tsv", '"remark"\t"label"\n"a b"\t"X"\n"c d"\t"Y"\n')
    suite = compose("probe", ["data=mine.tsv", *typed])["suite"]
    assert (suite["quotes"], suite["sentence"], suite["label"]) == ("always", "remark", "label")


CONLL2003 = "Bern N B-NP B-LOC\nmet V B-VP O\n\nBern N B-NP B-LOC\nmet V B-VP O\n"
NESTED = "Bern\tB-LOC\tB-ORG\nmet\tO\tO\n\nBern\tB-LOC\tO\nmet\tO\tO\n"
SNLI = '{"gold_label": "-", "pairID": "1", "sentence1": "a b", "sentence2": "b"}\n'


@pytest.mark.parametrize(
    ("task", "content", "columns", "reader", "options"),
    [
        (
            *("ner", CONLL2003, [], "entity_column_sentences"),
            "{separator: space, columns: [token,column2,column3,tag]}",
        ),
        (
            *("ner", CONLL2003, ["columns={tag: column3}"], "entity_column_sentences"),
            "{separator: space, columns: [token,column2,tag,column4]}",
        ),
        (
            *("ner", NESTED, ["columns={token: column1, tag: column3}"], "entity_column_sentences"),
            "{separator: tab, columns: [token,column2,tag]}",
        ),
        ("pos", KINDS["treebank"], ["columns={label: xpos}"], "universal_pos_sentences", "{column: xpos}"),
        ("nli", SNLI, [], "object_pairs", "{premise: sentence1, hypothesis: sentence2, label: gold_label}"),
        ("nli", SNLI, ["columns={premise: pairID}"], "object_pairs",
         "{premise: pairID, hypothesis: sentence2, label: gold_label}"),
        ("nli", '"premise"\t"sentence2"\t"label"\n"a\tb"\t"b"\t"neutral"\n', [], "table_pairs",
         "{separator: tab, quotes: csv, hypothesis: sentence2}"),
        ("nli", "premise;hypothesis;label\na, b;b;neutral\n", [], "table_pairs", "{separator: semicolon}"),
        ("nli", "a b\tneutral\tb\nc\tneutral\td\n", ["columns={premise: column3, hypothesis: column1, label: column2}"],
         "table_pairs", "{separator: tab, columns: [hypothesis,label,premise]}"),
        ("lm", '{"id": 1, "text": "a b"}\n', [], "text_sentences", "{column: text}"),
        ("lm", "id,x\n1,a b\n", ["columns={text: x}"], "text_sentences", "{column: x, separator: comma}"),
        ("lm", "1\ta b\n2\tc\n", ["columns={text: column2}"], "text_sentences",
         "{column: column2, separator: tab, columns: [column1,column2]}"),
        ("lm", '"text"\t"by"\n"a b"\t"X"\n', [], "text_sentences", "{column: text, separator: tab, quotes: always}"),
    ],
)  # fmt: skip
def test_columns_to_train_on_are_told_by_content_or_named(task, content, columns, reader, options, folder):
    write(folder, "mine", content)
    entry = one_file(reader, "mine", f"reader_options: {options}", drawn=task != "lm")
    assert f"+data.corpora.mine={entry}" in with_own_data("train", [f"task={task}", "data=mine", *columns])


@pytest.mark.parametrize(
    ("command", "content", "typed", "words"),
    [
        ("train", NESTED, ["task=ner"], "column2 (B-LOC 2, O 2) and column3 (O 3, B-ORG 1); which of them is the tag? "
         "Expected 'columns={tag: column…}'"),
        ("train", NESTED, ["task=ner", "columns={tag: column4}"], 'the column "column4" is unknown. Did you mean'),
        ("train", NESTED, ["task=ner", "columns={label: column2}"], 'the role "label" is unknown. Known: tag, token'),
        ("train", "a\tPER\nb\tO\n", ["task=ner"], "Types without B- and I- (the scheme IO)"),
        ("train", "a|N|I-PER b|V|O\n", ["task=lm"], "word|POS|tag, one sentence per line (WikiNER), which task=lm"),
        ("train", KINDS["treebank"], ["task=dep", "columns={label: xpos}"], "columns={label: …} has no effect"),
        ("train", "id,sentence,x,label\n1,a b,b,neutral\n", ["task=nli"], "which of them is the premise and which the "
         "hypothesis? Its columns are id, sentence, x, label. "
         "Expected 'columns={premise: …, hypothesis: …, label: …}'."),
        ("train", SNLI.replace('"-"', "0"), ["task=nli"], "its labels are 0. Expected entailment, neutral, "
         "contradiction, or what each means: '+data.corpora.mine.reader_options.labels={0: …}'"),
        ("train", SNLI.replace("-", "NEUTRAL"), ["task=nli"], "labels={NEUTRAL: neutral}'"),
        ("train", '{"id": 1, "x": "a b"}\n', ["task=lm"], "which of them is the text? Expected 'columns={text: …}'"),
        ("train", "1\ta b\n2\tc\n", ["task=word_vectors"], "line is 1 | a b. Expected 'columns={text: column2}'"),
        ("train", "id,text\n1,a b\n2,c\n", ["task=sentence", "objective=nmt"], "nmt reads one sentence per line"),
        ("train", KINDS["text"], ["task=lm", "columns={text: x}"], "names a column of a table, or a key"),
        ("probe", KINDS["treebank"], ["columns={word: lemma}"], 'the role "word" is unknown. Known: label'),
        ("probe", "word,label,x\na,X,1\nb,Y,2\n", ["columns={good: x}"], 'the role "good" is unknown. Known: group'),
    ],
)  # fmt: skip
def test_a_column_that_is_open_unknown_or_of_no_use_is_refused(command, content, typed, words, folder):
    write(folder, "mine", content)
    with pytest.raises((PolyprobeError, CommandLineError), match=re.escape(words)):
        with_own_data(command, ["data=mine", *typed])


@pytest.mark.parametrize("task", [["task=lm"], ["task=sentence", "objective=autoencoder"]])
def test_a_text_whose_lines_have_as_many_commas_is_no_table(task, folder):
    write(folder, "mine", "True, it is\nNo, it is not\nYes, we can\n")
    assert "reader_options" not in "".join(with_own_data("train", [*task, "data=mine"]))


def test_an_example_of_the_package_is_read_where_its_user_has_no_such_file(folder):
    assert f"suite.path={ROOT / 'docs/nouns.tsv'}" in with_own_data("probe", ["data=docs/nouns.tsv"])
    with pytest.raises(PolyprobeError, match=r"data=docs/noun.tsv is not there"):
        with_own_data("probe", ["data=docs/noun.tsv"])
    write(folder, "docs/nouns.tsv", KINDS["table"])
    assert "suite.path=docs/nouns.tsv" in with_own_data("probe", ["data=docs/nouns.tsv"])
