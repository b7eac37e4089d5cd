"""Errors."""


class KeyfoldError(Exception):
    """A file cannot be read or converted.

    `at` is the place: a JSON pointer into the document (`/accessors/3`), a line of a BVH file (`line 12`), or empty if the error
    concerns the whole file.

    >>> import keyfold
    >>> try:
    ...     keyfold.open(b'{"asset": {"version": "2.0"}, "nodes": [{"children": [7]}]}')
    ... except keyfold.KeyfoldError as error:
    ...     print(error.at)
    /nodes/0/children
    """

    at: str

    def __init__(self, message: str, at: str = "") -> None:
        super().__init__(message)
        self.at = at
