"""The text of keys of calls in native code: words, strings, and what a program depends on of a tensor."""

from .object_text import DESCR, DIMS, GET, KIND, NDIM, STRIDES, TYPE, loads
from .way_text import BARE_INFERENCE

_LONG = 256  # characters of a string

APPEND = f"""
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal void @add(ptr %key, i64 %word) alwaysinline {{
  %used = load i64, ptr %key
  %at = getelementptr inbounds i8, ptr %key, i64 %used
  store i64 %word, ptr %at, align 1
  %more = add i64 %used, 8
  store i64 %more, ptr %key
  ret void
}}

define internal i1 @add_string(ptr %table, ptr %key, ptr %x) {{
entry:
  %size_cell = alloca i64
{loads(text="PyUnicode_AsUTF8AndSize", forget="PyErr_Clear")}
  %data = call ptr %text(ptr %x, ptr %size_cell)
  %wrong = icmp eq ptr %data, null
  br i1 %wrong, label %clear, label %look
look:
  %size = load i64, ptr %size_cell
  %long = icmp ugt i64 %size, {_LONG}
  br i1 %long, label %no, label %copy
copy:
  call void @add(ptr %key, i64 %size)
  %used = load i64, ptr %key
  %at = getelementptr inbounds i8, ptr %key, i64 %used
  call void @llvm.memcpy.p0.p0.i64(ptr %at, ptr %data, i64 %size, i1 false)
  %after = add i64 %used, %size
  store i64 %after, ptr %key
  ret i1 true
clear:
  call void %forget()
  br label %no
no:
  ret i1 false
}}

define internal i1 @add_int(ptr %table, ptr %key, ptr %x) {{
entry:
  %over_cell = alloca i32
{loads(read="PyLong_AsLongLongAndOverflow")}
  %value = call i64 %read(ptr %x, ptr %over_cell)
  %over = load i32, ptr %over_cell
  %fits = icmp eq i32 %over, 0
  call void @add(ptr %key, i64 %value)
  ret i1 %fits
}}

; what the axes of an array are, and how far apart their elements lie
define internal void @add_words(ptr %key, ptr %words, i64 %count) {{
entry:
  br label %next
next:
  %k = phi i64 [0, %entry], [%after, %more]
  %within = icmp slt i64 %k, %count
  br i1 %within, label %more, label %done
more:
  %at = getelementptr inbounds i64, ptr %words, i64 %k
  %word = load i64, ptr %at
  call void @add(ptr %key, i64 %word)
  %after = add i64 %k, 1
  br label %next
done:
  ret void
}}
"""
# How an argument begins in a key.
TENSOR, NONE, TRUE, FALSE, INT, FLOAT, STRING, TUPLE, DTYPE, NAME = range(1, 11)


def tensors(at):
    """The text of `@add_tensor` and `@add_dual`; `at` as `objects` of object_text.py has it."""
    get = GET.format
    return _description(get) + _hooked(get, at) + _plain(at, get) + _dual(at, get)


def _hooked(get, at):
    return f"""
; a mode of `mode`, but 0 where nothing but saved-tensor hooks is in force
define internal i64 @hooked_mode(ptr %table, i64 %mode) {{
entry:
  %cell = alloca ptr
{loads(context="PyContextVar_Get", modes="MODES", none="None", drop="Py_DecRef")}
  %known = icmp ult i64 %mode, 3
  br i1 %known, label %give, label %look
look:
  %done = call i32 %context(ptr %modes, ptr null, ptr %cell)
  %m = load ptr, ptr %cell
  call void %drop(ptr %m)
{get("packing", "m", at["packing"])}
  %hooks_alone = icmp ne ptr %packing, %none
  %instead = select i1 %hooks_alone, i64 0, i64 %mode
  ret i64 %instead
give:
  ret i64 %mode
}}
"""


def _description(get):
    return f"""
; what a key has of the array of any tensor, with marks of the tensor
define internal void @describe(ptr %key, ptr %x, i64 %rank, i64 %marks) alwaysinline {{
{get("descr", "x", DESCR)}{get("dims", "x", DIMS)}{get("strides", "x", STRIDES)}
  %rank_part = shl i64 %rank, 16
  %with_marks = or i64 %marks, {TENSOR}
  %begin = or i64 %with_marks, %rank_part
  %dtype_at = getelementptr inbounds i8, ptr %descr, i64 {KIND}
  %dtype_word = load i64, ptr %dtype_at, align 1
  call void @add(ptr %key, i64 %begin)
  call void @add(ptr %key, i64 %dtype_word)
  call void @add_words(ptr %key, ptr %dims, i64 %rank)
  call void @add_words(ptr %key, ptr %strides, i64 %rank)
  ret void
}}
"""


