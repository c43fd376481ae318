"""Draw the figures of pages anew: `python docs/pictures.py` runs the examples of a page and saves its `figure`."""

import doctest
import re
from pathlib import Path

import matplotlib

DOCS = Path(__file__).resolve().parent
PAGES = ("tutorial", "debugging")
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main():
    matplotlib.use("Agg")
    matplotlib.rc_file(DOCS / "matplotlibrc")  # colours that are read on white and on black
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "covector", "font.family": "sans-serif"})
    for page in PAGES:
        given = {}
        for block in FENCE.findall((DOCS / f"{page}.md").read_text(encoding="utf-8")):
            for example in doctest.DocTestParser().get_examples(block):
                if example.exc_msg is None:
                    exec(compile(example.source, page, "single"), given)
        given["figure"].savefig(DOCS / "_static" / f"{page}.svg", metadata={"Date": None}, transparent=True)


if __name__ == "__main__":
    main()
