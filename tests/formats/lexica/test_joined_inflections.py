from polyprobe.resources.assembled import joined_inflections


def joined(tmp_path, *parts):
    for number, text in enumerate(parts):
        (tmp_path / str(number)).write_bytes(text.encode())
    return list(joined_inflections([tmp_path / str(number) for number in range(len(parts))]))


def test_rows_of_all_parts_are_sorted_and_stand_once(tmp_path):
    assert joined(tmp_path, "b\tbs\tN;PL\na\tas\tN;PL\n", "a\tas\tN;PL\nç\tçs\tN;PL\n") == [
        *("a\tas\tN;PL", "b\tbs\tN;PL", "ç\tçs\tN;PL")
    ]


def test_rows_of_other_than_three_columns_are_passed_over(tmp_path):
    assert joined(tmp_path, "a\tas\n\na\tas\tN;PL\ta|s\nb\tbs\tN;PL") == ["b\tbs\tN;PL"]


def test_a_set_of_labels_is_written_in_its_most_frequent_order(tmp_path):
    found = joined(tmp_path, "a\tas\tN;PL;NOM\nb\tbs\tN;NOM;PL\n", "c\tcs\tN;PL;NOM\nb\tbs\tN;PL;NOM\n")
    assert found == ["a\tas\tN;PL;NOM", "b\tbs\tN;PL;NOM", "c\tcs\tN;PL;NOM"]


def test_of_equally_frequent_orders_the_smallest_is_taken(tmp_path):
    assert joined(tmp_path, "a\tas\tN;PL\n", "b\tbs\tPL;N\n") == ["a\tas\tN;PL", "b\tbs\tN;PL"]
