"""The text of values of a vmap in native code: the tensor of all examples below one, and a value over such a tensor."""

from .object_text import GET, TYPE, loads


def maps(at):
    """The text of `@under`, `@below` and `@lifted`; `at` as `objects` of object_text.py has it."""
    get = GET.format
    return f"""
; the tensor below a value of the innermost vmap, borrowed, where nothing else is in force; null otherwise. Some mode is
define internal ptr @under(ptr %table, ptr %t) {{
entry:
  %cell = alloca ptr
{loads(context="PyContextVar_Get", modes="MODES", none="None", drop="Py_DecRef", tensor="Tensor",
       item="PyTuple_GetItem")}
{get("kind", "t", TYPE)}
  %is_tensor = icmp eq ptr %kind, %tensor
  br i1 %is_tensor, label %where, label %no
where:
  %done = call i32 %context(ptr %modes, ptr null, ptr %cell)
  %m = load ptr, ptr %cell
  call void %drop(ptr %m)
{get("mapped", "m", at["mapped"])}{get("level", "t", at["level_trace"])}{get("without", "m", at["without"])}
  %is_map = icmp ne ptr %mapped, %none
  %is_its = icmp eq ptr %mapped, %level
  %is_asked = icmp ne ptr %without, %none
  %is_value = and i1 %is_map, %is_its
  %may = and i1 %is_value, %is_asked
  br i1 %may, label %under, label %no
under:
  %modes_below = call ptr %item(ptr %without, i64 0)
  %calm = icmp eq ptr %modes_below, %none
  br i1 %calm, label %look, label %no
look:
{get("x", "t", at["value"])}
  ret ptr %x
no:
  ret ptr null
}}

; the same, where it is a plain tensor without history
define internal ptr @below(ptr %table, ptr %t) {{
entry:
{loads(none="None", tensor="Tensor", parameter="Parameter", fast="FAST", false="False")}
  %x = call ptr @under(ptr %table, ptr %t)
  %none_under = icmp eq ptr %x, null
  br i1 %none_under, label %no, label %look
look:
{get("kind_x", "x", TYPE)}
  %x_tensor = icmp eq ptr %kind_x, %tensor
  %x_parameter = icmp eq ptr %kind_x, %parameter
  %x_is = or i1 %x_tensor, %x_parameter
  br i1 %x_is, label %plain, label %no
plain:
{get("key", "x", at["dispatch_key"])}{get("node", "x", at["node"])}{get("wants", "x", at["wants_grad"])}
  %is_fast = icmp eq ptr %key, %fast
  %bare = icmp eq ptr %node, %none
  %unwanted = icmp eq ptr %wants, %false
  %free = and i1 %bare, %unwanted
  %good = and i1 %free, %is_fast
  br i1 %good, label %yes, label %no
yes:
  ret ptr %x
no:
  ret ptr null
}}

; the value of the innermost vmap over a tensor, which it takes: a new reference, null with an exception set
define internal ptr @lifted(ptr %table, ptr %t, ptr %trace) {{
entry:
{loads(none="None", general="GENERAL", drop="Py_DecRef")}
  %wrong = icmp eq ptr %t, null
  br i1 %wrong, label %fail, label %good
good:
  %no_node = call ptr @nothing(ptr %table)
  %no_meta = call ptr @nothing(ptr %table)
  %own_key = call ptr @own(ptr %table, ptr %general)
  %out = call ptr @tensor_of(ptr %table, ptr %t, ptr %no_node, ptr %no_meta, ptr %own_key)
  %failed = icmp eq ptr %out, null
  br i1 %failed, label %fail, label %raise
raise:
  %own_trace = call ptr @own(ptr %table, ptr %trace)
  call void @set(ptr %out, i64 {at["level_trace"]}, ptr %own_trace)
  call void %drop(ptr %none)
  ret ptr %out
fail:
  ret ptr null
}}
"""
