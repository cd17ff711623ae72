"""Words have the pieces that they have in a text, whatever their tokenizer makes of blanks."""

import string

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from transformers import BertConfig, GPT2Config, PreTrainedTokenizerFast, T5Config, XLMRobertaConfig

from polyprobe.encoders.transformer.files import NotATransformer
from polyprobe.encoders.transformer.pieces import WordPieces
from polyprobe.predictors.causal.text_pieces import TextPieces

LETTERS = ["<unk>", *string.ascii_lowercase, *sorted(pre_tokenizers.ByteLevel.alphabet()), "▁"]
LOW_LINE = normalizers.Replace(" ", "▁")


def backend(pre_tokenizer, normalizer=None) -> Tokenizer:
    """Letters alone, and the one piece that a blank and a t make."""
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys([*LETTERS, "Ġt", "▁t"]))}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("Ġ", "t"), ("▁", "t")], unk_token="<unk>"))
    if pre_tokenizer is not None:
        tokenizer.pre_tokenizer = pre_tokenizer
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    return tokenizer


@pytest.mark.parametrize(
    ("tokenizer", "first"),
    [
        (backend(pre_tokenizers.ByteLevel(add_prefix_space=False)), "Ġt"),
        (backend(pre_tokenizers.ByteLevel(add_prefix_space=True)), "Ġt"),
        (backend(pre_tokenizers.Metaspace()), "▁t"),
        (backend(pre_tokenizers.Metaspace(prepend_scheme="first", split=False)), "▁t"),
        (backend(pre_tokenizers.Metaspace(prepend_scheme="never")), "▁t"),
        (backend(pre_tokenizers.Split(" ", "merged_with_previous"), LOW_LINE), "▁t"),
        (backend(None, normalizers.Sequence([normalizers.Prepend("▁"), LOW_LINE])), "▁t"),
        (backend(pre_tokenizers.WhitespaceSplit()), "t"),
    ],
    ids=["GPT-2", "RoBERTa", "T5", "Mistral", "no mark at the start", "Gemma", "Llama 2", "BERT"],
)
def test_every_word_has_the_pieces_that_it_has_behind_a_blank(tokenizer, first, tmp_path):
    in_text = tokenizer.encode("x ta ot tt", add_special_tokens=False).tokens
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>").save_pretrained(tmp_path)
    (pieces,) = WordPieces(tmp_path)([("ta", "ot", "tt")])
    found = [tokenizer.id_to_token(number) for number in pieces.ids.tolist()]
    assert found == in_text[-len(found) :]
    assert found[0] == first
    assert pieces.words.tolist() == [0, 0, *[1] * (len(found) - 4), 2, 2]


@pytest.mark.parametrize("architecture", [BertConfig, GPT2Config, T5Config, XLMRobertaConfig])
@pytest.mark.parametrize("pieces", [WordPieces, TextPieces])
def test_a_folder_without_the_files_of_its_tokenizer_is_refused(architecture, pieces, tmp_path):
    architecture().save_pretrained(tmp_path)
    with pytest.raises(NotATransformer, match=r"has no vocabulary \(tokenizer\.json.*Expected a fast tokenizer"):
        pieces(tmp_path)
