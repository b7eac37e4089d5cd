"""The Python examples of the READMEs: run with nothing installed but the wheel, or written to a folder for type checkers."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def examples() -> list[tuple[Path, str]]:
    found: list[tuple[Path, str]] = []
    for readme in (ROOT / "python" / "README.md", ROOT / "README.md"):
        found += [(readme, text) for text in re.findall(r"```python\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)]
    assert len(found) >= 3, f"only {len(found)} examples were found"
    return found


def main() -> None:
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
        folder.mkdir(parents=True, exist_ok=True)
        for index, (_, text) in enumerate(examples()):
            (folder / f"example{index}.py").write_text(text, encoding="utf-8")
        return
    for readme, text in examples():
        exec(compile(text, str(readme), "exec"), {"__name__": "__readme__"})
    print(f"{len(examples())} examples ran")


if __name__ == "__main__":
    main()
