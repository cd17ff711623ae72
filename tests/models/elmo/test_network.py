"""The readers of both ELMo formats: what they refuse, what they fall back to."""

import copy
import shutil

import h5py
import numpy as np
import pytest
import torch

from polyprobe.errors import PolyprobeError
from polyprobe.models.elmo.files import find_elmo
from polyprobe.models.elmo.many_languages import read_dictionary
from polyprobe.models.elmo.network import fresh_weights, weight_shapes
from polyprobe.models.elmo.options import ForeignModel
from tests.encoders.saved_elmo import (
    MANY_LANGUAGES_OPTIONS,
    OPTIONS,
    allennlp_arrays,
    many_languages_arrays,
    write_allennlp,
    write_many_languages,
)


@pytest.fixture
def allennlp(tmp_path):
    return write_allennlp(tmp_path / "allennlp", allennlp_arrays(1))


@pytest.fixture
def many_languages(tmp_path):
    return write_many_languages(tmp_path / "many", many_languages_arrays(1))


def changed(options, key, value):
    """Changes one key, or takes it out where the value is the key's last part."""
    options = copy.deepcopy(options)
    *parents, last = key.split(".")
    place = options
    for parent in parents:
        place = place[parent]
    if value == "absent":
        del place[last]
    else:
        place[last] = value
    return options


def cut_off(path):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("lstm.dim", "absent", "has no lstm.dim"),
        ("lstm.dim", 0, "lstm.dim is 0. Expected greater than or equal to 1"),
        ("char_cnn.activation", "gelu", "char_cnn.activation is \"gelu\". Expected 'relu' or 'tanh'"),
        ("char_cnn.filters", [[1, 3], [13, 2]], "Expected filters of at most 12 characters"),
        ("char_cnn.n_characters", 300, "n_characters is 300. Expected 261 or 262"),
    ],
)
def test_an_option_that_no_model_can_have_is_refused(tmp_path, key, value, words):
    folder = write_allennlp(tmp_path, {}, changed(OPTIONS, key, value))
    with pytest.raises(ForeignModel, match=r"small_options.json: .*") as caught:
        find_elmo(folder)
    assert words in str(caught.value)


def test_the_weights_of_another_model_are_refused_with_both_shapes(tmp_path):
    folder = write_allennlp(tmp_path, allennlp_arrays(1), changed(OPTIONS, "lstm.dim", 16))
    with pytest.raises(ForeignModel) as caught:
        find_elmo(folder).read_weights()
    assert str(folder / "small_weights.hdf5") in str(caught.value)
    assert "Cell0/LSTMCell/W_0 has shape (12, 32), float32" in str(caught.value)
    assert "Cell0/LSTMCell/W_0 of shape (12, 64)" in str(caught.value)


def test_a_missing_dataset_is_named(tmp_path):
    arrays = allennlp_arrays(1)
    del arrays["CNN_high_1/W_carry"]
    with pytest.raises(ForeignModel, match="it has no dataset CNN_high_1/W_carry"):
        find_elmo(write_allennlp(tmp_path, arrays)).read_weights()


def test_weights_that_are_no_finite_numbers_are_refused(tmp_path, many_languages):
    arrays = allennlp_arrays(1)
    arrays["char_embed"][3, 1] = np.nan
    with pytest.raises(ForeignModel, match="char_embed has values that are not finite"):
        find_elmo(write_allennlp(tmp_path / "nan", arrays)).read_weights()
    tensors = torch.load(many_languages / "encoder.pkl", weights_only=True)
    tensors["forward_layer_0.state_projection.weight"][0, 0] = torch.inf
    torch.save(tensors, many_languages / "encoder.pkl")
    with pytest.raises(ForeignModel, match=r"forward_layer_0.state_projection.weight has values"):
        find_elmo(many_languages).read_weights()


def test_an_hdf5_file_that_is_cut_off_or_none_is_refused(allennlp):
    weights = allennlp / "small_weights.hdf5"
    cut_off(weights)
    with pytest.raises(ForeignModel, match=r"small_weights.hdf5: it cannot be read"):
        find_elmo(allennlp).read_weights()
    weights.write_text("weights")
    with pytest.raises(ForeignModel, match=r"small_weights.hdf5: it cannot be read"):
        find_elmo(allennlp).read_weights()


def test_half_precision_weights_are_read(tmp_path):
    arrays = {name: array.astype(np.float16) for name, array in allennlp_arrays(1).items()}
    weights = find_elmo(write_allennlp(tmp_path, arrays)).read_weights()
    assert {tensor.dtype for tensor in weights.values()} == {torch.float32}


def test_a_folder_without_a_model_or_with_two_is_refused(tmp_path, allennlp, many_languages):
    for folder in (tmp_path, tmp_path / "absent"):
        with pytest.raises(PolyprobeError, match=r"encoder.path: .* holds no model"):
            find_elmo(folder)
    shutil.copy(allennlp / "small_options.json", allennlp / "other_options.json")
    with pytest.raises(PolyprobeError, match=r"holds other_options.json, small_options.json, small_weights.hdf5"):
        find_elmo(allennlp)
    shutil.copy(allennlp / "small_options.json", many_languages)
    with pytest.raises(PolyprobeError, match=r"holds small_options.json, config.json or encoder.pkl"):
        find_elmo(many_languages)


def test_options_are_read_from_the_folder_where_the_path_is_of_another_machine(many_languages):
    assert find_elmo(many_languages).sizes.projection_size == 6
    (many_languages / "below").mkdir()
    (many_languages / "cnn_small.json").rename(many_languages / "below" / "cnn.json")
    (many_languages / "config.json").write_text('{"config_path": "below/cnn.json"}')
    assert find_elmo(many_languages).sizes.projection_size == 6


