"""The text of views in native code: their records, their nodes, whether their history is up to date."""

from .object_text import GET, PLACES, loads
from .way_text import BARE, BARE_INFERENCE, BARE_VIEW, IN_INFERENCE, PLAIN_VIEW, ways

# What stands behind the table's named places, for functions of this file.
BEHIND = ("GETITEM", "RESHAPE", "TRANSPOSE", "SELECT", "EXPAND", "place", "ready", "selected", "sliced",
          "aliased", "inserted", "viewed", "swapped", "expanded", "picked", "every")
PAIR, AVAL, GIVEN = range(3)  # what a node saves: the operand's aval with something, the aval, something


def behind(**wanted):
    """Loads of what stands behind the named places."""
    return "".join(f"  %{name}_at = getelementptr inbounds ptr, ptr %table, i64 {len(PLACES) + BEHIND.index(what)}\n"
                   f"  %{name} = load ptr, ptr %{name}_at\n" for name, what in wanted.items())


def views(at):
    """The text of views, and of `@current`, which `usable` of object_text.py asks."""
    get = GET.format
    return current(at) + ways(at, behind(ready="ready")) + _made(at, get)


def current(at):
    """The text of `@version` and `@current`: whether a view's history is up to date, as far as is seen from here."""
    get = GET.format
    return f"""
; how often the memory of an array was written to
define internal i64 @version(ptr %table, ptr %given) {{
entry:
{loads(written="WRITTEN", size="PyDict_Size", number="PyLong_FromVoidPtr",
       find="PyDict_GetItemWithError", drop="Py_DecRef", read="PyLong_AsSsize_t")}
  %any = call i64 %size(ptr %written)
  %none_written = icmp eq i64 %any, 0
  br i1 %none_written, label %never, label %down
down:
  %x = call ptr @root(ptr %table, ptr %given)
  %key = call ptr %number(ptr %x)
  %entry_of = call ptr %find(ptr %written, ptr %key)
  call void %drop(ptr %key)
  %unknown = icmp eq ptr %entry_of, null
  br i1 %unknown, label %never, label %count
count:
{get("count_object", "entry_of", at["count"])}
  %n = call i64 %read(ptr %count_object)
  ret i64 %n
never:
  ret i64 0
}}

; whether a view of floats is seen to have an up-to-date history and no tangent; where it is not, Python may know more
define internal i1 @current(ptr %table, ptr %t, i64 %mode) {{
entry:
{loads(none="None", false="False", tangent="'tangent'", base_name="'base'", relaid="'relaid'",
       version_name="'attr_version'", exposed="EXPOSED", size="PyDict_Size", length="PyTuple_Size",
       read="PyLong_AsSsize_t")}
{get("meta", "t", at["autograd_meta"])}
  %its_tangent = call ptr @look(ptr %table, ptr %meta, ptr %tangent)
  %no_tangent = icmp eq ptr %its_tangent, %none
  br i1 %no_tangent, label %below, label %no
below:
  %base = call ptr @look(ptr %table, ptr %meta, ptr %base_name)
{get("base_meta", "base", at["autograd_meta"])}
  %bare = icmp eq ptr %base_meta, %none
  br i1 %bare, label %modes, label %more
more:
  %other_tangent = call ptr @look(ptr %table, ptr %base_meta, ptr %tangent)
  %no_other = icmp eq ptr %other_tangent, %none
  %older = call ptr @look(ptr %table, ptr %base_meta, ptr %relaid)
  %shapes = call i64 %length(ptr %older)
  %same = icmp eq i64 %shapes, 0
  %good = and i1 %same, %no_other
  br i1 %good, label %modes, label %no
modes:
  %recording = icmp eq i64 %mode, 0
  br i1 %recording, label %memory, label %yes
memory:
  %shown = call i64 %size(ptr %exposed)
  %hidden = icmp eq i64 %shown, 0
{get("node", "t", at["node"])}
  %has_node = icmp ne ptr %node, %none
  br i1 %hidden, label %histories, label %no
histories:
  br i1 %has_node, label %versions, label %bare_view
bare_view:  ; where its base has no history either, there is none to bring up to date
{get("base_node", "base", at["node"])}{get("base_wants", "base", at["wants_grad"])}
  %base_bare = icmp eq ptr %base_node, %none
  %base_unwanted = icmp eq ptr %base_wants, %false
  %no_history = and i1 %base_bare, %base_unwanted
  br i1 %no_history, label %yes, label %no
versions:
{get("x", "t", at["value"])}
  %now = call i64 @version(ptr %table, ptr %x)
  %then_object = call ptr @look(ptr %table, ptr %meta, ptr %version_name)
  %then = call i64 %read(ptr %then_object)
  %unwritten = icmp eq i64 %now, %then
  br i1 %unwritten, label %yes, label %no
yes:
  ret i1 true
no:
  ret i1 false
}}
"""


