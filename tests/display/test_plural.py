from polyprobe.display.shown import plural


def test_one_thing_alone_is_in_the_singular():
    assert [plural(n, "set") for n in (0, 1, 2)] == ["0 sets", "1 set", "2 sets"]
