"""The text of what programs call in native code: a tensor of an array, a node of a rule, a value of the tape."""

from .object_text import ENTRY, loads


def makers(at):
    """The text of `@made`, `@inferred`, `@noted` and `@boxed`; `at` as `objects` of object_text.py has it."""
    put = "  call void @set(ptr %out, i64 {}, ptr %{})\n".format
    return _MAKERS + f"""
; boxed(owner, value, node, aval): a value of the tape without a tangent
define ptr @boxed(ptr %self, ptr %args, i64 %count) {{
{ENTRY}{loads(kind="Ambient", alloc="PyType_GenericAlloc")}
  %second = getelementptr inbounds ptr, ptr %args, i64 1
  %third = getelementptr inbounds ptr, ptr %args, i64 2
  %fourth = getelementptr inbounds ptr, ptr %args, i64 3
  %owner = load ptr, ptr %args
  %value = load ptr, ptr %second
  %node = load ptr, ptr %third
  %aval = load ptr, ptr %fourth
  %out = call ptr %alloc(ptr %kind, i64 0)
  %failed = icmp eq ptr %out, null
  br i1 %failed, label %fail, label %fill
fill:
  %own_owner = call ptr @own(ptr %table, ptr %owner)
  %own_value = call ptr @own(ptr %table, ptr %value)
  %own_node = call ptr @own(ptr %table, ptr %node)
  %own_aval = call ptr @own(ptr %table, ptr %aval)
  %no_tangent = call ptr @nothing(ptr %table)
{put(at["boxed owner"], "own_owner")}{put(at["boxed value"], "own_value")}{put(at["boxed node"], "own_node")}
{put(at["boxed aval"], "own_aval")}{put(at["boxed tangent"], "no_tangent")}
  ret ptr %out
fail:
  ret ptr null
}}
"""


_MAKERS = f"""
; made(array, node): a tensor
define ptr @made(ptr %self, ptr %args, i64 %count) {{
{ENTRY}
  %second = getelementptr inbounds ptr, ptr %args, i64 1
  %array = load ptr, ptr %args
  %node = load ptr, ptr %second
  %own_array = call ptr @own(ptr %table, ptr %array)
  %own_node = call ptr @own(ptr %table, ptr %node)
  %t = call ptr @tensor(ptr %table, ptr %own_array, ptr %own_node, i1 false)
  ret ptr %t
}}

; inferred(array): a tensor of inference mode
define ptr @inferred(ptr %self, ptr %args, i64 %count) {{
{ENTRY}
  %array = load ptr, ptr %args
  %own_array = call ptr @own(ptr %table, ptr %array)
  %no_node = call ptr @nothing(ptr %table)
  %t = call ptr @tensor(ptr %table, ptr %own_array, ptr %no_node, i1 true)
  ret ptr %t
}}

; noted(rule, parents, saved): a node
define ptr @noted(ptr %self, ptr %args, i64 %count) {{
{ENTRY}
  %second = getelementptr inbounds ptr, ptr %args, i64 1
  %third = getelementptr inbounds ptr, ptr %args, i64 2
  %rule = load ptr, ptr %args
  %parents = load ptr, ptr %second
  %saved = load ptr, ptr %third
  %own_parents = call ptr @own(ptr %table, ptr %parents)
  %own_saved = call ptr @own(ptr %table, ptr %saved)
  %node = call ptr @node(ptr %table, ptr %rule, ptr %own_parents, ptr %own_saved)
  ret ptr %node
}}
"""
