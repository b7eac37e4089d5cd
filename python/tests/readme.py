"""Runs the Python examples of the READMEs: with nothing installed but the wheel, from the project's root."""

import re
from pathlib import Path


def main() -> None:
    root = Path(__file__).resolve().parents[2]
    ran = 0
    for readme in (root / "python" / "README.md", root / "README.md"):
        for example in re.findall(r"```python\n(.*?)```", readme.read_text(), re.DOTALL):
            exec(compile(example, str(readme), "exec"), {"__name__": "__readme__"})
            ran += 1
    assert ran >= 3, f"only {ran} examples were found"
    print(f"{ran} examples ran")


main()
