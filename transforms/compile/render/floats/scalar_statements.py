"""Statements of Python-float source: assignments and loops, their dead-code elimination and their lines."""

import math
import re

from .....core.types import Any
from ...loops.symbols import arranged

NAME = re.compile(r"\b[xvcika]\d+\b")


def live(body, needed):
    """The statements whose results are needed, and all names that they read."""
    kept = []
    needed = set(needed)
    for item in reversed(body):
        if item[0] != "loop":
            _, name, text = item
            if name in needed:
                kept.append(item)
                needed.update(NAME.findall(text))
        else:
            found = item[1].live(needed)
            if found is not None:
                kept.append(("loop", found))
                needed |= found.reads()
    return kept[::-1], needed


def join_rows(body, wanted):
    """Have what one loop collects and one other reads lie in one list, a tuple a step: 8 lists of 200 took 0.2 ms.

    Args:
        wanted: names that are read after the body.
    """
    readers = {}
    for item in body:
        for name in set(NAME.findall(item[2])) if item[0] != "loop" else item[1].reads():
            readers.setdefault(name, []).append(item[1])
    loops = [item[1] for item in body if type(item[1]) is Loop]
    for first in loops:
        rows = {name: row for name, row, _ in first.collects if name not in wanted}
        for second in loops:
            given = [text for _, _, text, _ in second.read]
            names = [name for name in rows if readers.get(name) == [second] and given.count(name) == 1]
            if len(names) > 1 and second.steps == first.steps:
                first.collects = [item for item in first.collects if item[0] not in names]
                first.collects.append((names[0], [text for name in names for text in rows[name]], False))
                flat = {text: elements for elements, _, text, _ in second.read}
                elements = [x for name in names for x in flat[name]]
                second.read = [item for item in second.read if item[2] not in names]
                second.read.append((elements, f"({', '.join(elements)},)", names[0], True))


def printed(body, indent):
    """The lines of statements."""
    lines = []
    for item in body:
        if item[0] != "loop":
            lines.append("    " * indent + f"{item[1]} = {item[2]}")
            if item[0] == "bounded":
                lines.append("    " * indent + f"if not {-2**63} <= {item[1]} < {2**63}: raise OverflowError")
        else:
            lines += item[1].printed(indent)
    return lines


class Loop:
    """A scan: carried names, the texts they start from and go on with, rows that are read and collected."""

    def __init__(self, steps, reverse, carried, starts, nexts, reads, collects, body):
        self.steps, self.reverse = steps, reverse
        self.carried, self.starts, self.nexts = carried, starts, nexts
        self.read = reads  # (names of the elements of a row, the target, an iterable, whether it can be reversed)
        self.collects = collects  # (name of a list, texts of the elements of a row, whether they are one number)
        self.body = body

    def inside(self, alive, collects):
        """The statements that are needed where some carried names and rows are, and all names that they read."""
        return live(self.body, _names([*[n for c, n in zip(self.carried, self.nexts) if c in alive],
                                       *[text for _, row, _ in collects for text in row]]))

    def reads(self):
        """The names from outside that it reads."""
        outside = _names([*self.starts, *[text for _, _, text, _ in self.read]])
        return outside | self.inside(self.carried, self.collects)[1]

    def live(self, needed):
        """The loop without what is not needed, None if nothing is."""
        collects = [item for item in self.collects if item[0] in needed]
        alive, (body, reads) = _settled(self, needed, lambda alive: self.inside(alive, collects))
        if not alive and not collects:
            return None
        rows = [item for item in self.read if not reads.isdisjoint(item[0])]
        carried, starts, nexts = _carried(self, alive)
        return Loop(self.steps, self.reverse, carried, starts, nexts, rows, collects, body)

    def printed(self, indent):
        pad = "    " * indent
        lines = []
        if self.carried:
            lines.append(f"{pad}{', '.join(self.carried)}, = {', '.join(self.starts)},")
        for name, *_ in self.collects:
            lines.append(f"{pad}{name} = []")
            lines.append(f"{pad}{name}_add = {name}.append")
        if self.read:
            rows = [f"reversed({text})" if self.reverse and turns else text for _, _, text, turns in self.read]
            targets = [target for _, target, _, _ in self.read]
            lines.append(f"{pad}for {', '.join(targets)} in zip({', '.join(rows)}):" if len(rows) > 1 else
                         f"{pad}for {targets[0]} in {rows[0]}:")
        else:
            lines.append(f"{pad}for _ in range({self.steps}):")
        lines += printed(self.body, indent + 1)
        for name, row, single in self.collects:
            lines.append(f"{pad}    {name}_add({row[0] if single else '(' + ', '.join(row) + ',)'})")
        if self.carried:
            lines.append(f"{pad}    {', '.join(self.carried)}, = {', '.join(self.nexts)},")
        if self.reverse:
            lines += [f"{pad}{name}.reverse()" for name, *_ in self.collects]
        return lines


