import pytest

from polyprobe.resources.pinned_files import available_targets, source_of, terms_of


def test_a_target_names_its_published_file():
    source = source_of("srl/finnish_up_standoff/fi_tdt-up-train.conllup")
    assert source.repository == "UniversalPropositions/UP_Finnish-TDT"
    assert source.blob == "6f430c226f809acbebf4e8e0d8e7b0cad2899033"
    assert source.n_bytes == 3_863_194


def test_a_space_in_a_path_is_quoted_in_the_address():
    source = source_of("linspector/token/finnish/Part of Speech/dev.txt")
    assert source.address("https://example.org/").endswith("/data_contextual/Part%20of%20Speech/finnish/dev.txt")
    assert source.address("https://example.org/").startswith("https://example.org/UKPLab/linspector/46a7cca6")


def test_a_non_commercial_licence_is_said_in_words():
    assert (
        terms_of(source_of("srl/tr_propbank_imst/trpb_v1.0.dev.conll").license)
        == "CC BY-NC-SA 4.0, for non-commercial use only"
    )
    assert terms_of(source_of("srl/finnish_pb/fipb-ud-dev.conllu").license) == "CC BY-SA 4.0"
    assert "no licence" in terms_of(source_of("linspector/type/finnish/Case/dev.txt").license)


def test_the_tests_of_a_language_are_known_without_a_download():
    targets = available_targets("linspector/type/finnish/")
    assert {target.split("/")[3] for target in targets} == {
        *("Case", "CharacterBin", "CharacterCount", "Mood", "Number", "OddFeat"),
        *("POS", "Person", "SameFeat", "TagCount", "Tense", "Voice"),
    }
    assert len(targets) == 36


@pytest.mark.parametrize("lang", ["en", "de", "fr"])
def test_captions_are_unpacked_from_one_packed_file_each(lang):
    source = source_of(f"parallel/multi30k/train.{lang}")
    assert (source.rule, [part.path for part in source.parts]) == ("unpacked", [f"data/task1/raw/train.{lang}.gz"])
