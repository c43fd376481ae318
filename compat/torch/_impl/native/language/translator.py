"""Functions on Python's objects, written in a small part of Python, as text of LLVM.

A source is a module of functions whose parameters and results are annotated with the words of words.py. In them

- a name is a local variable, `NULL`, a named place of the table (an object), or an integer that the module has, or
  imports from one before it;
- `x.name` is a slot of an object where the slots that are known have that name, an attribute as Python has it
  otherwise, and so is an assignment to it; `"name"` is that string, interned;
- `f(x)` calls a function of a source, of signatures.py, or an object; `x.name(y)` a method; `(x, y)` is a new tuple;
- `is` compares objects, `==` and `<` integers; integers wrap; `and`, `or` and `not` are of truths;
- `if`, `while`, `for k in range(n)`, `break`, `continue` and `return` are as in Python.

Each new reference is let go of when its variable gets another one, at the function's end, or after the statement that
had no name for it; what takes a reference is given one of its own. Where a call raises, the function ends: one that
gives `Object` or `Done` hands that on, all others forget the exception and give null, false or 0, which say that the
general way is to be gone.
"""

import ast
import operator

from .calls import Calls
from .expressions import Field, House, Unwritable
from .signatures import FOREIGN, LLVM, NATIVE, PARAMETERS, RESULTS, Signature

_ARITHMETIC = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.LShift: operator.lshift}
SHARED = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal void @release(ptr %table, ptr %x) alwaysinline {
  %none = icmp eq ptr %x, null
  br i1 %none, label %done, label %drop
drop:
  %drop_at = getelementptr inbounds ptr, ptr %table, i64 PLACE_OF_DROP
  %let = load ptr, ptr %drop_at
  call void %let(ptr %x)
  br label %done
done:
  ret void
}

define internal ptr @kept(ptr %table, ptr %x) alwaysinline {
  %none = icmp eq ptr %x, null
  br i1 %none, label %done, label %keep
keep:
  %keep_at = getelementptr inbounds ptr, ptr %table, i64 PLACE_OF_KEEP
  %hold = load ptr, ptr %keep_at
  call void %hold(ptr %x)
  br label %done
done:
  ret ptr %x
}
"""


def module(sources, places, fields, behind, numbers):
    """The text of all functions of sources.

    Args:
        sources: `{name: source}`.
        places: the names of the table's places, in their order.
        fields: `{name: (offset in bytes, kind)}` of the slots of objects.
        behind: for each source the names of what stands behind the places.
        numbers: those of them that are integers.
    """
    trees = {name: ast.parse(source) for name, source in sources.items()}
    functions = {node.name: _signature(node) for tree in trees.values() for node in _functions(tree)
                 if "lane" not in _marks(node)}
    constants: dict = {}  # source -> those that it has, or imports
    for name, tree in trees.items():
        constants[name] = _constants_of(tree, constants)
    found = [SHARED.replace("PLACE_OF_DROP", str(places.index("Py_DecRef"))).replace(
        "PLACE_OF_KEEP", str(places.index("Py_IncRef")))]
    for name, tree in trees.items():
        house = House(places, {x: Field(*field) for x, field in fields.items()}, functions | NATIVE, FOREIGN,
                      constants[name], behind[name], numbers)
        for node in _functions(tree):
            try:
                found.append(_Function(node, house).text())
            except Unwritable as e:
                raise SyntaxError(f"{name}.py, line {e.args[1]}, in {node.name}: {e.args[0]}") from None
    return "\n".join(found)


def _functions(tree):
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def _constants_of(tree, others):
    """`{name: int}` of a source, those included that it imports from other sources."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            theirs = others.get(node.module, {})
            found |= {x.name: theirs[x.name] for x in node.names if x.name in theirs}
        elif isinstance(node, ast.Assign):
            found |= _constants(node, found)
    return found


def _constants(node, known):
    """`{name: int}` of an assignment at the top of a source."""
    target, = node.targets
    value = _constant(node.value, known)
    if isinstance(target, ast.Tuple):
        return dict(zip([x.id for x in target.elts], value, strict=True))
    return {target.id: value}