def _plain(at, get):
    return f"""
; whether a tensor may be an operand of a program, which is then told of in the key; integers only where it is blind
define internal i1 @add_tensor(ptr %table, ptr %key, ptr %t, i64 %mode, i1 %blind) {{
entry:
{loads(ndarray="ndarray", double="double", single="single", none="None", false="False")}
  %recording = icmp eq i64 %mode, 0
  %usable = call i1 @usable(ptr %table, ptr %t, i64 %mode)
  br i1 %usable, label %plain, label %not_floats
not_floats:
  br i1 %blind, label %integers, label %no
integers:
{get("integers_x", "t", at["value"])}
  %is_set = icmp ne ptr %integers_x, null
  br i1 %is_set, label %value, label %no
value:
{get("array_kind", "integers_x", TYPE)}
  %array_is = icmp eq ptr %array_kind, %ndarray
  br i1 %array_is, label %letters, label %no
letters:
{get("which", "integers_x", DESCR)}
  %kind_at = getelementptr inbounds i8, ptr %which, i64 {KIND}
  %letter = load i8, ptr %kind_at
  %is_i = icmp eq i8 %letter, {ord("i")}
  %is_b = icmp eq i8 %letter, {ord("b")}
  %is_u = icmp eq i8 %letter, {ord("u")}
  %is_ib = or i1 %is_i, %is_b
  %is_whole = or i1 %is_ib, %is_u
  br i1 %is_whole, label %ways, label %no
ways:
  %way = call i64 @bare(ptr %table, ptr %t)
  %is_inferred = icmp eq i64 %way, {BARE_INFERENCE}
  %not_here = and i1 %is_inferred, %recording
  %is_known = icmp ne i64 %way, 0
  %allowed = xor i1 %not_here, true
  %known = and i1 %is_known, %allowed
  br i1 %known, label %plain, label %no
plain:
{get("x", "t", at["value"])}{get("kind", "x", TYPE)}
  %is_array = icmp eq ptr %kind, %ndarray
  br i1 %is_array, label %array, label %no
array:
{get("descr", "x", DESCR)}{get("dims", "x", DIMS)}{get("strides", "x", STRIDES)}
  %rank_at = getelementptr inbounds i8, ptr %x, i64 {NDIM}
  %rank_small = load i32, ptr %rank_at
  %rank = sext i32 %rank_small to i64
  %wide = icmp eq ptr %descr, %double
  %thin = icmp eq ptr %descr, %single
  %floats = or i1 %wide, %thin
  %few_axes = icmp ule i64 %rank, 16
  %known_dtype = or i1 %floats, %blind
  %good = and i1 %known_dtype, %few_axes
  br i1 %good, label %describe, label %no
describe:
{get("node", "t", at["node"])}{get("wants", "t", at["wants_grad"])}
  %has_node = icmp ne ptr %node, %none
  %wanted = icmp ne ptr %wants, %false
  %history = or i1 %has_node, %wanted
  %recorded = and i1 %history, %recording
  %noted = select i1 %recorded, i64 1024, i64 0
  call void @describe(ptr %key, ptr %x, i64 %rank, i64 %noted)
  ret i1 true
no:
  ret i1 false
}}
"""


