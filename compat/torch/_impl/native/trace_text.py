"""The text of what writes in place leave behind, in native code: versions of memory, and nodes."""

from .object_text import ENTRY, GET, PLACES, TYPE, loads

# What stands behind the table's named places: of the rules of the left, the right and both what they save, too.
BEHIND = ("left", "left saves", "right", "right saves", "both", "both saves", "needs", "CopySlices", "left copies",
          "both copies", "put_of", "KEEPERS")
LEFT, RIGHT, BOTH = 1, 2, 4  # bits of `needs`: with which operands recorded contents are saved, old or new
_NUMBERS = ("left saves", "right saves", "both saves", "needs")


def behind(**wanted):
    """Loads of what stands behind the named places."""
    return "".join(f"  %{name}_at = getelementptr inbounds ptr, ptr %table, i64 {len(PLACES) + BEHIND.index(what)}\n"
                   f"  %{name} = load {'i64' if what in _NUMBERS else 'ptr'}, ptr %{name}_at\n"
                   for name, what in wanted.items())


def traces(at):
    """The text of `@quick_stamp`, `@quick_note`, and what `@quick_update` of write_text.py leaves behind."""
    get = GET.format
    return _noted(at, get) + _history(at, get)


def _noted(at, get):
    return f"""
; the number of a write, which is the newest from now on
define internal ptr @stamp(ptr %table) {{
entry:
{loads(next="next_seq", vectorcall="PyObject_Vectorcall", newest="LAST", put="PyList_SetItem")}
  %stamp = call ptr %vectorcall(ptr %next, ptr null, i64 0, ptr null)
  %own_stamp = call ptr @own(ptr %table, ptr %stamp)
  %done = call i32 %put(ptr %newest, i64 0, ptr %own_stamp)
  ret ptr %stamp
}}

define ptr @quick_stamp(ptr %self, ptr %args, i64 %count) {{
{ENTRY}
  %stamp = call ptr @stamp(ptr %table)
  ret ptr %stamp
}}

; quick_note(array)
define ptr @quick_note(ptr %self, ptr %args, i64 %count) {{
{ENTRY}
  %array = load ptr, ptr %args
  %done = call i1 @note_write(ptr %table, ptr %array)
  br i1 %done, label %good, label %fail
good:
  %nothing = call ptr @nothing(ptr %table)
  ret ptr %nothing
fail:
  ret ptr null
}}

; note a write to the memory of an array: false with an exception set
define internal i1 @note_write(ptr %table, ptr %given) {{
entry:
{loads(ndarray="ndarray", written="WRITTEN", number="PyLong_FromVoidPtr", find="PyDict_GetItemWithError",
       drop="Py_DecRef", read="PyLong_AsSsize_t", whole="PyLong_FromSsize_t", put="PyDict_SetItem", kind_of="Written",
       append="'append'")}
{get("given_kind", "given", TYPE)}
  %given_array = icmp eq ptr %given_kind, %ndarray
  br i1 %given_array, label %down, label %found
down:
  %x = call ptr @root(ptr %table, ptr %given)
  br label %found
found:
  %root = phi ptr [%given, %entry], [%x, %down]
  %key = call ptr %number(ptr %root)
  %known = call ptr %find(ptr %written, ptr %key)
  %unknown = icmp eq ptr %known, null
  br i1 %unknown, label %make, label %have
make:
  %made = call ptr @asked(ptr %table, ptr %kind_of, ptr %root)
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %fail, label %keep
keep:
  %kept = call i32 %put(ptr %written, ptr %key, ptr %made)
  call void %drop(ptr %made)
  br label %have
have:
  %record = phi ptr [%known, %found], [%made, %keep]
  call void %drop(ptr %key)
{get("count_object", "record", at["count"])}{get("stamps", "record", at["stamps"])}
  %n = call i64 %read(ptr %count_object)
  %more = add i64 %n, 1
  %more_object = call ptr %whole(i64 %more)
  call void @set(ptr %record, i64 {at["count"]}, ptr %more_object)
  call void %drop(ptr %count_object)
  %stamp = call ptr @stamp(ptr %table)
  %done = call ptr @of_method(ptr %table, ptr %append, ptr %stamps, ptr %stamp)
  call void %drop(ptr %stamp)
  call void %drop(ptr %done)
  ret i1 true
fail:
  ret i1 false
}}

; whether a node may stay as it is when the contents that it gave are written over: no hook, nothing saved of them
define internal i1 @indifferent(ptr %table, ptr %node) {{
entry:
{loads(none="None", prim_name="'prim'", name_name="'name'", contains="PySet_Contains")}{behind(keepers="KEEPERS")}
{get("extra", "node", at["extra"])}{get("rule", "node", at["rule"])}
  %unwatched = icmp eq ptr %extra, %none
  br i1 %unwatched, label %ruled, label %no
ruled:
  %no_rule = icmp eq ptr %rule, %none
  br i1 %no_rule, label %yes, label %which
which:
  %prim = call ptr @look(ptr %table, ptr %rule, ptr %prim_name)
  %no_prim = icmp eq ptr %prim, %none
  br i1 %no_prim, label %yes, label %named
named:
  %name = call ptr @look(ptr %table, ptr %prim, ptr %name_name)
  %one_of = call i32 %contains(ptr %keepers, ptr %name)
  %keeps = icmp ne i32 %one_of, 0
  br i1 %keeps, label %no, label %yes
yes:
  ret i1 true
no:
  ret i1 false
}}
"""