def _constant(node, known):
    """The int of an expression, or the ints of `range(…)` and of a tuple."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return known[node.id]
    if isinstance(node, ast.Tuple):
        return [_constant(x, known) for x in node.elts]
    if isinstance(node, ast.BinOp):
        return _ARITHMETIC[type(node.op)](_constant(node.left, known), _constant(node.right, known))
    return {"range": range, "ord": ord}[node.func.id](*[_constant(x, known) for x in node.args])


def _marks(node):
    return {mark.id for mark in node.decorator_list}


def _signature(node):
    names = [PARAMETERS[argument.annotation.id] for argument in node.args.args]
    result = node.returns
    return Signature(tuple(names), RESULTS["None" if isinstance(result, ast.Constant) else result.id])


class _Function(Calls):
    """A function that is being written: its statements."""

    def __init__(self, node, house):
        super().__init__(house)
        self.node = node
        self.is_lane = "lane" in _marks(node)
        self.signature = (Signature(("object",) * len(node.args.args), "new") if self.is_lane else _signature(node))
        self.loops = []  # where `continue` and `break` go
        self.find_owned(node)

    def text(self):
        node, name = self.node, self.node.name
        result = LLVM[self.signature.result]
        if result != "void":
            self.allocas.append(f"  %result = alloca {result}")
        names = [argument.arg for argument in node.args.args]
        if self.is_lane:
            head = f"define ptr @{name}(ptr %self, ptr %args, i64 %count)"
            self.begin_lane(names)
        else:
            given = ", ".join(f"{LLVM[kind]} %{x}.given" for x, kind in zip(names, self.signature.parameters))
            inlined = " alwaysinline" if "inline" in _marks(node) else ""
            head = f"define internal {result} @{name}(ptr %table{', ' if given else ''}{given}){inlined}"
            for x, kind in zip(names, self.signature.parameters):
                self.parameter(x, kind, f"%{x}.given")
        self.block(node.body)
        if self.open:
            if result != "void":
                raise Unwritable(f"{name} may end without a return", node.lineno)
            self.jump("exit")
        return f"{head} {{\nentry:\n" + "\n".join([*self.allocas, "  br label %body", "body:", *self.lines,
                                                   *self.end(result)]) + "\n}\n"

    def begin_lane(self, names):
        content = self.house.fields["data"].offset  # of the array that holds the table
        self.lines += [f"  %content = getelementptr inbounds i8, ptr %self, i64 {content}",
                       "  %table = load ptr, ptr %content"]
        fits, given = self.label("given"), self.label("others")
        count = self.op(f"icmp eq i64 %count, {len(names)}")
        self.branch(count, fits, given)
        self.begin(given)
        self.give_none()
        self.begin(fits)
        for k, x in enumerate(names):
            at = self.op(f"getelementptr inbounds ptr, ptr %args, i64 {k}")
            self.parameter(x, "object", self.op(f"load ptr, ptr {at}"))

    def give_none(self):
        self.lines.append(f"  store ptr {self.owned_text(self.place('None'))}, ptr %result")
        self.jump("exit")

    def end(self, result):
        """The lines of what lets go of references and gives the result."""
        self.lines, body = [], self.lines
        if self.fails:
            self.begin("fail")
            if self.signature.result not in ("new", "done"):
                self.lines.append(f"  call void {self.address('PyErr_Clear')}()")
            if result != "void":
                nothing = "null" if result == "ptr" else "false" if result == "i1" else "0"
                self.lines.append(f"  store {result} {nothing}, ptr %result")
            self.jump("exit")
        self.begin("exit")
        for slot in self.owned_slots:
            self.lines.append(f"  call void @release(ptr %table, ptr {self.op(f'load ptr, ptr {slot}')})")
        if result == "void":
            self.lines.append("  ret void")
        else:
            self.lines.append(f"  ret {result} {self.op(f'load {result}, ptr %result')}")
        self.lines, tail = body, self.lines
        return tail

    def block(self, statements):
        for statement in statements:
            if not self.open:
                return
            name = f"write_{type(statement).__name__}"
            if not hasattr(self, name):
                raise Unwritable(f"no {type(statement).__name__} here", statement.lineno)
            self.statement = statement
            getattr(self, name)(statement)
            if self.open:
                self.end_statement()

    def write_Expr(self, node):
        if isinstance(node.value, ast.Constant):
            return
        value = self.value(node.value)
        if value.owned:
            self.keep(value)

    def write_Pass(self, node):
        pass

    def write_Return(self, node):
        kind = self.signature.result
        if node.value is None:
            self.end_statement()
            self.jump("exit")
            return
        if kind in ("new", "maybe"):
            text = self.taken(node.value)
        elif LLVM[kind] == "ptr":
            text = self.borrowed(node.value)
        elif LLVM[kind] == "i1":
            text = self.truth(node.value)
        else:
            text = self.number(node.value)
        self.lines.append(f"  store {LLVM[kind]} {text}, ptr %result")
        self.end_statement()
        self.jump("exit")

    def write_Assign(self, node):
        target, = node.targets
        if isinstance(target, ast.Name):
            self.assign(target.id, node.value)
        elif isinstance(target, ast.Attribute):
            self.set_attribute(target, node.value)
        else:
            self.set_item(target, node.value)

    def write_AugAssign(self, node):
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node)
        self.assign(node.target.id, ast.copy_location(ast.BinOp(read, node.op, node.value), node))

    def write_If(self, node):
        test = self.truth(node.test)
        self.end_statement()
        yes, no, after = self.label("then"), self.label("else"), self.label("after")
        self.branch(test, yes, no)
        self.begin(yes)
        self.block(node.body)
        ends = self.open
        self.jump(after)
        self.begin(no)
        self.block(node.orelse)
        ends = ends or self.open
        self.jump(after)
        if ends:
            self.begin(after)

    def write_While(self, node):
        self.loop(lambda: self.truth(node.test), node.body, lambda: None)

    def write_For(self, node):
        count = self.label("count")
        self.define(count, "int")
        self.lines.append(f"  store i64 {self.number(node.iter.args[0])}, ptr {self.variables[count].slot}")
        name = node.target.id
        if name not in self.variables:
            self.define(name, "int")
        slot = self.variables[name].slot
        self.lines.append(f"  store i64 0, ptr {slot}")

        def test():
            k, n = self.op(f"load i64, ptr {slot}"), self.op(f"load i64, ptr {self.variables[count].slot}")
            return self.op(f"icmp slt i64 {k}, {n}")

        def step():
            k = self.op(f"load i64, ptr {slot}")
            self.lines.append(f"  store i64 {self.op(f'add i64 {k}, 1')}, ptr {slot}")

        self.loop(test, node.body, step)

    def loop(self, test, body, step):
        look, inside, further, after = (self.label(x) for x in ("look", "inside", "further", "after"))
        self.end_statement()
        self.jump(look)
        self.begin(look)
        found = test()
        self.end_statement()
        self.branch(found, inside, after)
        self.begin(inside)
        self.loops.append((further, after))
        self.block(body)
        self.loops.pop()
        self.jump(further)
        self.begin(further)
        step()
        self.jump(look)
        self.begin(after)

    def write_Continue(self, node):
        self.jump(self.loops[-1][0])

    def write_Break(self, node):
        self.jump(self.loops[-1][1])
