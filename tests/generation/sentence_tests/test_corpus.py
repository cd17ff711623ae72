import pytest

from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.sentence_level import corpus_of, dependency_trees, listed_counts
from polyprobe.generation.sentence_tests.labelled_sentences import sentence_options
from tests.generation.sentence_tests.from_trees.small_trees import sentence_of

OPTIONS = sentence_options("trees", 1, length=[2, 3])


def sentences(folder, *texts):
    return [sentence_of(f"(S {' '.join(f'(X {word})' for word in text.split())})", folder) for text in texts]


def test_what_is_too_long_or_repeats_a_sentence_is_left_out_and_counted(tmp_path):
    corpus, steps = corpus_of(sentences(tmp_path, "a b", "A B", "c", "c d e f", "a b c"), None, OPTIONS, "unicode")
    assert [one.words for one in corpus.sentences] == [("a", "b"), ("a", "b", "c")]
    assert [(step.taken, step.left) for step in steps] == [(2, 3), (1, 2)]


def test_words_are_counted_in_all_sentences_in_lower_case(tmp_path):
    corpus, _ = corpus_of(sentences(tmp_path, "a B", "b", "c b a d"), None, OPTIONS, "unicode")
    assert corpus.counts == {"a": 2, "b": 3, "c": 1, "d": 1}


def test_counts_of_a_list_are_scaled_to_the_size_of_the_corpus(tmp_path):
    corpus, _ = corpus_of(sentences(tmp_path, "a b", "a c"), {"a": 30, "x": 10}, OPTIONS, "unicode")
    assert corpus.counts == {"a": 3.0, "x": 1.0}


def test_windows_are_scaled_by_the_sentences_over_those_of_a_published_test(tmp_path):
    few = sentences(tmp_path, "a b", "a c", "b c")
    assert corpus_of(few, None, OPTIONS, "unicode")[0].scale == 3 / 120_000
    published = sentence_options("trees", 1, length=[2, 3], windows="published")
    assert corpus_of(few, None, published, "unicode")[0].scale == 1.0


def test_the_counts_of_spellings_are_added_up(tmp_path):
    (tmp_path / "list.txt").write_text("The 5\nthe 4\ncat 2\n")
    assert listed_counts(tmp_path / "list.txt", "unicode", refuse) == {"the": 9, "cat": 2}


@pytest.mark.parametrize(("text", "error"), [("the\ncat\n", PolyprobeError), ("the 5\ncat x\n", MalformedLine)])
def test_a_list_without_counts_is_refused(tmp_path, text, error):
    (tmp_path / "list.txt").write_text(text)
    with pytest.raises(error, match=r"the corpus itself|line 2"):
        listed_counts(tmp_path / "list.txt", "unicode", refuse)


def test_words_are_counted_as_the_language_lower_cases_them(tmp_path):
    (tmp_path / "list.txt").write_text("Ilık 5\nılık 4\nİstanbul 3\nistanbul 2\n", encoding="utf-8")
    assert listed_counts(tmp_path / "list.txt", "turkish", refuse) == {"ılık": 9, "istanbul": 5}
    corpus, _ = corpus_of(sentences(tmp_path, "Ilık İstanbul", "ILIK İSTANBUL", "ılık il"), None, OPTIONS, "turkish")
    assert corpus.counts == {"ılık": 3, "istanbul": 2, "il": 1}
    assert [one.words for one in corpus.sentences] == [("Ilık", "İstanbul"), ("ılık", "il")]


def test_forms_and_lemmas_of_a_turkish_treebank_are_among_the_counted_words(tmp_path):
    rows = ("1\tIlık\tIlık\tADJ\t_\t_\t2\tamod\t_\t_", "2\tİstanbul\tİstanbul\tPROPN\t_\t_\t0\troot\t_\t_")
    (tmp_path / "treebank.conllu").write_text("\n".join(rows) + "\n\n", encoding="utf-8")
    analysis = dependency_trees("tr", "turkish")
    corpus, _ = corpus_of([*analysis.read([tmp_path / "treebank.conllu"], refuse)], None, OPTIONS, analysis.case)
    (sentence,) = corpus.sentences
    assert [(corpus.counts[word.form], corpus.counts[word.lemma]) for word in sentence.tree] == [(1, 1), (1, 1)]
