from polyprobe.generation.sentence_tests.from_dependencies.treebank_sentences import (
    documents_of,
    new_document,
)


def marks_of(identifiers, new_documents=None):
    starts = new_documents or [None] * len(identifiers)
    return [("train.conllu", start, name) for start, name in zip(starts, identifiers, strict=True)]


def test_a_comment_begins_a_document_with_or_without_an_id():
    assert new_document(["# newdoc id = weblog-1", "# sent_id = 1"]) == "weblog-1"
    assert new_document(["# newdoc"]) == ""
    assert new_document(["# newdocument = 1", "# sent_id = 1"]) is None


def test_documents_begin_at_their_comments():
    found = documents_of(marks_of(["1", "2", "3", "4"], ["a", None, "", "b"]))
    assert found == ["a", "a", "3 train.conllu", "b"]


def test_comments_count_only_where_every_file_starts_with_one():
    marks = [
        *marks_of(["1", "2"], ["a", None]),
        ("dev.conllu", None, "1"),
        ("dev.conllu", "b", "2"),
    ]
    assert len(set(documents_of(marks))) == 4


def test_the_same_document_in_two_files_is_one():
    marks = [("train.conllu", "a", "1"), ("dev.conllu", "a", "1")]
    assert set(documents_of(marks)) == {"a"}


def test_ids_name_documents_where_no_name_holds_more_than_a_tenth():
    identifiers = [f"b{document}.{number}" for document in range(10) for number in range(3)]
    assert documents_of(marks_of(identifiers))[:4] == ["b0", "b0", "b0", "b1"]


def test_ids_that_name_a_treebank_or_its_files_are_no_documents():
    for pattern in ("mst-{:04}", "train-s{}", "n010{:05}"):
        assert len(set(documents_of(marks_of([pattern.format(number) for number in range(30)])))) == 30
