"""The text of tensors, nodes and modes in native code: how they are read and made, for the lanes that do so."""

from ....._engine import native_text

ENTRY: str = native_text.ENTRY
TYPE, VALUE, DATA, NDIM, DIMS, STRIDES, BASE, DESCR, FLAGS, KIND, START, STOP, STEP = (  # bytes, in objects
    getattr(native_text, name) for name in ("TYPE", "VALUE", "DATA", "NDIM", "DIMS", "STRIDES", "BASE", "DESCR",
                                            "FLAGS", "KIND", "START", "STOP", "STEP"))
PLACES: tuple[str, ...] = native_text.PLACES + (
    "PyContextVar_Get", "PyDict_GetItemWithError", "PyTuple_New", "PyTuple_SetItem", "PyType_GenericAlloc", "None",
    "True", "False", "int", "Tensor", "Parameter", "GradNode", "MODES", "FAST", "INFERENCE", "INFERRED", "accumulator",
    "next_seq", "aval_of", "numbers of doubles", "numbers of singles", "PyTuple_Size", "PyTuple_GetItem", "PyDict_Next",
    "PyBytes_FromStringAndSize", "PyUnicode_AsUTF8AndSize", "PyLong_AsLongLongAndOverflow", "PyObject_GetAttr", "DUAL",
    "PyErr_Occurred", "Default", "'float'", "is_current", "untangled", "VIEW", "str", "tuple", "Dtype", "DECLINED",
    "PyObject_SetAttr", "PyObject_GetItem", "PyObject_VectorcallMethod", "PyLong_FromVoidPtr", "PyLong_FromSsize_t",
    "PyLong_AsSsize_t", "PySequence_Concat", "PyDict_Size", "slice", "Ellipsis", "Record", "WRITTEN", "EXPOSED",
    "'tangent'", "'base'", "'relaid'", "'attr_version'", "'creation'", "'steps'", "'multi'", "'no_grad'", "'inference'",
    "'shape'", "'reshape'", "'transpose'", "PyDict_SetItem", "PyList_SetItem", "PySet_Contains", "LAST", "Written",
    "'append'", "'prim'", "'name'", "'put'", "Ambient", "GENERAL", "'forward_base'", "'T'", "'dot'")
X, Y, ANSWER, X_AVAL, Y_AVAL = range(1, 6)  # what a rule saves, four bits each


def loads(**slots):
    return native_text.slots(PLACES, **slots)


