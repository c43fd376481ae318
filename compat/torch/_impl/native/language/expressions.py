"""The expressions of functions that are compiled by translator.py, and the references that they give."""

import ast
from typing import NamedTuple

from .signatures import LLVM

_COMPARED = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "slt", ast.LtE: "sle", ast.Gt: "sgt", ast.GtE: "sge",
             ast.Is: "eq", ast.IsNot: "ne"}
_COMPUTED = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and", ast.BitOr: "or", ast.LShift: "shl",
             ast.RShift: "lshr"}
_OWNED = ("new", "maybe")
_GIVERS = frozenset({"own", "attempt", "context", "filled"})  # of words.py: they give new references


class Unwritable(Exception):
    """What cannot be translated, and its line."""


class Value(NamedTuple):
    """What an expression gives: a text of LLVM, its kind, and whether it is a new reference that nothing holds yet."""

    text: str
    kind: str
    owned: bool = False


class Variable(NamedTuple):
    """Where a local variable lies."""

    slot: str
    kind: str
    owned: bool


class Field(NamedTuple):
    """A slot of an object: where it lies in bytes, and the kind of what it holds."""

    offset: int
    kind: str = "object"


class House(NamedTuple):
    """What functions may refer to."""

    places: tuple  # the names of the table's places, in their order
    fields: dict  # name -> Field
    functions: dict  # name -> Signature, of those that the same module of LLVM has
    foreign: dict  # name -> Signature, of those whose addresses stand in the table
    constants: dict  # name -> int
    behind: tuple = ()  # the names of what stands behind the places
    numbers: tuple = ()  # those of `behind` that are integers