def test_without_options_those_of_the_published_models_stand_in(many_languages, caplog):
    (many_languages / "cnn_small.json").unlink()
    sizes = find_elmo(many_languages).sizes
    assert (sizes.projection_size, sizes.hidden_size, sizes.word_size, sizes.character_size) == (512, 4096, 100, 50)
    assert (sizes.cell_clip, sizes.projection_clip, sizes.n_layers, sizes.filters[-1]) == (3, 3, 2, (7, 1024))
    assert "the options of the published models are used" in caplog.text


def test_a_model_without_a_table_of_words_is_read(tmp_path):
    arrays = many_languages_arrays(1)
    del arrays["word_emb_layer.embedding.weight"]
    arrays["projection.weight"] = arrays["projection.weight"][:, 3:].copy()
    folder = write_many_languages(tmp_path, arrays, changed(MANY_LANGUAGES_OPTIONS, "token_embedder.word_dim", 0))
    (folder / "word.dic").unlink()
    assert "words.weight" not in find_elmo(folder).read_weights()


def test_a_tensor_missing_or_one_too_many_is_named(many_languages):
    path = many_languages / "encoder.pkl"
    tensors = torch.load(path, weights_only=True)
    torch.save({**tensors, "forward_layer_2.state_linearity.bias": torch.zeros(3)}, path)
    with pytest.raises(ForeignModel, match=r"it has forward_layer_2.state_linearity.bias, which the options do not"):
        find_elmo(many_languages).read_weights()
    del tensors["backward_layer_1.state_linearity.bias"]
    torch.save(tensors, path)
    with pytest.raises(ForeignModel, match=r"it has no tensor backward_layer_1.state_linearity.bias"):
        find_elmo(many_languages).read_weights()


class Intruder:
    """Would run code when it is unpickled."""

    def __reduce__(self):
        return exec, ("raise SystemExit('executed')",)


@pytest.mark.parametrize("name", ["token_embedder.pkl", "encoder.pkl"])
def test_a_file_of_tensors_that_is_damaged_or_hostile_is_refused(many_languages, name):
    path = many_languages / name
    whole = path.read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"tensors"):
        path.write_bytes(content)
        with pytest.raises(ForeignModel, match=f"{name}: it holds more than tensors, or is truncated"):
            find_elmo(many_languages).read_weights()
    torch.save({"weight": Intruder()}, path)
    with pytest.raises(ForeignModel, match="nothing in it was executed"):
        find_elmo(many_languages).read_weights()


def test_tensors_in_the_old_format_of_pytorch_are_read(many_languages):
    before = find_elmo(many_languages).read_weights()
    for path in many_languages.glob("*.pkl"):
        tensors = torch.load(path, weights_only=True)
        torch.save(tensors, path, _use_new_zipfile_serialization=False)
    after = find_elmo(many_languages).read_weights()
    assert all(torch.equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize("name", ["char.dic", "word.dic", "encoder.pkl", "token_embedder.pkl"])
def test_a_missing_file_is_named_before_anything_is_loaded(many_languages, name):
    (many_languages / name).unlink()
    with pytest.raises(ForeignModel, match=f"{name}: there is no such file"):
        find_elmo(many_languages)


def test_a_line_with_a_number_alone_is_the_ideographic_space(tmp_path):
    path = tmp_path / "char.dic"
    path.write_text('<oov>\t0\n\u3000\t1\n\u0085\t2\n"\t3', encoding="utf-8")
    assert read_dictionary(path, ("<oov>",)) == {"<oov>": 0, "\u3000": 2, '"': 3}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<oov>\t0\na b\n", r"line 2 is 'a b'. Expected a token, a tab and its number"),
        ("a\t0\n", "it has no <oov>"),
    ],
)
def test_a_dictionary_with_a_bad_line_or_without_a_mark_is_refused(tmp_path, content, words):
    path = tmp_path / "word.dic"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ForeignModel, match=words):
        read_dictionary(path, ("<oov>",))


def test_fresh_weights_have_the_shapes_of_the_model_and_differ_by_seed(allennlp, many_languages):
    for folder in (allennlp, many_languages):
        sizes = find_elmo(folder).sizes
        first, second = (fresh_weights(sizes, torch.Generator().manual_seed(seed)) for seed in (1, 2))
        assert {name: tuple(tensor.shape) for name, tensor in first.items()} == weight_shapes(sizes)
        assert not any(torch.equal(first[name], second[name]) for name in first)
        assert all(tensor[8:16].mean() > 0.5 for name, tensor in first.items() if name.endswith("layers.0.bias"))


@pytest.fixture
def foreign_weights(allennlp):
    """Opens the weights with `char_embed` taken out."""
    with h5py.File(allennlp / "small_weights.hdf5", "a") as file:
        matrix = file["char_embed"][:]
        del file["char_embed"]
        yield file, matrix


def refused_weights(folder) -> str:
    with pytest.raises(ForeignModel) as refused:
        find_elmo(folder).read_weights()
    return str(refused.value)


def test_a_dataset_whose_numbers_are_another_files_bytes_is_refused(tmp_path, allennlp, foreign_weights):
    file, matrix = foreign_weights
    (tmp_path / "bytes").write_bytes(matrix.astype("f4").tobytes())
    file.create_dataset("char_embed", matrix.shape, "f4", external=[(str(tmp_path / "bytes"), 0, h5py.h5f.UNLIMITED)])
    file.close()
    assert "char_embed claims 4,176 bytes, of which the file stores 0" in refused_weights(allennlp)
