"""The layers that a user requests by name."""

from collections.abc import Sequence

from src.errors import BadValue, PolyprobeError, check_choice


def chosen_layers(known: Sequence[str], names: Sequence[str] | None) -> list[str]:
    """Returns the requested layers in the encoder's order, lowest first; None requests all.

    Raises:
        BadValue: `names` is not a list of names.
        PolyprobeError: it is empty.
        UnknownChoice: the encoder has no layer of a name.
    """
    if not isinstance(names, Sequence | None) or isinstance(names, str):
        raise BadValue("encoder.layers", names, f"a list such as [{known[0]}], or null for all")
    if names is not None and not names:
        raise PolyprobeError(f"encoder.layers is empty. Known: {', '.join(known)}; null takes all.")
    for name in names or ():
        check_choice("encoder.layers", name, known)
    return [name for name in known if names is None or name in names]