class While:
    """A loop that runs while a test holds: carried names, the texts they start from and go on with."""

    def __init__(self, carried, starts, nexts, test, flag, body):
        self.carried, self.starts, self.nexts = carried, starts, nexts
        self.test, self.flag, self.body = test, flag, body  # statements, the text that they lead to, statements

    def inside(self, alive):
        """The statements that are needed where some carried names are, and all names that they read."""
        body, reads = live(self.body, _names(n for c, n in zip(self.carried, self.nexts) if c in alive))
        test, more = live(self.test, _names([self.flag]))
        return test, body, reads | more

    def reads(self):
        """The names that it reads."""
        return _names(self.starts) | self.inside(self.carried)[2]

    def live(self, needed):
        """The loop without what is not needed, None if nothing is."""
        if needed.isdisjoint(self.carried):
            return None
        alive, (test, body, _) = _settled(self, needed, self.inside)
        carried, starts, nexts = _carried(self, alive)
        return While(carried, starts, nexts, test, self.flag, body)

    def printed(self, indent):
        pad = "    " * indent
        return [f"{pad}{', '.join(self.carried)}, = {', '.join(self.starts)},", f"{pad}while True:",
                *printed(self.test, indent + 1), f"{pad}    if not {self.flag}: break",
                *printed(self.body, indent + 1), f"{pad}    {', '.join(self.carried)}, = {', '.join(self.nexts)},"]


class If:
    """A branch: names, and for each side the statements and the texts that the names stand for."""

    def __init__(self, flag, names, sides):
        self.flag, self.names, self.sides = flag, names, sides

    def reads(self):
        """The names that it reads."""
        return _names([self.flag]).union(*[live(body, _names(texts))[1] for body, texts in self.sides])

    def live(self, needed):
        """The branch without what is not needed, None if nothing is."""
        keep = [k for k, name in enumerate(self.names) if name in needed]
        if not keep:
            return None
        sides = []
        for body, texts in self.sides:
            texts = [texts[k] for k in keep]
            sides.append((live(body, _names(texts))[0], texts))
        return If(self.flag, [self.names[k] for k in keep], sides)

    def printed(self, indent):
        pad = "    " * indent
        lines = []
        for head, (body, texts) in zip((f"if {self.flag}:", "else:"), self.sides):
            lines += [pad + head, *printed(body, indent + 1)]
            lines.append(f"{pad}    {', '.join(self.names)}, = {', '.join(texts)},")
        return lines


def _settled(loop, needed, inside):
    """`(alive, inside(alive))`: what a loop carries that is needed, also for what it carries on itself."""
    alive = {c for c in loop.carried if c in needed}
    while True:
        found = inside(alive)
        more = {c for c in loop.carried if c in found[-1]} - alive
        if not more:
            return alive, found
        alive |= more


def _carried(loop, alive):
    """The carried names of a loop that are needed, what they start from and what they go on with."""
    keep = [k for k, c in enumerate(loop.carried) if c in alive]
    return [[part[k] for k in keep] for part in (loop.carried, loop.starts, loop.nexts)]


def _names(texts):
    return {name for text in texts for name in NAME.findall(text)}


# Values of Python-float source without a name for each element, and numbers as text.

MANY = 256  # elements of an array that is gone through by a loop


class Unfit(Exception):  # noqa: N818 (no error: NumPy source runs instead)
    """A program that is too large for floats, or has other values or operations: `equation` is the first, or None."""

    equation: Any = None


class Given:
    """An input whose elements have no names yet."""

    def __init__(self, name, aval):
        self.name = name
        self.aval = aval
        self.elements = None  # their names, from the first time on that they are asked for


class Rows:
    """The rows that a loop collected: a list of tuples of elements; of numbers, where a row is one."""

    def __init__(self, name, aval):
        self.name = name
        self.aval = aval
        self.single = aval.ndim == 1


def atom(x):
    """A number as text that stands anywhere in an expression."""
    if type(x) is float and (x != x or x in (math.inf, -math.inf)):
        raise Unfit
    text = repr(x)
    return f"({text})" if text[0] == "-" else text


def each(x, say):
    """The results of a function of each element of an array of texts."""
    return arranged([say(text) for text in x.reshape(-1)], x.shape)
