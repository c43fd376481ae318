"""The calls of functions that are compiled by translator.py."""

import ast

from .expressions import Expressions, Unwritable, Value
from .signatures import LLVM, Signature


class Calls(Expressions):
    """A function that is being written: its calls."""

    def give_Call(self, node, want):
        return self.called(node)

    def called(self, node, raises=True):
        """The `Value` of a call; with `raises=False` null is handed to whoever asks."""
        if isinstance(node.func, ast.Attribute):
            name = self.place(self.quoted(node.func.attr))
            return self.vectorcall("PyObject_VectorcallMethod", name, [node.func.value, *node.args], raises)
        name = node.func.id
        if hasattr(self, f"call_{name}"):
            return getattr(self, f"call_{name}")(node)
        house = self.house
        if name in house.functions:
            return self.call(f"@{name}", house.functions[name], node, raises, ["ptr %table"])
        if name in house.foreign:
            return self.call(None, house.foreign[name], node, raises, [])
        return self.vectorcall("PyObject_Vectorcall", self.borrowed(node.func), node.args, raises)

    def call(self, symbol, known: Signature, node, raises, given):
        """A call of a function with a signature: one with a symbol, or whose address stands in the table."""
        if len(node.args) != len(known.parameters):
            raise Unwritable(f"{node.func.id} takes {len(known.parameters)} arguments", node.lineno)
        handed = []
        for kind, argument in zip(known.parameters, node.args):
            text = self.argument(kind, argument)
            if kind == "taken":
                handed.append(self.keep(Value(text, "object", True)))  # those behind it may raise
            given.append(f"{LLVM[kind]} {text}")
        for slot in handed:
            self.lines.append(f"  store ptr null, ptr {slot}")
        symbol = symbol or self.address(node.func.id)
        return self.result(known.result, f"call {LLVM[known.result]} {symbol}({', '.join(given)})", raises)

    def argument(self, kind, node):
        if kind == "taken":
            return self.taken(node)
        if kind == "int":
            return self.number(node)
        if kind == "bool":
            return self.truth(node)
        if kind == "int32":
            return self.op(f"trunc i64 {self.number(node)} to i32")
        if kind == "raw":
            return self.value(node).text
        return self.borrowed(node)

    def result(self, kind, instruction, raises=True):
        if kind == "nothing":
            self.lines.append(f"  {instruction}")
            return Value("", "nothing")
        found = self.op(instruction)
        if kind == "new" and raises:
            self.fail_if(self.op(f"icmp eq ptr {found}, null"))
        elif kind == "done" and raises:
            self.fail_if(self.op(f"xor i1 {found}, true"))
        elif kind == "status":
            self.fail_if(self.op(f"icmp ne i32 {found}, 0"))
        elif kind == "truth":
            self.fail_if(self.op(f"icmp slt i32 {found}, 0"))
            return Value(self.op(f"icmp ne i32 {found}, 0"), "bool")
        if kind in ("new", "maybe"):
            return Value(found, "object", True)
        return Value(found, {"borrowed": "object", "done": "bool"}.get(kind, kind))

    def vectorcall(self, caller, what, arguments, raises):
        """A call of an object, or of a method."""
        texts = [self.borrowed(x) for x in arguments]
        self.labels += 1
        room = f"%given{self.labels}.slot"
        self.allocas.append(f"  {room} = alloca [{len(texts) or 1} x ptr]")
        for k, text in enumerate(texts):
            at = self.op(f"getelementptr inbounds ptr, ptr {room}, i64 {k}")
            self.lines.append(f"  store ptr {text}, ptr {at}")
        address = self.address(caller)
        return self.result("new", f"call ptr {address}(ptr {what}, ptr {room}, i64 {len(texts)}, ptr null)", raises)

    def give_Tuple(self, node, want):
        """A new tuple."""
        texts, slots = [], []
        for x in node.elts:
            texts.append(self.taken(x))
            slots.append(self.keep(Value(texts[-1], "object", True)))
        made = self.result("new", f"call ptr {self.address('PyTuple_New')}(i64 {len(slots)})")
        put = self.address("PyTuple_SetItem")
        for k, (text, slot) in enumerate(zip(texts, slots)):
            self.lines.append(f"  store ptr null, ptr {slot}")
            self.op(f"call i32 {put}(ptr {made.text}, i64 {k}, ptr {text})")
        return made

    # the words of words.py

    def call_type(self, node):
        offset = self.house.fields["type"].offset
        at = self.op(f"getelementptr inbounds i8, ptr {self.borrowed(node.args[0])}, i64 {offset}")
        return Value(self.op(f"load ptr, ptr {at}"), "object")

    def call_own(self, node):
        return Value(self.taken(node.args[0]), "object", True)

    def call_attempt(self, node):
        value = self.called(node.args[0], raises=False)
        wrong, forgotten, after = (self.label(x) for x in ("wrong", "forgotten", "after"))
        self.branch(self.op(f"icmp eq ptr {value.text}, null"), wrong, after)
        self.begin(wrong)
        self.lines.append(f"  call void {self.address('PyErr_Clear')}()")
        self.jump(after)
        self.begin(after)
        return value

    def call_context(self, node):
        self.labels += 1
        cell = f"%context{self.labels}.slot"
        self.allocas.append(f"  {cell} = alloca ptr")
        variable = self.borrowed(node.args[0])
        self.result("status", f"call i32 {self.address('PyContextVar_Get')}(ptr {variable}, ptr null, ptr {cell})")
        return Value(self.op(f"load ptr, ptr {cell}"), "object", True)

    def call_filled(self, node):
        fresh = self.value(node.args[0])
        slot = self.keep(fresh)
        for slot_of in node.keywords:
            text = self.taken(slot_of.value)
            at = self.op(f"getelementptr inbounds i8, ptr {fresh.text}, i64 {self.house.fields[slot_of.arg].offset}")
            self.lines.append(f"  store ptr {text}, ptr {at}")
        self.lines.append(f"  store ptr null, ptr {slot}")
        return fresh

    def call_words(self, node):
        return self.room(node, "words", "i64")

    def call_cells(self, node):
        return self.room(node, "cells", "ptr")

    def room(self, node, kind, item):
        self.labels += 1
        slot = f"%room{self.labels}.slot"
        count = self.value(node.args[0]).text
        self.allocas.append(f"  {slot} = alloca [{count} x {item}]")
        return Value(slot, kind)

    def call_address(self, node):
        return Value(self.op(f"ptrtoint ptr {self.borrowed(node.args[0])} to i64"), "int")

    def call_copy(self, node):
        to, what, count = (self.value(x).text for x in node.args)
        self.lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {what}, i64 {count}, i1 false)")
        return Value("", "nothing")
