"""Two Python threads that pack two files, against one after the other: how much the interpreter's lock is in the way."""

import threading
import time
from pathlib import Path

from many import changed

import keyfold

FIGURE = (Path(__file__).resolve().parents[2] / "samples" / "figure.glb").read_bytes()
FILES = (FIGURE, changed(FIGURE, 1))
ROUNDS = 5


def pack(file: bytes) -> None:
    keyfold.pack(file, threads=1)


def took(together: bool) -> float:
    started = time.perf_counter()
    threads = [threading.Thread(target=pack, args=(file,)) for file in FILES]
    for thread in threads:
        thread.start()
        if not together:
            thread.join()
    for thread in threads:
        thread.join()
    return time.perf_counter() - started


def main() -> None:
    for file in FILES:
        pack(file)
    rounds = [(took(together=True), took(together=False)) for _ in range(ROUNDS)]
    ratios = sorted(a / b for a, b in rounds)
    print(f"two threads / one after the other: {ratios[len(ratios) // 2]:.2f} (median of {ROUNDS}; {ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
