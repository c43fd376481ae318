"""Check a built site: `python docs/check_site.py docs/_build/html`.

Every link inside the site leads to a page and a place in it, every picture is there, the search finds every public
name, and every cell that makes a figure shows it.
"""

import importlib
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import numpy as np
from sphinx.search.en import SearchEnglish

import covector as cv

NAMESPACES = ("", "numpy", "numpy.linalg", "numpy.fft", "nn", "random", "tree", "optimizers", "debug", "scipy.special",
              "scipy.linalg", "lax")
DOCS = Path(__file__).resolve().parent
SKIPPED = ("_static/", "_sources/", "_modules/")
CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Page(HTMLParser):
    """What a page links to, and the places in it."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.pictures = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if given.get("id"):
            self.ids.add(given["id"])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag == "img" and given.get("src"):
            self.pictures.append(given["src"])


def broken_links(site):
    """`page: link` of each link or picture that leads nowhere."""
    pages = {path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    found = []
    for name, page in sorted(pages.items()):
        if name.startswith(SKIPPED):
            continue
        for link in page.links + page.pictures:
            if re.match(r"[a-z]+:", link):
                continue
            target, place = urldefrag(link)
            path = (site / name).parent / unquote(target) if target else site / name
            where = path.resolve().relative_to(site.resolve()).as_posix() if path.exists() else None
            if where is None or place and where in pages and unquote(place) not in pages[where].ids | {"top"}:
                found.append(f"{name}: {link}")
    return found


def plots_missing(site):
    """Pages with fewer figures than cells that make one."""
    missing = []
    for path in sorted(DOCS.rglob("*.md")):
        made = sum("plt.subplots(" in cell for cell in CELL.findall(path.read_text(encoding="utf-8")))
        page = path.relative_to(DOCS).as_posix().removesuffix(".md")
        shown = (site / f"{page}.html").read_text(encoding="utf-8").count("<img alt")
        if shown < made:
            missing.append(f"{page}: {shown} of {made}")
    return missing


def names_not_found(site):
    """Public names that neither the index of objects nor the words of the search know."""
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("{") : text.rindex("}") + 1])
    objects = {entry[-1] for group in index["objects"].values() for entry in (
        group if isinstance(group, list) else [[name] for name in group])}
    words = set(index["terms"]) | set(index["titleterms"])
    missing, stem = [], SearchEnglish({}).stem
    for namespace in NAMESPACES:
        module = importlib.import_module(f"covector.{namespace}") if namespace else cv
        names = getattr(module, "__all__", None) or [n for n in dir(module) if not n.startswith("_")]
        if namespace in ("numpy.linalg", "numpy.fft"):
            names = [n for n in names if hasattr(getattr(np, namespace[6:]), n)]
        for name in names:
            if callable(getattr(module, name)) and name not in objects and stem(name.lower()) not in words:
                missing.append(f"{module.__name__}.{name}")
    return missing


def main():
    site = Path(sys.argv[1])
    broken, missing, plots = broken_links(site), names_not_found(site), plots_missing(site)
    for kind, rows in (("leads nowhere", broken), ("not found by the search", missing), ("figures", plots)):
        for row in rows:
            print(f"{kind}: {row}")
    pages = len(list(site.rglob("*.html")))
    print(f"{pages} pages: {len(broken)} links that lead nowhere, {len(missing)} public names that the search misses, "
          f"{len(plots)} pages without a figure that they make")
    sys.exit(bool(broken or missing or plots))


if __name__ == "__main__":
    main()
