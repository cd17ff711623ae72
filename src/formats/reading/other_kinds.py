"""Files of a common kind in the place of another: CSV and JSON, recognised by a line that cannot be read."""


def resemblance(line: str, separators: int = 1) -> str:
    """Returns what a line without the expected columns looks like, as the end of a clause; "" where like nothing known.

    Args:
        line: without its line feed.
        separators: so many commas or semicolons at least make it a row of CSV.
    """
    if line.lstrip()[:1] in ("{", "["):
        return "; it looks like JSON"
    for name, sign in (("commas", ","), ("semicolons", ";")):
        if line.count(sign) >= separators:
            return f"; it looks like CSV, with {name} between cells"
    return ""
