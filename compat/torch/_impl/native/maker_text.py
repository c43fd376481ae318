"""The text of what programs call in native code: a tensor of an array, and a node of a rule."""

from .object_text import ENTRY

MAKERS = f"""
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
