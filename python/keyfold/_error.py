"""What goes wrong."""


class KeyfoldError(Exception):
    """A file that cannot be read, or that cannot be made into what was asked for.

    `at` says where: a JSON pointer into the document (`/accessors/3`), a line of a BVH file (`line 12`), or nothing where the file
    as a whole is meant.

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