def _history(at, get):
    return f"""
; where a view lies in its base, as its record keeps it: borrowed; null where no lane writes, maybe with an exception
define internal ptr @put_place(ptr %table, ptr %t) {{
entry:
{loads(none="None", put_name="'put'", drop="Py_DecRef")}{behind(put_of="put_of")}
{get("meta", "t", at["autograd_meta"])}
  %known = call ptr @look(ptr %table, ptr %meta, ptr %put_name)
  %unknown = icmp eq ptr %known, %none
  br i1 %unknown, label %ask, label %give
ask:
  %found = call ptr @asked(ptr %table, ptr %put_of, ptr %t)
  %wrong = icmp eq ptr %found, null
  br i1 %wrong, label %no, label %heard
heard:
  call void %drop(ptr %found)
  %refused = icmp eq ptr %found, %none
  br i1 %refused, label %no, label %give
give:
  %place = phi ptr [%known, %entry], [%found, %heard]
  ret ptr %place
no:
  ret ptr null
}}

; the history of what was written to: `p`, its old node, is borrowed, `q`, the other operand's, is taken
define internal i1 @history(ptr %table, ptr %a, ptr %base, ptr %p, ptr %q, ptr %x, ptr %y, ptr %place) {{
entry:
{loads(none="None", drop="Py_DecRef", node_kind="GradNode", new_tuple="PyTuple_New", put="PyTuple_SetItem",
       item="PyTuple_GetItem", set_attribute="PyObject_SetAttr", whole="PyLong_FromSsize_t",
       version_name="'attr_version'")}
{behind(left="left", left_saves="left saves", right="right", right_saves="right saves", both="both",
         both_saves="both saves", copies_kind="CopySlices", left_copies="left copies", both_copies="both copies")}
  %has_p = icmp ne ptr %p, null
  %has_q = icmp ne ptr %q, null
  %two = and i1 %has_p, %has_q
  %one_rule = select i1 %has_p, ptr %left, ptr %right
  %rule = select i1 %two, ptr %both, ptr %one_rule
  %one_saves = select i1 %has_p, i64 %left_saves, i64 %right_saves
  %what = select i1 %two, i64 %both_saves, i64 %one_saves
  %kept = call ptr @saved(ptr %table, i64 %what, ptr %y, ptr %y, ptr %y)
  %of_view = icmp ne ptr %place, null
  br i1 %has_p, label %own_p, label %parents
own_p:
  %p_owned = call ptr @own(ptr %table, ptr %p)
  br label %parents
parents:
  br i1 %of_view, label %through, label %whole_tensor
whole_tensor:
  br i1 %two, label %joined, label %alone
joined:
  %p_and_q = call ptr @pair(ptr %table, ptr %p, ptr %q)
  br label %connected
alone:
  %sole = select i1 %has_p, ptr %p, ptr %q
  br label %connected
connected:
  %its_parents = phi ptr [%p_and_q, %joined], [%sole, %alone]
  %node = call ptr @node(ptr %table, ptr %rule, ptr %its_parents, ptr %kept)
  %no_node = icmp eq ptr %node, null
  br i1 %no_node, label %fail, label %put_node
put_node:
{get("old", "a", at["node"])}
  call void @set(ptr %a, i64 {at["node"]}, ptr %node)
  call void %drop(ptr %old)
  ret i1 true
through:
  %empty = call ptr @nothing(ptr %table)
  br i1 %has_q, label %other_parent, label %no_parent
other_parent:
  %q_again = call ptr @own(ptr %table, ptr %q)
  br label %inner
no_parent:
  %q_none = call ptr @nothing(ptr %table)
  br label %inner
inner:
  %inner_q = phi ptr [%q_again, %other_parent], [%q_none, %no_parent]
  %inner_parents = call ptr @pair(ptr %table, ptr %empty, ptr %inner_q)
  %fn = call ptr @node(ptr %table, ptr %rule, ptr %inner_parents, ptr %kept)
  %no_fn = icmp eq ptr %fn, null
  br i1 %no_fn, label %fail, label %outer
outer:
  br i1 %has_q, label %outer_two, label %outer_one
outer_two:
  %base_and_q = call ptr @pair(ptr %table, ptr %p, ptr %q)
  br label %outer_parents
outer_one:
  br label %outer_parents
outer_parents:
  %parents_out = phi ptr [%base_and_q, %outer_two], [%p, %outer_one]
  %copies = select i1 %has_q, ptr %both_copies, ptr %left_copies
  %index = call ptr %item(ptr %place, i64 0)
  %aval = call ptr %item(ptr %place, i64 1)
  %own_index = call ptr @own(ptr %table, ptr %index)
  %own_aval = call ptr @own(ptr %table, ptr %aval)
  %saved_all = call ptr %new_tuple(i64 3)
  %put_0 = call i32 %put(ptr %saved_all, i64 0, ptr %own_index)
  %put_1 = call i32 %put(ptr %saved_all, i64 1, ptr %own_aval)
  %put_2 = call i32 %put(ptr %saved_all, i64 2, ptr %fn)
  %outer_node = call ptr @node_of(ptr %table, ptr %copies_kind, ptr %copies, ptr %parents_out, ptr %saved_all)
  %no_outer = icmp eq ptr %outer_node, null
  br i1 %no_outer, label %fail, label %put_outer
put_outer:
{get("seq", "outer_node", at["seq"])}{get("fn_seq", "fn", at["seq"])}{get("old_base", "base", at["node"])}
{get("old_own", "a", at["node"])}{get("meta", "a", at["autograd_meta"])}
  %own_seq = call ptr @own(ptr %table, ptr %seq)
  call void @set(ptr %fn, i64 {at["seq"]}, ptr %own_seq)
  call void %drop(ptr %fn_seq)
  call void @set(ptr %base, i64 {at["node"]}, ptr %outer_node)
  call void %drop(ptr %old_base)
  %own_none = call ptr @nothing(ptr %table)
  call void @set(ptr %a, i64 {at["node"]}, ptr %own_none)
  call void %drop(ptr %old_own)
  %stale = call ptr %whole(i64 -1)
  %stale_set = call i32 %set_attribute(ptr %meta, ptr %version_name, ptr %stale)
  call void %drop(ptr %stale)
  ret i1 true
fail:
  ret i1 false
}}
"""
