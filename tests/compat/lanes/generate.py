"""Writes the lanes of `compat/torch/_impl/fastpath` from `template.txt`.

    python tests/compat/lanes/generate.py

The template is Python with macros: `@plain(t)` stands for the text behind `macro plain(t)`, its parameters put in place
of `$t`. A macro of several lines is a statement of its own, and takes the indentation of its line.
"""

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent.parent.parent / "compat" / "torch" / "_impl" / "fastpath"
CALL = re.compile(r"@(\w+)\(")


def files():
    """The text of each generated file by its name."""
    macros, texts, lines = {}, {}, []
    for line in (HERE / "template.txt").read_text(encoding="utf-8").splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "macro":
            name, parameters = rest.rstrip(")").split("(")
            lines = []
            macros[name] = parameters.split(", "), lines
        elif kind == "file":
            texts[rest] = lines = []
        elif not line.startswith("#"):
            lines.append(line)
    return {name: "\n".join([made for line in body for made in expanded(line, macros)]).strip() + "\n"
            for name, body in texts.items()}


def expanded(line, macros):
    """The lines that a line of the template comes to."""
    call = CALL.search(line)
    if call is None:
        return [line]
    end = call.end()
    arguments, depth = [""], 1
    while depth:
        c = line[end]
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 1:
            arguments.append("")
        elif depth:
            arguments[-1] += c
        end += 1
    parameters, body = macros[call[1]]
    given = dict(zip(parameters, map(str.strip, arguments), strict=True))
    body = [re.sub(r"\$(\w+)", lambda m: given[m[1]], text) for text in body if text]
    head, tail = line[: call.start()], line[end:]
    if len(body) == 1:
        return expanded(head + body[0] + tail, macros)
    if head.strip() or tail.strip():
        raise ValueError(f"@{call[1]} is a statement of its own, but was used in {line!r}")
    return [made for text in body for made in expanded(head + text, macros)]


if __name__ == "__main__":
    for name, text in files().items():
        (TARGET / name).write_text(text, encoding="utf-8")
