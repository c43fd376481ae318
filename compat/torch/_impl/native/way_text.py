"""The text of what kind of tensor a view is made of, in native code."""

from .object_text import DESCR, GET, KIND, TYPE, loads

# What a tensor is that a view is made of; 0: what lanes do not take. Those from BARE on are no floats of 32 or 64 bits.
ONE_ROW, PLAIN_VIEW, IN_INFERENCE, BARE, BARE_VIEW, BARE_INFERENCE = range(1, 7)


def ways(at, ready):
    """The text of `@way`; `at` as `objects` of object_text.py has it, `ready` loads that function of basic_index.py."""
    get = GET.format
    return _bare(at, get) + f"""
; what kind of tensor a view is to be made of, as `ready` of basic_index.py says; its value is an array of NumPy
define internal i64 @way(ptr %table, ptr %t, i64 %mode) {{
entry:
{loads(tensor="Tensor", parameter="Parameter", ndarray="ndarray", fast="FAST", view="VIEW", inference="INFERENCE",
       general="GENERAL", none="None", creation="'creation'", multi="'multi'", true="True", drop="Py_DecRef",
       forget="PyErr_Clear")}
{ready}{get("kind", "t", TYPE)}
  %is_tensor = icmp eq ptr %kind, %tensor
  %is_parameter = icmp eq ptr %kind, %parameter
  %is = or i1 %is_tensor, %is_parameter
  br i1 %is, label %array, label %no
array:
{get("x", "t", at["value"])}{get("key", "t", at["dispatch_key"])}
  %is_set = icmp ne ptr %x, null
  br i1 %is_set, label %value, label %no
value:
{get("kind_x", "x", TYPE)}
  %is_array = icmp eq ptr %kind_x, %ndarray
  br i1 %is_array, label %keys, label %no
keys:
  %is_fast = icmp eq ptr %key, %fast
  br i1 %is_fast, label %plain, label %not_fast
not_fast:
  %recording = icmp eq i64 %mode, 0
  %is_view = icmp eq ptr %key, %view
  br i1 %is_view, label %a_view, label %not_view
not_view:
  %is_inferred = icmp eq ptr %key, %inference
  %calm = xor i1 %recording, true
  %may = and i1 %is_inferred, %calm
  br i1 %may, label %inferred, label %not_inferred
not_inferred:
  %is_general = icmp eq ptr %key, %general
  br i1 %is_general, label %others, label %no
others:
  %which = call i64 @bare(ptr %table, ptr %t)
  ret i64 %which
a_view:
  %seen = call i1 @current(ptr %table, ptr %t, i64 %mode)
  br i1 %seen, label %made, label %ask
made:
  br i1 %recording, label %how, label %viewed
how:
{get("meta", "t", at["autograd_meta"])}
  %its = call ptr @look(ptr %table, ptr %meta, ptr %creation)
  %usual = icmp eq ptr %its, %none
  %one_of = icmp eq ptr %its, %multi
  %recorded = or i1 %usual, %one_of
  br i1 %recorded, label %viewed, label %ask
ask:
  %verdict = call ptr @asked(ptr %table, ptr %ready, ptr %t)
  %failed = icmp eq ptr %verdict, null
  br i1 %failed, label %clear, label %heard
heard:
  call void %drop(ptr %verdict)
  %is_so = icmp eq ptr %verdict, %true
  br i1 %is_so, label %viewed, label %no
clear:
  call void %forget()
  br label %no
plain:
  ret i64 {ONE_ROW}
viewed:
  ret i64 {PLAIN_VIEW}
inferred:
  ret i64 {IN_INFERENCE}
no:
  ret i64 0
}}
"""


def _bare(at, get):
    return f"""
; what kind of tensor of another dtype than float32 and float64 a view is to be made of: an ambient one without history
; and tangent, over an array of NumPy
define internal i64 @bare(ptr %table, ptr %t) {{
entry:
{loads(none="None", false="False", tangent="'tangent'", forward_name="'forward_base'", inference_name="'inference'",
       base_name="'base'", relaid="'relaid'", length="PyTuple_Size")}
{get("level", "t", at["level_trace"])}{get("node", "t", at["node"])}{get("wants", "t", at["wants_grad"])}
{get("x", "t", at["value"])}{get("descr", "x", DESCR)}{get("meta", "t", at["autograd_meta"])}
  %letter_at = getelementptr inbounds i8, ptr %descr, i64 {KIND}
  %letter = load i8, ptr %letter_at
  %type_at = getelementptr inbounds i8, ptr %descr, i64 {KIND + 1}
  %type = load i8, ptr %type_at
  %is_float = icmp eq i8 %letter, {ord("f")}
  %not_float = xor i1 %is_float, true
  %is_half = icmp eq i8 %type, {ord("e")}
  %is_other = or i1 %not_float, %is_half
  %ambient = icmp eq ptr %level, %none
  %no_node = icmp eq ptr %node, %none
  %unwanted = icmp eq ptr %wants, %false
  %no_history = and i1 %no_node, %unwanted
  %here = and i1 %ambient, %is_other
  %good = and i1 %here, %no_history
  br i1 %good, label %records, label %no
records:
  %no_meta = icmp eq ptr %meta, %none
  br i1 %no_meta, label %plain, label %recorded
recorded:
  %its_tangent = call ptr @look(ptr %table, ptr %meta, ptr %tangent)
  %no_tangent = icmp eq ptr %its_tangent, %none
  %forward = call ptr @look(ptr %table, ptr %meta, ptr %forward_name)
  %no_forward = icmp eq ptr %forward, %none
  %older = call ptr @look(ptr %table, ptr %meta, ptr %relaid)
  %shapes = call i64 %length(ptr %older)
  %same = icmp eq i64 %shapes, 0
  %no_dual = and i1 %no_tangent, %no_forward
  %usual = and i1 %no_dual, %same
  br i1 %usual, label %inference, label %no
inference:
  %its_inference = call ptr @look(ptr %table, ptr %meta, ptr %inference_name)
  %not_inferred = icmp eq ptr %its_inference, %false
  %base = call ptr @look(ptr %table, ptr %meta, ptr %base_name)
  %no_base = icmp eq ptr %base, %none
  br i1 %not_inferred, label %bases, label %inferred
inferred:
  %alone = select i1 %no_base, i64 {BARE_INFERENCE}, i64 0
  ret i64 %alone
bases:
  br i1 %no_base, label %plain, label %below
below:
{get("base_node", "base", at["node"])}{get("base_wants", "base", at["wants_grad"])}
{get("base_meta", "base", at["autograd_meta"])}
  %base_no_node = icmp eq ptr %base_node, %none
  %base_unwanted = icmp eq ptr %base_wants, %false
  %base_bare = and i1 %base_no_node, %base_unwanted
  br i1 %base_bare, label %base_records, label %no
base_records:
  %base_no_meta = icmp eq ptr %base_meta, %none
  br i1 %base_no_meta, label %viewed, label %base_recorded
base_recorded:
  %base_tangent = call ptr @look(ptr %table, ptr %base_meta, ptr %tangent)
  %base_no_tangent = icmp eq ptr %base_tangent, %none
  %base_older = call ptr @look(ptr %table, ptr %base_meta, ptr %relaid)
  %base_shapes = call i64 %length(ptr %base_older)
  %base_same = icmp eq i64 %base_shapes, 0
  %base_usual = and i1 %base_no_tangent, %base_same
  br i1 %base_usual, label %viewed, label %no
plain:
  ret i64 {BARE}
viewed:
  ret i64 {BARE_VIEW}
no:
  ret i64 0
}}
"""
