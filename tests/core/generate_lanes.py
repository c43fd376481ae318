"""Writes the fast lanes of core and compat from their templates: `python -P tests/core/generate_lanes.py`."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = [ROOT / "tests" / "compat" / "lanes.template"]
MACRO = re.compile(r"^macro (\w+)\((.*)\):\n((?:(?:    .*)?\n)+)", re.M)
FILE = re.compile(r"^=== (\S+)\n", re.M)
CALL = re.compile(r"\$(\w+)\(")


def generated(text):
    """`{path: source}` of the files of a template."""
    shared, *parts = FILE.split(text)
    macros = {}
    for name, parameters, body in MACRO.findall(shared):
        lines = [line[4:] for line in body.rstrip("\n").split("\n")]
        macros[name] = [p.strip() for p in parameters.split(",")], lines
    return {path: "\n".join(expanded(source.split("\n"), macros)) for path, source in zip(parts[::2], parts[1::2])}


def expanded(lines, macros):
    """The lines, each call of a macro replaced by its body with the arguments in place of the parameters.

    A macro of one line is an expression, and may stand anywhere in a line.
    """
    out = []
    for line in lines:
        call = CALL.search(line)
        if call is None:
            out.append(line)
            continue
        parameters, body = macros[call[1]]
        end = call.end()
        while line[call.end() : end].count("(") + 1 != line[call.end() : end].count(")"):
            end += 1
        source = f"f({line[call.end() : end]}"
        arguments = [ast.get_source_segment(source, node) for node in ast.parse(source, mode="eval").body.args]
        values = dict(zip(parameters, arguments, strict=True))
        words = re.compile(r"(?<![\w.])(" + "|".join(parameters) + r")\b")
        body = [words.sub(lambda found, values=values: values[found[0]], row) for row in body]
        head, tail = line[: call.start()], line[end:]
        if len(body) > 1 and (head.strip() or tail):
            raise ValueError(f"{call[1]} has several lines, but is used inside of one: {line.strip()}")
        out += expanded([head + row + tail if row else row for row in body], macros)
    return out


if __name__ == "__main__":
    for template in TEMPLATES:
        for path, source in generated(template.read_text(encoding="utf-8")).items():
            (ROOT / path).write_text(source, encoding="utf-8")