_SHARED = """
define internal ptr @field(ptr %x, i64 %offset) alwaysinline {
  %at = getelementptr inbounds i8, ptr %x, i64 %offset
  %found = load ptr, ptr %at
  ret ptr %found
}

define internal void @set(ptr %x, i64 %offset, ptr %what) alwaysinline {
  %at = getelementptr inbounds i8, ptr %x, i64 %offset
  store ptr %what, ptr %at
  ret void
}

define internal ptr @own(ptr %table, ptr %x) alwaysinline {
""" + loads(keep="Py_IncRef") + """
  call void %keep(ptr %x)
  ret ptr %x
}

define internal ptr @nothing(ptr %table) alwaysinline {
""" + loads(none="None") + """
  %found = call ptr @own(ptr %table, ptr %none)
  ret ptr %found
}

; what Python gives, called with one object
define internal ptr @asked(ptr %table, ptr %fun, ptr %x) alwaysinline {
  %cell = alloca ptr
  store ptr %x, ptr %cell
""" + loads(vectorcall="PyObject_Vectorcall") + """
  %found = call ptr %vectorcall(ptr %fun, ptr %cell, i64 1, ptr null)
  ret ptr %found
}

; one of the things that a rule saves, a new reference
define internal ptr @item(ptr %table, i64 %what, ptr %x, ptr %y, ptr %v) {
""" + loads(aval_of="aval_of") + f"""
  switch i64 %what, label %result [
    i64 {X}, label %first
    i64 {Y}, label %second
    i64 {X_AVAL}, label %first_aval
    i64 {Y_AVAL}, label %second_aval
  ]
first:
  %own_x = call ptr @own(ptr %table, ptr %x)
  ret ptr %own_x
second:
  %own_y = call ptr @own(ptr %table, ptr %y)
  ret ptr %own_y
result:
  %own_v = call ptr @own(ptr %table, ptr %v)
  ret ptr %own_v
first_aval:
  %aval_x = call ptr @asked(ptr %table, ptr %aval_of, ptr %x)
  ret ptr %aval_x
second_aval:
  %aval_y = call ptr @asked(ptr %table, ptr %aval_of, ptr %y)
  ret ptr %aval_y
}}

; what a rule saves: None, one thing, or a tuple; a new reference, null with an exception set
define internal ptr @saved(ptr %table, i64 %what, ptr %x, ptr %y, ptr %v) {{
entry:
  %any = icmp ne i64 %what, 0
  br i1 %any, label %some, label %no
no:
  %none = call ptr @nothing(ptr %table)
  ret ptr %none
some:
  %rest = lshr i64 %what, 4
  %more = icmp ne i64 %rest, 0
  br i1 %more, label %count, label %one
one:
  %single = call ptr @item(ptr %table, i64 %what, ptr %x, ptr %y, ptr %v)
  ret ptr %single
count:
  %code = phi i64 [%what, %some], [%code_next, %count]
  %n = phi i64 [0, %some], [%n_next, %count]
  %code_next = lshr i64 %code, 4
  %n_next = add i64 %n, 1
  %further = icmp ne i64 %code_next, 0
  br i1 %further, label %count, label %make
make:
""" + loads(new_tuple="PyTuple_New", put="PyTuple_SetItem") + """
  %tuple = call ptr %new_tuple(i64 %n_next)
  %failed = icmp eq ptr %tuple, null
  br i1 %failed, label %fail, label %fill
fill:
  %left = phi i64 [%what, %make], [%left_next, %filled]
  %k = phi i64 [0, %make], [%k_next, %filled]
  %this = and i64 %left, 15
  %found = call ptr @item(ptr %table, i64 %this, ptr %x, ptr %y, ptr %v)
  %wrong = icmp eq ptr %found, null
  br i1 %wrong, label %fail, label %filled
filled:
  %done = call i32 %put(ptr %tuple, i64 %k, ptr %found)
  %left_next = lshr i64 %left, 4
  %k_next = add i64 %k, 1
  %again = icmp ne i64 %left_next, 0
  br i1 %again, label %fill, label %give
give:
  ret ptr %tuple
fail:
  ret ptr null
}
"""

_MORE = f"""
; attributes that Python has
define internal ptr @get_attribute(ptr %table, ptr %x, ptr %name) alwaysinline {{
{loads(get="PyObject_GetAttr", drop="Py_DecRef")}
  %found = call ptr %get(ptr %x, ptr %name)
  ret ptr %found
}}

; the attribute as an address to compare: what it is lives as long as its owner
define internal ptr @look(ptr %table, ptr %x, ptr %name) alwaysinline {{
{loads(get="PyObject_GetAttr", drop="Py_DecRef")}
  %found = call ptr %get(ptr %x, ptr %name)
  call void %drop(ptr %found)
  ret ptr %found
}}

; tuples of one and two objects, which they take
define internal ptr @single(ptr %table, ptr %x) alwaysinline {{
{loads(new_tuple="PyTuple_New", put="PyTuple_SetItem")}
  %tuple = call ptr %new_tuple(i64 1)
  %done = call i32 %put(ptr %tuple, i64 0, ptr %x)
  ret ptr %tuple
}}

define internal ptr @pair(ptr %table, ptr %x, ptr %y) alwaysinline {{
{loads(new_tuple="PyTuple_New", put="PyTuple_SetItem")}
  %tuple = call ptr %new_tuple(i64 2)
  %first_done = call i32 %put(ptr %tuple, i64 0, ptr %x)
  %second_done = call i32 %put(ptr %tuple, i64 1, ptr %y)
  ret ptr %tuple
}}

; what a method of an object gives for one argument; null where it raises, with the exception cleared
define internal ptr @of_method(ptr %table, ptr %name, ptr %x, ptr %y) {{
entry:
  %given = alloca [2 x ptr]
{loads(method="PyObject_VectorcallMethod", forget="PyErr_Clear")}
  store ptr %x, ptr %given
  %second = getelementptr inbounds ptr, ptr %given, i64 1
  store ptr %y, ptr %second
  %found = call ptr %method(ptr %name, ptr %given, i64 2, ptr null)
  %wrong = icmp eq ptr %found, null
  br i1 %wrong, label %clear, label %give
clear:
  call void %forget()
  br label %give
give:
  ret ptr %found
}}
"""


GET = "  %{} = call ptr @field(ptr %{}, i64 {})\n"
_PUT = "  call void @set(ptr %{}, i64 {}, ptr %{})\n"


