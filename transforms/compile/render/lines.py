"""Lines of source: the text of a function, its names, and the objects that it refers to."""

import re
from keyword import iskeyword

from ...graph.equations import Var
from ...scope.errstate import quiet, within

_LOCAL = frozenset({"run", "frame", "new_frame", "range", "n", "m", "i", "j", "_"})  # what the lines themselves say
_VARIABLE = re.compile(r"[a-z]{1,2}\d+")


class Lines:
    """The text of a function, as it is written."""

    def __init__(self):
        self.lines = []  # (indentation, text, where the user asked for it)
        self.indent = 1
        self.where = None
        self.names = {}  # variable -> its name
        self.globals = {}  # name -> object
        self.known = {}  # id of an object -> its name
        self.count = 0
        self.begun = 0  # the lines before that stretch
        self.silent = False  # how the stretch warns that is being written, as `quiet` of an equation says
        self.outside = 0  # the indentation outside of it
        self.within = False  # how the whole loop warns that is being written

    def write(self, text):
        """Add a line."""
        self.lines.append((self.indent, text, self.where))

    def label(self, letter):
        """A new name."""
        self.count += 1
        return f"{letter}{self.count}"

    def name(self, var, letter="v"):
        """A new name for a variable."""
        self.names[var] = name = self.label(letter)
        return name

    def object(self, value, hint):
        """The name of an object that the function refers to."""
        name = self.known.get(id(value))
        if name is None:
            name = hint = identifier(hint)
            while name in self.globals or name in _LOCAL:
                self.count += 1
                name = f"{hint}{self.count}"
            self.globals[name] = value
            self.known[id(value)] = name
        return name

    def ref(self, v):
        """The text for a variable or a constant."""
        if type(v) is Var:
            return self.names[v]
        value = v.value
        if type(value) is bool or type(value) is int or type(value) is float and value == value and abs(value) < 1e308:
            return f"({value!r})" if value < 0 or str(value)[0] == "-" else repr(value)
        return self.object(value, "k")

    def param(self, value):
        """The text for a static parameter."""
        if value is None or type(value) in (bool, int, str) or value is Ellipsis:
            return "..." if value is Ellipsis else repr(value)
        if type(value) is tuple and all(type(x) in (bool, int, str) or x is None for x in value):
            return repr(value)
        return self.object(value, "p")

    def index(self, index):
        """The text of a basic index."""
        if type(index) is tuple:
            return ", ".join(map(self.index, index)) + ("," if len(index) == 1 else "") if index else "()"
        if type(index) is slice:
            parts = ["" if p is None else str(p) for p in (index.start, index.stop)]
            return ":".join(parts) + (f":{index.step}" if index.step is not None else "")
        return "..." if index is Ellipsis else repr(index) if index is None or type(index) in (int, bool) else (
            self.object(index, "i"))

    def scope(self, silent):
        """Be in a stretch that warns so, from here on."""
        if self.within is True or silent == self.within:
            silent = False
        if silent == self.silent:
            return
        if self.silent is not False:
            self.indent = self.outside
            if len(self.lines) == self.begun:  # nothing was written in it
                self.lines.pop()
        if silent is not False:
            self.outside = self.indent
            self.write(f"with {self.object(quiet, 'quiet')}():" if silent is True else
                       f"with {self.object(within, 'within')}({self.object(silent, 'state')}):")
            self.indent += 1
            self.begun = len(self.lines)
        self.silent = silent


def identifier(text):
    """A Python name like a text: no keyword, and no `v12` as variables are called."""
    name = text if text.isascii() and text.isidentifier() else "".join([  # a pattern of its own takes 0.2 ms to compile
        c if c.isascii() and c.isalnum() else "_" for c in text])
    return f"of_{name}_" if not name.isidentifier() or iskeyword(name) or _VARIABLE.fullmatch(name) else name