def _dual(at, get):
    return f"""
; `add_tensor` for a tensor of a dual level, whose tangent goes to the tangents; no operand has a history as well. What
; make_dual gives is a view with a tangent of its own; views that have that of their base are left to Python
define internal i1 @add_dual(ptr %table, ptr %key, ptr %t, ptr %epoch, ptr %tangents, ptr %tangent_count) {{
entry:
{loads(ndarray="ndarray", double="double", single="single", none="None", false="False", tangent="'tangent'",
       base="'base'", inference="'inference'", item="PyTuple_GetItem", tensor="Tensor", fast="FAST",
       inferred="INFERRED")}
{get("x", "t", at["value"])}{get("meta", "t", at["autograd_meta"])}{get("level", "t", at["level_trace"])}
  %is_set = icmp ne ptr %x, null
  br i1 %is_set, label %value, label %no
value:
{get("node", "t", at["node"])}{get("wants", "t", at["wants_grad"])}{get("kind", "x", TYPE)}
  %is_array = icmp eq ptr %kind, %ndarray
  %no_level = icmp eq ptr %level, %none
  %no_node = icmp eq ptr %node, %none
  %unwanted = icmp eq ptr %wants, %false
  %not_inferred = icmp ne ptr %meta, %inferred
  %bare = and i1 %no_node, %unwanted
  %plain_array = and i1 %is_array, %no_level
  %plain_meta = and i1 %bare, %not_inferred
  %plain = and i1 %plain_array, %plain_meta
  br i1 %plain, label %array, label %no
array:
{get("descr", "x", DESCR)}{get("dims", "x", DIMS)}{get("strides", "x", STRIDES)}
  %rank_at = getelementptr inbounds i8, ptr %x, i64 {NDIM}
  %rank_small = load i32, ptr %rank_at
  %rank = sext i32 %rank_small to i64
  %wide = icmp eq ptr %descr, %double
  %thin = icmp eq ptr %descr, %single
  %floats = or i1 %wide, %thin
  %few_axes = icmp ule i64 %rank, 16
  %good = and i1 %floats, %few_axes
  br i1 %good, label %records, label %no
records:
  %no_meta = icmp eq ptr %meta, %none
  br i1 %no_meta, label %describe, label %recorded
recorded:
  %its_base = call ptr @look(ptr %table, ptr %meta, ptr %base)
  %no_base = icmp eq ptr %its_base, %none
  %inference_object = call ptr @look(ptr %table, ptr %meta, ptr %inference)
  %no_inference = icmp eq ptr %inference_object, %false
  br i1 %no_inference, label %based, label %no
based:
  br i1 %no_base, label %with_tangent, label %of_view
of_view:
{get("base_node", "its_base", at["node"])}{get("base_wants", "its_base", at["wants_grad"])}
  %base_bare = icmp eq ptr %base_node, %none
  %base_unwanted = icmp eq ptr %base_wants, %false
  %base_plain = and i1 %base_bare, %base_unwanted
  br i1 %base_plain, label %with_tangent, label %no
with_tangent:
  %pair = call ptr @look(ptr %table, ptr %meta, ptr %tangent)
  %no_tangent = icmp eq ptr %pair, %none
  br i1 %no_tangent, label %without, label %dual
without:
  br i1 %no_base, label %describe, label %no
dual:
  %its_epoch = call ptr %item(ptr %pair, i64 0)
  %dx = call ptr %item(ptr %pair, i64 1)
  %this_epoch = icmp eq ptr %its_epoch, %epoch
{get("dx_kind", "dx", TYPE)}
  %dx_tensor = icmp eq ptr %dx_kind, %tensor
  %dx_good = and i1 %this_epoch, %dx_tensor
  br i1 %dx_good, label %pushed, label %no
pushed:
{get("d", "dx", at["value"])}{get("d_key", "dx", at["dispatch_key"])}{get("d_node", "dx", at["node"])}
{get("d_wants", "dx", at["wants_grad"])}{get("d_type", "d", TYPE)}
  %d_fast = icmp eq ptr %d_key, %fast
  %d_bare = icmp eq ptr %d_node, %none
  %d_unwanted = icmp eq ptr %d_wants, %false
  %d_is_array = icmp eq ptr %d_type, %ndarray
  %d_plain_1 = and i1 %d_fast, %d_bare
  %d_plain_2 = and i1 %d_unwanted, %d_is_array
  %d_plain = and i1 %d_plain_1, %d_plain_2
  br i1 %d_plain, label %alike, label %no
alike:
{get("d_descr", "d", DESCR)}{get("d_strides", "d", STRIDES)}
  %same_descr = icmp eq ptr %d_descr, %descr
  %same_shape = call i1 @same_shape(ptr %x, ptr %d)
  %fits = and i1 %same_descr, %same_shape
  br i1 %fits, label %tell, label %no
tell:
  %n = load i64, ptr %tangent_count
  %place = getelementptr inbounds ptr, ptr %tangents, i64 %n
  store ptr %d, ptr %place
  %n_more = add i64 %n, 1
  store i64 %n_more, ptr %tangent_count
  br label %describe
describe:
  %also = phi i64 [0, %records], [0, %without], [%rank, %tell]
  %also_words = phi ptr [%strides, %records], [%strides, %without], [%d_strides, %tell]
  %mark = phi i64 [0, %records], [0, %without], [2048, %tell]
  call void @describe(ptr %key, ptr %x, i64 %rank, i64 %mark)
  call void @add_words(ptr %key, ptr %also_words, i64 %also)
  ret i1 true
no:
  ret i1 false
}}
"""