class Expressions:
    """A function that is being written: its lines, variables and references."""

    def __init__(self, house):
        self.house = house
        self.lines = []
        self.allocas = []
        self.variables = {}
        self.owned_slots = []
        self.temporary = []  # slots of references that the statement lets go of
        self.spare = []  # such slots that are free again
        self.labels = 0
        self.values = 0
        self.open = True
        self.fails = False
        self.statement = None

    # lines

    def op(self, instruction):
        self.values += 1
        self.lines.append(f"  %v{self.values} = {instruction}")
        return f"%v{self.values}"

    def label(self, name):
        self.labels += 1
        return f"{name}{self.labels}"

    def begin(self, label):
        self.lines.append(f"{label}:")
        self.open = True

    def jump(self, label):
        if self.open:
            self.lines.append(f"  br label %{label}")
        self.open = False

    def branch(self, test, yes, no):
        self.lines.append(f"  br i1 {test}, label %{yes}, label %{no}")
        self.open = False

    def fail_if(self, test):
        self.fails = True
        good = self.label("good")
        self.branch(test, "fail", good)
        self.begin(good)

    # variables

    def find_owned(self, node):
        """The names that are somewhere given a new reference, and where each is read for the last time."""
        self.owned = {x.targets[0].id for x in ast.walk(node) if isinstance(x, ast.Assign)
                      and isinstance(x.targets[0], ast.Name) and self.gives(x.value)}
        self.last = {}
        inside = {id(x) for loop in ast.walk(node) if isinstance(loop, (ast.For, ast.While)) for x in ast.walk(loop)}
        for scope in (node, *(x for x in ast.walk(node) if isinstance(x, ast.Return))):
            found = {}
            for x in ast.walk(scope):
                if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Load):
                    known = found.get(x.id)
                    if known is None or (x.lineno, x.col_offset) > (known.lineno, known.col_offset):
                        found[x.id] = x
            for x in found.values():
                if scope is not node or id(x) not in inside:
                    self.last[id(x)] = x

    def gives(self, node):
        """Tell whether an expression gives a new reference."""
        if isinstance(node, ast.IfExp):
            return self.gives(node.body) or self.gives(node.orelse)
        if isinstance(node, ast.Tuple):
            return True
        if isinstance(node, ast.Attribute):
            return node.attr not in self.house.fields
        if not isinstance(node, ast.Call):
            return False
        if isinstance(node.func, ast.Attribute):
            return True
        name = node.func.id
        if hasattr(self, f"call_{name}"):
            return name in _GIVERS
        known = self.house.functions.get(name) or self.house.foreign.get(name)
        return known is None or known.result in _OWNED

    def define(self, name, kind, owned=False):
        slot = f"%{name}.slot"
        self.allocas.append(f"  {slot} = alloca {LLVM[kind]}")
        if owned:
            self.allocas.append(f"  store ptr null, ptr {slot}")
            self.owned_slots.append(slot)
        self.variables[name] = Variable(slot, kind, owned)

    def parameter(self, name, kind, text):
        owned = kind == "taken" or name in self.owned
        self.define(name, "object" if kind == "taken" else kind, owned)
        if owned and kind != "taken":
            text = self.owned_text(text)
        self.lines.append(f"  store {LLVM[kind]} {text}, ptr {self.variables[name].slot}")

    def assign(self, name, node):
        owned = name in self.owned or (name in self.variables and self.variables[name].owned)
        if owned:
            text, kind = self.taken(node), "object"
        else:
            value = self.value(node)
            text, kind = value.text, value.kind
        if name not in self.variables:
            self.define(name, kind, owned)
        known = self.variables[name]
        if LLVM[known.kind] != LLVM[kind]:
            raise Unwritable(f"{name} is {known.kind}, and is given {kind}", node.lineno)
        before = self.op(f"load ptr, ptr {known.slot}") if owned else None
        self.lines.append(f"  store {LLVM[kind]} {text}, ptr {known.slot}")
        if owned:
            self.lines.append(f"  call void @release(ptr %table, ptr {before})")

    # references

    def owned_text(self, text):
        return self.op(f"call ptr @kept(ptr %table, ptr {text})")

    def keep(self, value):
        """A slot that holds a new reference until the statement ends."""
        if self.spare:
            slot = self.spare.pop()
        else:
            slot = f"%kept{len(self.owned_slots)}.slot"
            self.allocas += [f"  {slot} = alloca ptr", f"  store ptr null, ptr {slot}"]
            self.owned_slots.append(slot)
        self.lines.append(f"  store ptr {value.text}, ptr {slot}")
        self.temporary.append(slot)
        return slot

    def end_statement(self):
        for slot in self.temporary:
            text = self.op(f"load ptr, ptr {slot}")
            self.lines += [f"  store ptr null, ptr {slot}", f"  call void @release(ptr %table, ptr {text})"]
        self.spare += self.temporary
        self.temporary = []

    def borrowed(self, node):
        """The text of an object, which lives until the statement ends at least."""
        value = self.boxed(self.value(node, "object"))
        if value.owned:
            self.keep(value)
        return value.text

    def boxed(self, value):
        """An integer as an object, and objects as they are."""
        if value.kind != "int":
            return value
        found = self.op(f"call ptr {self.address('PyLong_FromSsize_t')}(i64 {value.text})")
        self.fail_if(self.op(f"icmp eq ptr {found}, null"))
        return Value(found, "object", True)

    def taken(self, node):
        """The text of a reference that whoever asked holds from now on."""
        if isinstance(node, ast.Name) and node.id in self.variables and self.variables[node.id].owned:
            slot = self.variables[node.id].slot
            text = self.op(f"load ptr, ptr {slot}")
            if id(node) in self.last:
                self.lines.append(f"  store ptr null, ptr {slot}")
                return text
            return self.owned_text(text)
        value = self.boxed(self.value(node, "object"))
        return value.text if value.owned or value.text == "null" else self.owned_text(value.text)

    # what names stand for

    def place(self, name):
        """The object at a named place of the table, or behind these."""
        house = self.house
        if name in house.places:
            k = house.places.index(name)
        elif name in house.behind:
            k = len(house.places) + house.behind.index(name)
        else:
            raise Unwritable(f"nothing is called {name}", self.statement.lineno)
        at = self.op(f"getelementptr inbounds ptr, ptr %table, i64 {k}")
        return self.op(f"load {'i64' if name in house.numbers else 'ptr'}, ptr {at}")

    address = place  # of a function

    def quoted(self, text):
        """The place of an interned string."""
        return f"'{text}'"

    # expressions

    def value(self, node, want=None):
        """The `Value` of an expression; `want="object"` where True and False are objects."""
        name = f"give_{type(node).__name__}"
        if not hasattr(self, name):
            raise Unwritable(f"no {type(node).__name__} here", node.lineno)
        return getattr(self, name)(node, want)

    def number(self, node):
        value = self.value(node)
        if value.kind != "int":
            raise Unwritable(f"an int is wanted, and this is {value.kind}", node.lineno)
        return value.text

    def truth(self, node):
        value = self.value(node)
        if value.kind != "bool":
            raise Unwritable(f"a bool is wanted, and this is {value.kind}", node.lineno)
        return value.text

    def give_Constant(self, node, want):
        what = node.value
        if type(what) is str:
            return Value(self.place(self.quoted(what)), "object")
        if what is None or (type(what) is bool and want == "object"):
            return Value(self.place(str(what)), "object")
        return Value(str(what).lower(), "bool" if type(what) is bool else "int")

    def give_Name(self, node, want):
        name, house = node.id, self.house
        if name in self.variables:
            known = self.variables[name]
            return Value(self.op(f"load {LLVM[known.kind]}, ptr {known.slot}"), known.kind)
        if name == "NULL":
            return Value("null", "object")
        if name in ("BEHIND", "NUMBERS_BEHIND"):
            at = self.op(f"getelementptr inbounds ptr, ptr %table, i64 {len(house.places)}")
            return Value(at, "cells" if name == "BEHIND" else "words")
        if name in house.places or name in house.behind:
            return Value(self.place(name), "int" if name in house.numbers else "object")
        if name in house.constants:
            return Value(str(house.constants[name]), "int")
        raise Unwritable(f"nothing is called {name}", node.lineno)

    def give_Attribute(self, node, want):
        field = self.house.fields.get(node.attr)
        x = self.borrowed(node.value)
        if field is None:
            name = self.place(self.quoted(node.attr))
            known = self.op(f"call ptr {self.address('PyObject_GetAttr')}(ptr {x}, ptr {name})")
            self.fail_if(self.op(f"icmp eq ptr {known}, null"))
            return Value(known, "object", True)
        at = self.op(f"getelementptr inbounds i8, ptr {x}, i64 {field.offset}")
        found = self.op(f"load {LLVM[field.kind]}, ptr {at}, align {4 if field.kind == 'int32' else 8}")
        if field.kind == "int32":
            return Value(self.op(f"sext i32 {found} to i64"), "int")
        return Value(found, field.kind)

    def set_attribute(self, target, node):
        field = self.house.fields.get(target.attr)
        x = self.borrowed(target.value)
        if field is None:
            value, name = self.borrowed(node), self.place(self.quoted(target.attr))
            done = self.op(f"call i32 {self.address('PyObject_SetAttr')}(ptr {x}, ptr {name}, ptr {value})")
            self.fail_if(self.op(f"icmp ne i32 {done}, 0"))
            return
        value = self.taken(node)
        at = self.op(f"getelementptr inbounds i8, ptr {x}, i64 {field.offset}")
        before = self.op(f"load ptr, ptr {at}")
        self.lines += [f"  store ptr {value}, ptr {at}", f"  call void @release(ptr %table, ptr {before})"]

    def item(self, node):
        """`(address, kind)` of an item of words or cells."""
        room = self.value(node.value)
        if room.kind not in ("words", "cells"):
            raise Unwritable("only words and cells have items", node.lineno)
        kind = "int" if room.kind == "words" else "object"
        index = self.number(node.slice)
        return self.op(f"getelementptr inbounds {LLVM[kind]}, ptr {room.text}, i64 {index}"), kind

    def give_Subscript(self, node, want):
        if isinstance(node.slice, ast.Slice):
            room = self.value(node.value)
            kind = "i64" if room.kind == "words" else "ptr"
            start = self.number(node.slice.lower)
            return Value(self.op(f"getelementptr inbounds {kind}, ptr {room.text}, i64 {start}"), room.kind)
        at, kind = self.item(node)
        return Value(self.op(f"load {LLVM[kind]}, ptr {at}"), kind)

    def set_item(self, target, node):
        value = self.value(node)
        if value.owned:
            raise Unwritable("cells hold no references: give it a name first", node.lineno)
        at, kind = self.item(target)
        self.lines.append(f"  store {LLVM[kind]} {value.text}, ptr {at}")

    def give_Compare(self, node, want):
        (operator,), (right,) = node.ops, node.comparators
        string = isinstance(right, ast.Constant) and type(right.value) is str  # interned ones
        if string or isinstance(operator, (ast.Is, ast.IsNot)):
            x, y, kind = self.borrowed(node.left), self.borrowed(right), "ptr"
        else:
            x, y, kind = self.number(node.left), self.number(right), "i64"
        return Value(self.op(f"icmp {_COMPARED[type(operator)]} {kind} {x}, {y}"), "bool")

    def give_UnaryOp(self, node, want):
        if isinstance(node.op, ast.Not):
            return Value(self.op(f"xor i1 {self.truth(node.operand)}, true"), "bool")
        return Value(self.op(f"sub i64 0, {self.number(node.operand)}"), "int")

    def give_BinOp(self, node, want):
        x, y = self.number(node.left), self.number(node.right)
        return Value(self.op(f"{_COMPUTED[type(node.op)]} i64 {x}, {y}"), "int")

    def give_BoolOp(self, node, want):
        self.labels += 1
        slot = f"%truth{self.labels}.slot"
        self.allocas.append(f"  {slot} = alloca i1")
        after = self.label("after")
        for k, operand in enumerate(node.values):
            found = self.truth(operand)
            self.lines.append(f"  store i1 {found}, ptr {slot}")
            if k < len(node.values) - 1:
                more = self.label("more")
                self.branch(found, *((more, after) if isinstance(node.op, ast.And) else (after, more)))
                self.begin(more)
        self.jump(after)
        self.begin(after)
        return Value(self.op(f"load i1, ptr {slot}"), "bool")

    def give_IfExp(self, node, want):
        owned = self.gives(node)
        test = self.truth(node.test)
        labels = yes, no, after = self.label("then"), self.label("else"), self.label("after")
        slot = f"%{after}.slot"
        self.branch(test, yes, no)
        for label, part in zip(labels, (node.body, node.orelse)):
            self.begin(label)
            value = Value(self.taken(part), "object", True) if owned else self.value(part, want)
            self.lines.append(f"  store {LLVM[value.kind]} {value.text}, ptr {slot}")
            self.jump(after)
        self.allocas.append(f"  {slot} = alloca {LLVM[value.kind]}")
        self.begin(after)
        return Value(self.op(f"load {LLVM[value.kind]}, ptr {slot}"), value.kind, owned)
