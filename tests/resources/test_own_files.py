import pytest

from polyprobe.errors import BadValue, UnknownChoice
from polyprobe.generation.language_sources import own_file
from polyprobe.resources.pinned_files import source_of

ENTRY = {
    "target": "mine/xx.txt",
    "repository": "unimorph/xxx",
    "commit": "6c179ace7d2f3d7f3484020e5304c1544d07bb6b",
    "path": "xxx",
    "blob": "2060308c19d34ea8103710eead976d1fe9cf5716",
}
KEY = "lang.made_from.unimorph.0"


def test_an_entry_is_a_published_file():
    file = own_file(KEY, {**ENTRY, "license": "CC BY-SA 3.0", "bytes": 12})
    assert file.address("https://example.org") == f"https://example.org/unimorph/xxx/{ENTRY['commit']}/xxx"
    assert (file.target, file.license, file.n_bytes) == ("mine/xx.txt", "CC BY-SA 3.0", 12)
    assert own_file(KEY, ENTRY).license == "unknown"


def test_without_a_digest_nothing_is_fetched():
    with pytest.raises(BadValue, match=r"made_from\.unimorph\.0\.blob must be 40 hexadecimal digits.*got null"):
        own_file(KEY, {**ENTRY, "blob": None})


def test_a_misspelt_key_is_told_with_the_nearest():
    with pytest.raises(UnknownChoice, match="Did you mean commit"):
        own_file(KEY, {**ENTRY, "comit": "main"})


def test_an_entry_cannot_say_what_is_imported():
    with pytest.raises(UnknownChoice, match='"_target_" is unknown'):
        own_file(KEY, {**ENTRY, "_target_": "os.system"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("commit", "main"), ("commit", "6c179ac"), ("commit", "6C" + ENTRY["commit"][2:]), ("commit", 40)],
        *[("blob", ENTRY["blob"][:-1]), ("blob", "g" * 40)],
        *[("target", one) for one in ("../x", "/etc/passwd", "~/x", "a/../x", "a\\x", "C:x", "")],
        *[("path", one) for one in ("../x", "/x", "a/../../x", 5)],
    ],
)
def test_a_value_that_could_lead_elsewhere_or_change_is_refused(name, value):
    with pytest.raises(BadValue, match=rf"unimorph\.0\.{name} must be"):
        own_file(KEY, {**ENTRY, name: value})


def test_the_place_of_a_published_file_is_not_given_to_another():
    with pytest.raises(BadValue, match="hermitdave/FrequencyWords"):
        own_file(KEY, {**ENTRY, "target": "frequency/tr.txt"})
    known = source_of("frequency/tr.txt")
    assert own_file(KEY, {**ENTRY, "target": known.target, "blob": known.blob}).blob == known.blob
