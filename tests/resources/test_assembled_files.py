import pytest

from polyprobe.resources import pinned_files
from polyprobe.resources.assembled import RULES
from polyprobe.resources.download import FailedDownload, ensure
from polyprobe.resources.pinned_files import AssembledFile, available_targets, source_of
from tests.resources.server import blob_of, files, running

TARGET = "unimorph/xxx/xxx.txt"
PARTS = {
    "/owner/task1/c0ffee/xxx-train": b"ev\tevler\tN;PL\nev\tevde\tN;LOC;SG\n",
    "/owner/task2/c0ffed/xxx-dev": b"ev\tevi\n",
}
WHOLE = b"ev\tevde\tN;LOC;SG\nev\tevler\tN;PL\n"


@pytest.fixture
def server():
    with running() as server:
        server.behaviours = [files(PARTS)]
        yield server


@pytest.fixture(autouse=True)
def published(tmp_path, monkeypatch):
    """Makes tables of one file in two parts in place of the real ones."""
    rows = ["header"]
    for path, content in PARTS.items():
        _, owner, name, commit, file = path.split("/")
        target = f"unimorph/parts/{owner}/{name}/{file}"
        size = str(len(content))
        rows.append("\t".join(["xxx", f"{owner}/{name}", commit, file, blob_of(content), size, target, "unknown"]))
    (tmp_path / "files.tsv").write_text("\n".join(rows) + "\n")
    row = [TARGET, "joined_inflections", blob_of(WHOLE), str(len(WHOLE)), "xxx"]
    (tmp_path / "assembled.tsv").write_text("header\n" + "\t".join(row) + "\n")
    monkeypatch.setattr(pinned_files, "TABLE", tmp_path / "files.tsv")
    monkeypatch.setattr(pinned_files, "ASSEMBLED", tmp_path / "assembled.tsv")


@pytest.fixture
def data(tmp_path):
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


def test_a_missing_file_is_made_of_its_parts(data, server):
    assert ensure(data, TARGET, server.base_url).read_bytes() == WHOLE
    assert sorted(path for path, _ in server.requests) == sorted(PARTS)
    ensure(data, TARGET, server.base_url)
    assert len(server.requests) == 2


def test_parts_that_are_there_are_not_fetched_again(data, server):
    part = data / "unimorph/parts/owner/task1/xxx-train"
    part.parent.mkdir(parents=True)
    part.write_bytes(PARTS["/owner/task1/c0ffee/xxx-train"])
    assert ensure(data, TARGET, server.base_url).read_bytes() == WHOLE
    assert [path for path, _ in server.requests] == ["/owner/task2/c0ffed/xxx-dev"]


def test_parts_that_join_to_other_bytes_are_refused_and_nothing_is_left(data, server):
    part = data / "unimorph/parts/owner/task1/xxx-train"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"ev\tevin\tN;GEN;SG\n")
    with pytest.raises(FailedDownload) as refusal:
        ensure(data, TARGET, server.base_url)
    for words in (TARGET, blob_of(WHOLE), blob_of(b"ev\tevin\tN;GEN;SG\n"), str(part)):
        assert words in str(refusal.value)
    assert not (data / "unimorph/xxx").exists()


def test_a_part_that_cannot_be_fetched_is_named_with_the_file_it_is_for(data, server):
    server.behaviours = [files({})]
    with pytest.raises(FailedDownload, match="unimorph/parts/owner/task1/xxx-train is missing") as refusal:
        ensure(data, TARGET, server.base_url)
    assert f"It is one of 2 parts; alternatively, put the whole file at {data / TARGET}." in str(refusal.value)
    assert not (data / "unimorph").exists()


def test_its_licence_and_revision_are_those_of_its_parts():
    assert source_of(TARGET).revision == "owner/task1 c0ffee; owner/task2 c0ffed"
    assert source_of(TARGET).license == "unknown"


def test_every_assembled_file_has_parts_and_a_rule(monkeypatch):
    monkeypatch.undo()
    assembled = [one for one in map(source_of, available_targets("")) if isinstance(one, AssembledFile)]
    captions = [one for one in assembled if one.target.startswith("parallel/multi30k/")]
    assert {len(one.parts) for one in captions} == {1}
    assert len(captions) == 22
    assert {one.target: len(one.parts) for one in assembled if one not in captions} == {
        "trees/craft/dev.tsv": 7,
        "trees/craft/test.tsv": 30,
        "trees/craft/train.tsv": 60,
        "trees/gum/dev.tsv": 30,
        "trees/gum/test.tsv": 30,
        "trees/gum/test2.tsv": 26,
        "trees/gum/train.tsv": 177,
        "unimorph/deu/deu.txt": 16,
        "unimorph/eng/eng.txt": 3,
        "unimorph/fin/fin.txt": 13,
        "unimorph/rus/rus.txt": 14,
        "unimorph/spa/spa.txt": 13,
        "unimorph/tur/tur-2021.txt": 2,
        "unimorph/tur/tur.txt": 10,
    }
    assert {one.rule for one in assembled} == {*RULES}