def _made(at, get):
    return f"""
; the record of a view that a tensor gives by a step, which it takes, but for how it was made while recording
define internal ptr @record(ptr %table, ptr %t, i64 %way, i64 %mode, ptr %array, ptr %step) {{
entry:
{loads(none="None", record="Record", base_name="'base'", steps_name="'steps'", drop="Py_DecRef",
       creation_name="'creation'", version_name="'attr_version'", vectorcall="PyObject_Vectorcall",
       set_attribute="PyObject_SetAttr", join="PySequence_Concat", number="PyLong_FromSsize_t", no_grad="'no_grad'",
       inference_name="'inference'")}
  %meta = call ptr %vectorcall(ptr %record, ptr null, i64 0, ptr null)
  %own_step = call ptr @single(ptr %table, ptr %step)
  %of_plain_view = icmp eq i64 %way, {PLAIN_VIEW}
  %of_bare_view = icmp eq i64 %way, {BARE_VIEW}
  %of_view = or i1 %of_plain_view, %of_bare_view
  br i1 %of_view, label %further, label %first
first:
  %base_set = call i32 %set_attribute(ptr %meta, ptr %base_name, ptr %t)
  br label %stepped
further:
{get("parent", "t", at["autograd_meta"])}
  %base = call ptr @look(ptr %table, ptr %parent, ptr %base_name)
  %before = call ptr @look(ptr %table, ptr %parent, ptr %steps_name)
  %same_base_set = call i32 %set_attribute(ptr %meta, ptr %base_name, ptr %base)
  %joined = call ptr %join(ptr %before, ptr %own_step)
  call void %drop(ptr %own_step)
  %its_creation = call ptr @look(ptr %table, ptr %parent, ptr %creation_name)
  %usual = icmp eq ptr %its_creation, %none
  br i1 %usual, label %stepped, label %made_so
made_so:
  %creation_set = call i32 %set_attribute(ptr %meta, ptr %creation_name, ptr %its_creation)
  br label %stepped
stepped:
  %steps = phi ptr [%own_step, %first], [%joined, %further], [%joined, %made_so]
  %steps_set = call i32 %set_attribute(ptr %meta, ptr %steps_name, ptr %steps)
  call void %drop(ptr %steps)
  %count = call i64 @version(ptr %table, ptr %array)
  %written = icmp ne i64 %count, 0
  br i1 %written, label %note, label %modes
note:
  %count_object = call ptr %number(i64 %count)
  %version_set = call i32 %set_attribute(ptr %meta, ptr %version_name, ptr %count_object)
  call void %drop(ptr %count_object)
  br label %modes
modes:
  %recording = icmp eq i64 %mode, 0
  br i1 %recording, label %give, label %aside
aside:
  %inferring = icmp eq i64 %mode, 2
  %how = select i1 %inferring, ptr %inference_name, ptr %no_grad
  %aside_set = call i32 %set_attribute(ptr %meta, ptr %creation_name, ptr %how)
  br label %give
give:
  ret ptr %meta
}}

; a view of a tensor of inference mode, which takes the array and the step
define internal ptr @inferred_view(ptr %table, i64 %way, ptr %array, ptr %step) {{
entry:
{loads(drop="Py_DecRef", record="Record", true="True", vectorcall="PyObject_Vectorcall", general="GENERAL",
       set_attribute="PyObject_SetAttr", inference_name="'inference'")}
  call void %drop(ptr %step)
  %no_node = call ptr @nothing(ptr %table)
  %of_floats = icmp eq i64 %way, {IN_INFERENCE}
  br i1 %of_floats, label %floats, label %others
floats:
  %plain = call ptr @tensor(ptr %table, ptr %array, ptr %no_node, i1 true)
  ret ptr %plain
others:
  %meta = call ptr %vectorcall(ptr %record, ptr null, i64 0, ptr null)
  %set = call i32 %set_attribute(ptr %meta, ptr %inference_name, ptr %true)
  %own_general = call ptr @own(ptr %table, ptr %general)
  %bare = call ptr @tensor_of(ptr %table, ptr %array, ptr %no_node, ptr %meta, ptr %own_general)
  ret ptr %bare
}}

; the tensor of a view, unless an exception is set; it takes what it is given
define internal ptr @finished(ptr %table, i64 %way, ptr %array, ptr %node, ptr %meta) {{
entry:
{loads(view="VIEW", general="GENERAL", raised="PyErr_Occurred")}
  %error = call ptr %raised()
  %wrong = icmp ne ptr %error, null
  br i1 %wrong, label %fail, label %give
give:
  %of_others = icmp uge i64 %way, {BARE}
  %key = select i1 %of_others, ptr %general, ptr %view
  %own_key = call ptr @own(ptr %table, ptr %key)
  %out = call ptr @tensor_of(ptr %table, ptr %array, ptr %node, ptr %meta, ptr %own_key)
  ret ptr %out
fail:
  ret ptr null
}}

; the view over an array that a tensor gives by a step; it takes the array and the step
define internal ptr @seen(ptr %table, ptr %t, i64 %way, i64 %mode, ptr %array, ptr %step, ptr %rule, i64 %what,
                          ptr %with) {{
entry:
{loads(aval_of="aval_of")}
  %of_floats = icmp eq i64 %way, {IN_INFERENCE}
  %of_others = icmp eq i64 %way, {BARE_INFERENCE}
  %is_inferred = or i1 %of_floats, %of_others
  br i1 %is_inferred, label %inferred, label %recorded
inferred:
  %bare = call ptr @inferred_view(ptr %table, i64 %way, ptr %array, ptr %step)
  ret ptr %bare
recorded:
  %meta = call ptr @record(ptr %table, ptr %t, i64 %way, i64 %mode, ptr %array, ptr %step)
  %recording = icmp eq i64 %mode, 0
  br i1 %recording, label %edges, label %without
edges:
  %p = call ptr @edge(ptr %table, ptr %t)
  %has_history = icmp ne ptr %p, null
  br i1 %has_history, label %noted, label %without
noted:
  %with_aval = icmp ne i64 %what, {GIVEN}
  br i1 %with_aval, label %aval, label %just
just:
  %own_with = call ptr @own(ptr %table, ptr %with)
  br label %saved
aval:
{get("x", "t", at["value"])}
  %its_aval = call ptr @asked(ptr %table, ptr %aval_of, ptr %x)
  %both = icmp eq i64 %what, {PAIR}
  br i1 %both, label %join_both, label %saved
join_both:
  %beside = call ptr @own(ptr %table, ptr %with)
  %together = call ptr @pair(ptr %table, ptr %its_aval, ptr %beside)
  br label %saved
saved:
  %kept = phi ptr [%own_with, %just], [%its_aval, %aval], [%together, %join_both]
  %node = call ptr @node(ptr %table, ptr %rule, ptr %p, ptr %kept)
  br label %finish
without:
  %nothing = call ptr @nothing(ptr %table)
  br label %finish
finish:
  %its_node = phi ptr [%node, %saved], [%nothing, %without]
  %out = call ptr @finished(ptr %table, i64 %way, ptr %array, ptr %its_node, ptr %meta)
  ret ptr %out
}}

; the same as one output of a node; null where there is none
define internal ptr @seen_part(ptr %table, ptr %t, i64 %way, i64 %mode, ptr %array, ptr %step, ptr %whole, ptr %rule) {{
entry:
{loads(creation_name="'creation'", multi="'multi'", set_attribute="PyObject_SetAttr")}
  %of_floats = icmp eq i64 %way, {IN_INFERENCE}
  %of_others = icmp eq i64 %way, {BARE_INFERENCE}
  %is_inferred = or i1 %of_floats, %of_others
  br i1 %is_inferred, label %inferred, label %recorded
inferred:
  %bare = call ptr @inferred_view(ptr %table, i64 %way, ptr %array, ptr %step)
  ret ptr %bare
recorded:
  %meta = call ptr @record(ptr %table, ptr %t, i64 %way, i64 %mode, ptr %array, ptr %step)
  %recording = icmp eq i64 %mode, 0
  br i1 %recording, label %several, label %without
several:
  %how_set = call i32 %set_attribute(ptr %meta, ptr %creation_name, ptr %multi)
  %has_history = icmp ne ptr %whole, null
  br i1 %has_history, label %noted, label %without
noted:
  %own_whole = call ptr @own(ptr %table, ptr %whole)
  %kept = call ptr @nothing(ptr %table)
  %node = call ptr @node(ptr %table, ptr %rule, ptr %own_whole, ptr %kept)
  br label %finish
without:
  %nothing = call ptr @nothing(ptr %table)
  br label %finish
finish:
  %its_node = phi ptr [%node, %noted], [%nothing, %without]
  %out = call ptr @finished(ptr %table, i64 %way, ptr %array, ptr %its_node, ptr %meta)
  ret ptr %out
}}

; the view by an index; null, with no exception set, where NumPy refuses it
define internal ptr @indexed(ptr %table, ptr %t, i64 %way, i64 %mode, ptr %index, ptr %rule, ptr %spot) {{
entry:
{loads(item="PyObject_GetItem", forget="PyErr_Clear", drop="Py_DecRef")}{behind(getitem="GETITEM")}
{get("x", "t", at["value"])}
  %held_x = call ptr @own(ptr %table, ptr %x)
  %array = call ptr %item(ptr %x, ptr %index)
  call void %drop(ptr %held_x)
  %refused = icmp eq ptr %array, null
  br i1 %refused, label %clear, label %good
clear:
  call void %forget()
  ret ptr null
good:
  %own_prim = call ptr @own(ptr %table, ptr %getitem)
  %own_index = call ptr @own(ptr %table, ptr %index)
  %params = call ptr @single(ptr %table, ptr %own_index)
  %step = call ptr @pair(ptr %table, ptr %own_prim, ptr %params)
  %out = call ptr @seen(
    ptr %table, ptr %t, i64 %way, i64 %mode, ptr %array, ptr %step, ptr %rule, i64 {PAIR}, ptr %spot)
  ret ptr %out
}}

; the view with axes in another order; null, with no exception set, where NumPy refuses it
define internal ptr @turned(ptr %table, ptr %t, i64 %way, i64 %mode, ptr %axes, ptr %rule) {{
entry:
{loads(name="'transpose'", drop="Py_DecRef")}{behind(transpose="TRANSPOSE")}
{get("x", "t", at["value"])}
  %held_x = call ptr @own(ptr %table, ptr %x)
  %array = call ptr @of_method(ptr %table, ptr %name, ptr %x, ptr %axes)
  call void %drop(ptr %held_x)
  %refused = icmp eq ptr %array, null
  br i1 %refused, label %no, label %good
no:
  ret ptr null
good:
  %own_prim = call ptr @own(ptr %table, ptr %transpose)
  %own_axes = call ptr @own(ptr %table, ptr %axes)
  %params = call ptr @single(ptr %table, ptr %own_axes)
  %step = call ptr @pair(ptr %table, ptr %own_prim, ptr %params)
  %out = call ptr @seen(
    ptr %table, ptr %t, i64 %way, i64 %mode, ptr %array, ptr %step, ptr %rule, i64 {GIVEN}, ptr %axes)
  ret ptr %out
}}
"""
