"""Which files a pattern means, and what stands in its names."""

from polyprobe.probing.suites.set_paths import folder_of, matching_files


def laid(root, *names):
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")


def test_names_stand_for_parts_of_a_path_and_two_stars_for_any_folders(tmp_path):
    laid(tmp_path, "sets/a/x.txt", "sets/a/b/c/y.txt", "sets/z.txt", "sets/a/x.csv")
    found = matching_files("sets/{kind}/**/{test}.txt", "en", tmp_path)
    assert found == {
        "sets/a/x.txt": {"kind": "a", "test": "x"},
        "sets/a/b/c/y.txt": {"kind": "a", "test": "y"},
    }


def test_the_language_is_filled_in_and_other_characters_mean_themselves(tmp_path):
    laid(tmp_path, "sets/en/pre_x.v1.txt", "sets/en/pre_xxv1.txt", "sets/de/pre_y.v1.txt", "sets/[en]/pre_y.v1.txt")
    assert list(matching_files("sets/{language}/pre_{test}.v1.txt", "en", tmp_path)) == ["sets/en/pre_x.v1.txt"]
    assert list(matching_files("sets/{language}/pre_{test}.v1.txt", "[en]", tmp_path)) == ["sets/[en]/pre_y.v1.txt"]
    assert folder_of("sets/{language}/pre_{test}.v1.txt", "en") == "sets/en"


def test_published_files_are_there_before_they_are_fetched(tmp_path):
    found = matching_files("blimp/{test}.jsonl", "en", tmp_path)
    assert len(found) == 67
    assert found["blimp/wh_island.jsonl"] == {"test": "wh_island"}
    found = matching_files("sling/{phenomenon}/**/{test}.jsonl", "zh", tmp_path)
    assert len(found) == 54
    assert found["sling/Anaphor/Plural/menself_male.jsonl"] == {"phenomenon": "Anaphor", "test": "menself_male"}


def test_braces_in_a_folder_of_ones_own_are_doubled(tmp_path):
    laid(tmp_path, "{own}/a.txt")
    found = matching_files(f"{tmp_path}/{{{{own}}}}/{{test}}.txt", "en", tmp_path)
    assert [names["test"] for names in found.values()] == ["a"]
