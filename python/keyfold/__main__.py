"""`python -m keyfold`: the program."""

from __future__ import annotations

import signal
import sys

from . import _keyfold


def main() -> None:
    """Runs the program on this process' arguments."""
    # The program takes Ctrl-C as any program does, not at Python's next step.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_keyfold.run(["keyfold", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