def _own(name, what):
    return f"  %{name} = call ptr @own(ptr %table, ptr %{what})\n"


def objects(at):
    """The text of internal functions.

    Args:
        at: `{name: offset}` of the slots of tensors, nodes and modes.
    """
    get, put, own = GET, _PUT, _own
    return _SHARED + _MORE + f"""
; a tensor over an array, which it takes with its node: a new reference, null with an exception set
define internal ptr @tensor(ptr %table, ptr %v, ptr %node, i1 %inferred) {{
entry:
{loads(none="None", fast="FAST", inference="INFERENCE", shared="INFERRED")}
  %meta = select i1 %inferred, ptr %shared, ptr %none
  %key = select i1 %inferred, ptr %inference, ptr %fast
{own("own_meta", "meta")}{own("own_key", "key")}
  %t = call ptr @tensor_of(ptr %table, ptr %v, ptr %node, ptr %own_meta, ptr %own_key)
  ret ptr %t
}}

; the same, which takes its record and its key too
define internal ptr @tensor_of(ptr %table, ptr %v, ptr %node, ptr %own_meta, ptr %own_key) {{
entry:
{loads(kind="Tensor", alloc="PyType_GenericAlloc", none="None", false="False")}
  %t = call ptr %alloc(ptr %kind, i64 0)
  %failed = icmp eq ptr %t, null
  br i1 %failed, label %fail, label %fill
fill:
{own("own_none", "none")}{own("own_false", "false")}
{put.format("t", at["value"], "v")}{put.format("t", at["node"], "node")}
{put.format("t", at["autograd_meta"], "own_meta")}
{put.format("t", at["level_trace"], "own_none")}{put.format("t", at["wants_grad"], "own_false")}
{put.format("t", at["dispatch_key"], "own_key")}
  ret ptr %t
fail:
  ret ptr null
}}

; a node, which takes its parents and what it saved
define internal ptr @node(ptr %table, ptr %rule, ptr %parents, ptr %kept) alwaysinline {{
{loads(kind="GradNode")}
  %node = call ptr @node_of(ptr %table, ptr %kind, ptr %rule, ptr %parents, ptr %kept)
  ret ptr %node
}}

define internal ptr @node_of(ptr %table, ptr %kind, ptr %rule, ptr %parents, ptr %kept) {{
entry:
{loads(alloc="PyType_GenericAlloc", next="next_seq", vectorcall="PyObject_Vectorcall")}
  %wrong = icmp eq ptr %kept, null
  br i1 %wrong, label %fail, label %good
good:
  %seq = call ptr %vectorcall(ptr %next, ptr null, i64 0, ptr null)
  %node = call ptr %alloc(ptr %kind, i64 0)
  %failed = icmp eq ptr %node, null
  br i1 %failed, label %fail, label %fill
fill:
{own("own_rule", "rule")}  %none = call ptr @nothing(ptr %table)
{put.format("node", at["rule"], "own_rule")}{put.format("node", at["parents"], "parents")}
{put.format("node", at["saved"], "kept")}{put.format("node", at["seq"], "seq")}{put.format("node", at["extra"], "none")}
  ret ptr %node
fail:
  ret ptr null
}}

; 0 where operations are recorded, 1 in no_grad, 2 in inference mode, where nothing else is in force; 3 otherwise
define internal i64 @mode(ptr %table) {{
entry:
  %cell = alloca ptr
{loads(get="PyContextVar_Get", modes="MODES", none="None", true="True", drop="Py_DecRef")}
  %done = call i32 %get(ptr %modes, ptr null, ptr %cell)
  %m = load ptr, ptr %cell
  call void %drop(ptr %m)
  %default = icmp eq ptr %m, %none
  br i1 %default, label %recording, label %look
look:
{get.format("still", "m", at["still"])}{get.format("inference", "m", at["inference"])}
  %calm = icmp eq ptr %still, %true
  br i1 %calm, label %calmly, label %other
calmly:
  %inferring = icmp eq ptr %inference, %true
  %which = select i1 %inferring, i64 2, i64 1
  ret i64 %which
recording:
  ret i64 0
other:
  ret i64 3
}}

; whether a tensor is a plain one of floats whose history is up to date; Python is asked of views where `current` does
; not see that
define internal i1 @usable(ptr %table, ptr %t, i64 %mode) {{
entry:
{loads(fast="FAST", view="VIEW", inference="INFERENCE", true="True", is_current="is_current", untangled="untangled",
       drop="Py_DecRef", forget="PyErr_Clear")}
{get.format("key", "t", at["dispatch_key"])}
  %is_fast = icmp eq ptr %key, %fast
  br i1 %is_fast, label %yes, label %not_fast
not_fast:
  %is_view = icmp eq ptr %key, %view
  br i1 %is_view, label %a_view, label %not_view
a_view:
  %seen = call i1 @current(ptr %table, ptr %t, i64 %mode)
  br i1 %seen, label %yes, label %ask
ask:
  %recording = icmp eq i64 %mode, 0
  %question = select i1 %recording, ptr %is_current, ptr %untangled
  %verdict = call ptr @asked(ptr %table, ptr %question, ptr %t)
  %failed = icmp eq ptr %verdict, null
  br i1 %failed, label %clear, label %heard
heard:
  call void %drop(ptr %verdict)
  %is_so = icmp eq ptr %verdict, %true
  ret i1 %is_so
not_view:
  %is_inferred = icmp eq ptr %key, %inference
  %calm = icmp ne i64 %mode, 0
  %may = and i1 %is_inferred, %calm
  ret i1 %may
clear:
  call void %forget()
  ret i1 false
yes:
  ret i1 true
}}

; whether an object is a tensor, and `usable`
define internal i1 @plain(ptr %table, ptr %t, i64 %mode) {{
entry:
{loads(tensor="Tensor", parameter="Parameter")}{get.format("kind", "t", TYPE)}
  %is_tensor = icmp eq ptr %kind, %tensor
  %is_parameter = icmp eq ptr %kind, %parameter
  %is = or i1 %is_tensor, %is_parameter
  br i1 %is, label %look, label %no
look:
  %good = call i1 @usable(ptr %table, ptr %t, i64 %mode)
  ret i1 %good
no:
  ret i1 false
}}

; the node of an operand, a new reference; null where it has no history, and with an exception where that cannot be had
define internal ptr @edge(ptr %table, ptr %t) {{
entry:
{loads(none="None", false="False", accumulator="accumulator")}
{get.format("node", "t", at["node"])}
  %known = icmp ne ptr %node, %none
  br i1 %known, label %give, label %look
give:
  %owned = call ptr @own(ptr %table, ptr %node)
  ret ptr %owned
look:
{get.format("wants", "t", at["wants_grad"])}
  %unwanted = icmp eq ptr %wants, %false
  br i1 %unwanted, label %no, label %leaf
leaf:
  %made = call ptr @asked(ptr %table, ptr %accumulator, ptr %t)
  ret ptr %made
no:
  ret ptr null
}}

; whether elements lie in the order of the axes
define internal i1 @ordered(ptr %x) alwaysinline {{
  %at = getelementptr inbounds i8, ptr %x, i64 {FLAGS}
  %flags = load i32, ptr %at
  %bit = and i32 %flags, {native_text.ORDERED}
  %is = icmp ne i32 %bit, 0
  ret i1 %is
}}

; the array that owns the memory of one
define internal ptr @root(ptr %table, ptr %given) {{
entry:
{loads(ndarray="ndarray")}
  br label %down
down:
  %x = phi ptr [%given, %entry], [%base, %further]
  %base = call ptr @field(ptr %x, i64 {BASE})
  %is_root = icmp eq ptr %base, null
  br i1 %is_root, label %found, label %look
look:
{get.format("kind", "base", TYPE)}
  %is_array = icmp eq ptr %kind, %ndarray
  br i1 %is_array, label %further, label %found
further:
  br label %down
found:
  ret ptr %x
}}

; how many axes an array has, and whether two have the same
define internal i1 @same_shape(ptr %x, ptr %y) alwaysinline {{
  %rank_x_at = getelementptr inbounds i8, ptr %x, i64 {NDIM}
  %rank_y_at = getelementptr inbounds i8, ptr %y, i64 {NDIM}
  %rank_x = load i32, ptr %rank_x_at
  %rank_y = load i32, ptr %rank_y_at
  %dims_x = call ptr @field(ptr %x, i64 {DIMS})
  %dims_y = call ptr @field(ptr %y, i64 {DIMS})
  %same = call i1 @alike(i32 %rank_x, ptr %dims_x, i32 %rank_y, ptr %dims_y)
  ret i1 %same
}}
"""
