"""A process of its own that packs one file after another, within limits of time and memory.

What a file makes go wrong (a search that does not end, memory that is not there, a crash) ends the child, never the process that asked.
The child answers lines of JSON with lines of JSON: `python -m keyfold._child BYTES`.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any, TypeAlias

Json: TypeAlias = "dict[str, Any]"


class TooMuch(Exception):
    """A file took too long, or too much memory."""


class Child:
    """Starts when it is first needed, and again when it died."""

    def __init__(self, seconds: float | None, memory: int | None) -> None:
        self._seconds, self._memory = seconds, memory
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def pack(self, source: Path, output: Path, options: Json) -> Json:
        """Packs a file to a place, and answers with `report`, or with `failure` and `at`, and with what it took."""
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(self._seconds, stop) if self._seconds else None
        if timer:
            timer.start()
        try:
            process.stdin.write(json.dumps({"source": str(source), "output": str(output), "options": options}) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            if timer:
                timer.cancel()
        if line:
            answer: Json = json.loads(line)
            return answer
        self._end()
        if late.is_set():
            raise TooMuch(f"took more than {self._seconds:g} s")
        raise TooMuch(f"ended with {process.returncode}: too much memory, or a crash")

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            command = [sys.executable, "-m", "keyfold._child", str(self._memory or 0)]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def main() -> None:
    from . import KeyfoldError, pack

    limit(int(sys.argv[1]))
    for line in sys.stdin:
        request: Json = json.loads(line)
        answer: Json = {}
        forget_peak()
        started, worked = time.monotonic(), time.process_time()
        try:
            packed = pack(request["source"], output=request["output"], threads=1, **request["options"])
            answer["report"] = packed.report
        except (KeyfoldError, ValueError, OSError) as error:
            answer["failure"], answer["at"] = str(error), getattr(error, "at", "")
        answer["seconds"] = time.monotonic() - started
        answer["cpu_seconds"] = time.process_time() - worked
        answer["peak_memory"] = peak()
        print(json.dumps(answer), flush=True)


def limit(memory: int) -> None:
    """Lets the process have so many bytes of addresses more than it has now; where the system knows no such limit, no limit."""
    if memory and sys.platform == "linux":
        import resource

        now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + memory, now + memory))


def forget_peak() -> None:
    """Lets the kernel measure the largest use of memory anew; where it cannot, the largest since the start counts."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak() -> int | None:
    """The largest use of memory in bytes."""
    try:
        status: IO[str]
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
    except OSError:
        return None


if __name__ == "__main__":
    main()
