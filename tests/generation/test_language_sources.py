from pathlib import Path

import pytest
import yaml

from polyprobe.errors import BadValue, Impossible, PolyprobeError, UnknownChoice
from polyprobe.generation.language_sources import KINDS, SourceNames, is_named, one_source, sources
from polyprobe.generation.made_tests.writing import Source
from polyprobe.resources.download import FailedDownload
from tests.resources.server import blob_of, files, running

NOTHING = dict.fromkeys(KINDS)


@pytest.fixture
def data(tmp_path):
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.fixture
def found(data):
    """Returns the files of a kind, for a language and a command that name some."""

    def of(kind, named=NOTHING, own=NOTHING):
        lang = {"code": "xx", "made_from": named}
        names = SourceNames(lang, {**NOTHING, **own}, lambda: data, None)
        return [source.path for source in sources(names, kind)]

    return of


def written(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("", encoding="utf-8")
    return [folder / name for name in names]


def test_paths_of_a_language_are_below_the_data_folder(found, data):
    tables = written(data, "unimorph/b.txt", "unimorph/a.txt")
    assert found("unimorph", {"unimorph": ["unimorph/b.txt", "unimorph/a.txt"]}) == tables


def test_a_folder_stands_for_its_files_in_the_order_of_their_names(found, data):
    _, test, train = written(data, "mine/notes.txt", "mine/test.conllu", "mine/train.conllu")
    assert found("treebanks", {"treebanks": ["mine"]}) == [test, train]


def test_a_file_is_of_a_part_where_that_is_the_last_word_of_its_name(data):
    names = ("contest", "latest", "mine-ud-dev", "mine.test", "mine_train", "test", "train2")
    written(data, *(f"mine/{name}.conllu" for name in names))
    names = SourceNames({"code": "xx", "made_from": {"treebanks": ["mine"]}}, NOTHING, lambda: data, None)

    def of(*parts):
        return [source.path.stem for source in sources(names, "treebanks", parts)]

    assert of("train", "dev") == ["contest", "latest", "mine-ud-dev", "mine_train", "train2"]
    assert of("test") == ["contest", "latest", "mine.test", "test", "train2"]


def test_a_file_that_the_command_names_comes_in_place_of_those_of_the_language(found, data, tmp_path):
    written(data, "of_language.txt")
    (own,) = written(tmp_path, "own.txt")
    assert found("frequency", {"frequency": "of_language.txt"}, {"frequency": str(own)}) == [own]


def test_a_language_without_a_kind_of_file_is_passed_over_by_a_sweep(found):
    for named in (NOTHING, {}, None, {"treebanks": []}):
        with pytest.raises(Impossible, match="lang=xx names no treebanks"):
            found("treebanks", named)


def test_a_misspelt_kind_is_told_with_the_nearest(found):
    with pytest.raises(UnknownChoice, match=r'lang.made_from "treebank" is unknown. Did you mean treebanks'):
        found("frequency", {"treebank": ["mine"]})


def test_a_folder_without_files_to_read_is_refused(found, data):
    written(data, "mine/notes.txt")
    with pytest.raises(PolyprobeError, match=r"Expected files such as \*\.conllu"):
        found("treebanks", {"treebanks": ["mine"]})


def test_there_is_one_frequency_list(data):
    names = SourceNames({"code": "xx"}, {**NOTHING, "frequency": ["a", "b"]}, lambda: data, None)
    written(data, "a", "b")
    with pytest.raises(BadValue, match=r"made_from.frequency must be one file"):
        one_source(names, "frequency")


def pinned(content):
    file = {"target": "mine/xx.txt", "repository": "owner/name", "commit": "c" * 40, "path": "xx"}
    return {**file, "blob": blob_of(content), "license": "CC0-1.0"}


def names_with(data, mirror, **named):
    return SourceNames({"code": "xx", "made_from": named}, NOTHING, lambda: data, mirror)


def test_a_file_that_a_language_of_ones_own_pins_is_fetched_once_with_licence_and_revision(data):
    with running() as server:
        server.behaviours = [files({f"/owner/name/{'c' * 40}/xx": b"ev 7\n"})]
        names = names_with(data, server.base_url, frequency=pinned(b"ev 7\n"))
        for _ in range(2):
            found = one_source(names, "frequency")
        assert len(server.requests) == 1
    assert found == Source(data / "mine/xx.txt", "CC0-1.0", f"owner/name {'c' * 40}")
    assert found.path.read_bytes() == b"ev 7\n"


def test_a_pinned_file_that_has_changed_is_refused_with_both_digests(data):
    with running() as server:
        server.behaviours = [files({f"/owner/name/{'c' * 40}/xx": b"ev 8\n"})]
        with pytest.raises(FailedDownload) as refusal:
            one_source(names_with(data, server.base_url, frequency=pinned(b"ev 7\n")), "frequency")
    assert blob_of(b"ev 7\n") in str(refusal.value)
    assert blob_of(b"ev 8\n") in str(refusal.value)
    assert not (data / "mine").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [("target", "../../xx.txt"), ("target", "C:xx"), ("path", "/etc/xx"), ("commit", "main"), ("blob", None)],
)
def test_a_pinned_file_leads_below_the_data_folder_and_has_its_digests(data, name, value):
    with pytest.raises(BadValue, match=rf"lang\.made_from\.frequency\.{name} must be "):
        one_source(names_with(data, None, frequency={**pinned(b"ev 7\n"), name: value}), "frequency")


def test_another_file_in_the_place_of_a_pinned_one_is_used_and_not_said_to_be_it(data):
    (file,) = written(data, "mine/xx.txt")
    assert one_source(names_with(data, None, frequency=pinned(b"ev 7\n")), "frequency") == Source(file)


def test_the_language_of_the_documentation_can_be_copied():
    text = (Path(__file__).parents[2] / "docs/generation.md").read_text(encoding="utf-8")
    example = text.partition("```yaml\n")[2].partition("```")[0]
    for gap in ("<40 hexadecimal digits>", "…"):
        example = example.replace(gap, "c" * 40)
    lang = yaml.safe_load(example)
    names = SourceNames(lang, NOTHING, Path, None)
    assert {kind for kind in KINDS if is_named(names, kind)} == {"unimorph", "frequency", "treebanks"}
