"""What a run says of the files behind it: their names, and how their lines end."""

import pytest

from src.runs.record.provenance import digests, name_of, report_line_ends


@pytest.mark.parametrize(
    ("path", "root", "name"),
    [
        ("/data/ud/x.conllu", "/data", "ud/x.conllu"),
        ("data/ud/x.conllu", "data", "ud/x.conllu"),
        ("/here/data/ud/x.conllu", "data", "ud/x.conllu"),
        ("/elsewhere/x.conllu", "/data", "/elsewhere/x.conllu"),
        ("/elsewhere/x.conllu", "data", "/elsewhere/x.conllu"),
        ("/database/x.conllu", "/data", "/database/x.conllu"),
        ("x.conllu", "data", "/here/x.conllu"),
        ("../x.conllu", "/data", "/x.conllu"),
    ],
)
def test_a_file_is_named_by_its_path_below_the_data_folder_or_by_its_whole_path(path, root, name, monkeypatch):
    monkeypatch.setattr("os.getcwd", lambda: "/here")
    assert name_of(path, root) == name


def test_a_file_outside_the_data_folder_has_a_digest(tmp_path):
    (tmp_path / "x").write_text("x", encoding="utf-8")
    assert list(digests([tmp_path / "x"], tmp_path / "data")) == [str(tmp_path / "x")]


def test_other_line_ends_are_said_once_a_file_and_kept_and_plain_files_are_not(tmp_path, capsys):
    contents = {"plain": b"a\n", "crlf": b"a\r\nb\r\n", "mixed": b"\xef\xbb\xbfa\r\nb\n"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    noted = report_line_ends([*(tmp_path / name for name in contents), tmp_path / "crlf"], tmp_path)
    assert noted == {
        "crlf": {"lines": 2, "crlf": 2, "byte_order_mark": False},
        "mixed": {"lines": 2, "crlf": 1, "byte_order_mark": True},
    }
    assert capsys.readouterr().out.splitlines() == [
        "  crlf: 2 of 2 lines end with CRLF",
        "  mixed: it starts with a byte order mark, 1 of 2 lines end with CRLF, the others with LF alone (mixed line "
        "ends)",
    ]
