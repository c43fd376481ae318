"""Execution of a node of the stateful tape: hooks, retained gradients, captures, versions, the rule."""

import functools

import numpy as np

from ..... import _engine
from ....._engine import FREED, holds_nan, unbounded
from . import anomaly, versions
from .accumulate import accumulate, take_first
from .hooks import call_hooks, call_output_hooks, call_posthooks, call_prehooks, heard, part, retain
from .node_data import NodeData, picks
from .node_errors import DECLINED, UNDEFINED, freed
from .node_names import NamedRule, name_of

ndarray = np.ndarray


class GradNode(NodeData):
    """One recorded operation of the stateful layer: what the engine does when the sweep reaches it."""

    __slots__ = ()

    def run_in_sweep(self, ct, drive):
        """The cotangents of the parents, after hooks, retained gradients and captures; None ends this path."""
        if drive.plain and (self.extra is None or self.extra.quiet):
            rule = self.rule if drive.needed is None else rule_for(self, drive.needed)
            saved = self.saved
            if rule.keeps:
                if saved is FREED:
                    raise freed()
                # Only what is older than the last write can hold what it wrote to; numbers of nodes count downwards.
                if self.seq > versions.LAST[0] and (
                        type(saved) is not ndarray or versions.written(saved) is not None) and (
                        self.changed(saved) is not None):
                    return self.run_slowly(ct, drive)
                if not drive.retain:
                    self.saved = FREED
            drive.ruled = True
            out = self.undefined() if ct is UNDEFINED else (rule.strong if drive.masked else rule.back)(ct, saved)
            return out if rule is not self.rule or drive.needed is None else self.pruned(out, drive.needed)
        if drive.plain and self.extra.packed:
            out = self.apply(ct, drive)
            if self.extra.posthooks:  # registered while saved values were unpacked
                out = call_posthooks(self, out, ct, drive)
            return out if drive.needed is None else self.pruned(out, drive.needed)
        if drive.again is not None and (self.extra is None or self.extra.quiet) and (
                drive.runs is None or self.seq in drive.runs) and (
                drive.capture is None or self.seq not in drive.capture) and (
                drive.outputs is None or self.seq not in drive.outputs):
            rule = self.rule if drive.needed is None else rule_for(self, drive.needed)
            saved = self.saved
            out = (rule.again or drive.again(rule))(self, ct, drive)
            if drive.masked and rule.strong is not rule.back and out is not DECLINED and (
                    holds_nan(out) or unbounded(saved)):
                self.saved, out = saved, DECLINED  # the long road has strong zeros
            if out is not DECLINED:
                return out if rule is not self.rule or drive.needed is None else self.pruned(out, drive.needed)
        return self.run_slowly(ct, drive)

    def run_slowly(self, ct, drive):
        """`run_in_sweep` with everything that can happen at a node."""
        if drive.recorder is not None and not picks(self):
            return drive.recorder.node(self, ct, drive)
        return self.run_watched(ct, drive)

    def run_watched(self, ct, drive):
        """The steps, in anomaly mode or under debug_nans with an eye on them."""
        watched = drive.anomaly is not None or drive.nans is not None
        return anomaly.guarded(self, drive, ct) if watched else self.run_between_hooks(ct, drive)

    def run_between_hooks(self, ct, drive):
        """Tensor hooks, retained gradient, capture, node hooks around the rule."""
        drive.node = self
        extra = self.extra
        captured = drive.capture is not None and self.seq in drive.capture
        if type(ct) is _engine.Scatter and (extra is not None or captured):
            ct = ct.dense()  # the rule alone takes it as it is
        runs = drive.runs is None or self.seq in drive.runs
        raw = ct
        if extra is not None and not (picks(self) and heard(self)):
            if extra.hooks:
                ct = call_hooks(extra.hooks, ct, drive)
            if extra.retained is not None:
                retain(extra, ct, drive)
            if extra.outputs:
                ct = call_output_hooks(extra.outputs, ct, drive)
        if drive.outputs is not None and self.seq in drive.outputs:
            for nr, seq in drive.outputs[self.seq]:
                drive.take(seq, part(raw if runs else ct, nr))
        if captured:
            drive.take(self.seq, raw if runs else ct)
        if not runs:
            return None
        if extra is not None and extra.prehooks:
            ct = call_prehooks(self, ct, drive)
        out = self.apply(ct, drive) if drive.recorder is None or picks(self) else drive.recorder.rule(self, ct, drive)
        if extra is not None and extra.posthooks:
            out = call_posthooks(self, out, ct, drive)
        return out if drive.needed is None else self.pruned(out, drive.needed)

    def apply(self, ct, drive):
        """Unpack, lift, free, and run the rule."""
        if ct is UNDEFINED:
            return self.undefined()
        rule, saved, part = self.rule, self.saved, None
        if rule.keeps:
            if saved is FREED:
                raise freed()
            extra = self.extra
            if extra is not None and extra.packing is not None:
                saved = extra.packing.unpack(self, saved, drive)
            else:
                if self.seq > versions.LAST[0] and self.changed(saved) is not None:
                    part = narrowed(self)
                    self.check(saved, part)
                if drive.create_graph or extra is not None and extra.tangents is not None:
                    saved = drive.trace.lift(self, saved, drive.create_graph)
            if not drive.retain:
                self.free()
        elif rule.once and drive.create_graph:
            drive.trace.refuse_again(rule)
        if part is not None:
            out = part.back(ct, saved, len(rule.names) == 1, drive.masked)
        else:
            rule = rule if drive.needed is None else rule_for(self, drive.needed)
            out = (rule.strong if drive.masked else rule.back)(ct, saved)
        return drive.tie(out, self) if drive.create_graph else out

    def undefined(self):
        """Undefined cotangents for all parents."""
        return (UNDEFINED,) * len(self.parents) if type(self.parents) is tuple else UNDEFINED

    def pruned(self, out, needed):
        """Cotangents without those of parents that lead nowhere wanted."""
        if type(self.parents) is not tuple:
            return out if self.parents.seq in needed else None
        kept = tuple([c if p.seq in needed else None for c, p in zip(out, self.parents)])
        return kept if any(c is not None for c in kept) else None

    def check(self, saved, part=None):
        """Raise if an array that the rule, or a part of it, needs was written to in place since."""
        found = self.changed(saved, part)
        if found is not None:
            raise self.modified(*found)


class WithoutRule(GradNode):
    """A node without a rule of core's, which `apply` stands for: always the long road."""

    __slots__ = ()

    def run_in_sweep(self, ct, drive):
        """Hooks and captures, then `apply`."""
        return self.run_slowly(ct, drive)


class JointNode(WithoutRule):
    """A node that hands the cotangents of its outputs on to the nodes which made them."""

    __slots__ = ()

    def name(self):
        """PyTorch's name of the operation."""
        return self.extra.name

    def apply(self, ct, drive):
        """The cotangents as they are, None where nothing arrived."""
        if type(ct) is not tuple:
            return self.undefined()
        return tuple([None if c is UNDEFINED else c for c in ct])


class AccumulateGrad(GradNode):
    """The node of a leaf: adds what arrives into `.grad`. Cached weakly on the leaf, which `saved` holds."""

    __slots__ = ()
    of_leaf = True

    def operands(self):
        """A leaf has none."""
        return ()

    @property
    def variable(self):
        """The leaf."""
        return self.saved

    def name(self):
        """torch's name of the node of a leaf."""
        return "torch::autograd::AccumulateGrad"

    def run_in_sweep(self, ct, drive):
        """Hooks, capture, accumulation, hooks after it."""
        # Nothing looks on: what arrives becomes the gradient, or the captured one, at once.
        if self.extra is None and drive.plain:
            if drive.capture is None:
                if drive.mine and type(ct) is ndarray and take_first(self.saved, ct):
                    return None
            elif self.saved.autograd_meta.hooks is None and self.seq in drive.capture:
                drive.take(self.seq, ct)
                return None
        elif self.extra is None and drive.again is not None and drive.runs is None and (
                self.saved.autograd_meta.hooks is None):  # nothing looks on
            if drive.capture is None:
                drive.node = self
                accumulate(self.saved, ct, drive)
                return None
            if self.seq in drive.capture:
                drive.take(self.seq, ct)
                return None
        return self.run_between_hooks(ct, drive) if drive.plain else self.run_slowly(ct, drive)

    def run_between_hooks(self, ct, drive):
        """The slow path of `run_in_sweep`."""
        drive.node = self
        extra = self.extra
        captured = drive.capture is not None and self.seq in drive.capture
        runs = not captured if drive.runs is None else self.seq in drive.runs
        raw = ct
        hooks = self.saved.autograd_meta.hooks if self.saved.autograd_meta is not None else None
        drive.mine = drive.mine and extra is None and not hooks  # else users see it
        if hooks:
            ct = call_hooks(hooks, ct, drive)
        if captured:
            drive.take(self.seq, raw if runs else ct)
        if not runs:
            return None
        if extra is not None and extra.prehooks:
            ct = call_prehooks(self, ct, drive)
        if drive.recorder is None:
            accumulate(self.saved, ct, drive)
        else:
            drive.recorder.rule(self, ct, drive)
        if extra is not None and extra.posthooks:
            call_posthooks(self, (), ct, drive)
        return None

    def apply(self, ct, drive):
        """Add what arrived into `.grad`."""
        accumulate(self.saved, ct, drive)


class Sink(AccumulateGrad):
    """The node of a view of a leaf that was made in no_grad: it shows that it requires a gradient, which is dropped."""

    __slots__ = ()
    lost = True

    def run_in_sweep(self, ct, drive):
        """Nothing."""


# The rule of a node without the operands that lead nowhere: what they alone need is not checked for writes.
#
# And the rule for the operands whose cotangents a sweep needs: those of the others are not computed.


class Narrowed:
    """A rule for fewer operands of a node, on what the whole rule saved.

    `positions` says which of the saved items it takes.
    """

    __slots__ = ("count", "places", "positions", "rule")

    def __init__(self, rule, positions, places, count):
        self.rule = rule
        self.positions = positions
        self.places = places
        self.count = count

    def back(self, ct, saved, bare, strong=False):
        """The cotangents of all operands, None for those that lead nowhere; with strong zeros or without."""
        items = [saved if bare else saved[k] for k in self.positions]
        back = self.rule.strong if strong else self.rule.back
        found = back(ct, None if not items else items[0] if len(items) == 1 else tuple(items))
        out = [None] * self.count
        for place, c in zip(self.places, found if len(self.places) > 1 else (found,)):
            out[place] = c
        return tuple(out)


def narrowed(node):
    """The `Narrowed` rule of a node, or None where all its operands lead somewhere."""
    rule, parents = node.rule, node.parents
    if type(parents) is not tuple or rule.prim is None or rule.prim.variadic:
        return None
    places = [k for k, p in enumerate(parents) if not p.lost]
    if len(places) in (0, len(parents)):
        return None
    return part_of(rule, tuple(places))


def rule_for(node, needed):
    """The rule of a node that gives None for operands which a sweep does not need; its own where it needs all."""
    rule, parents = node.rule, node.parents
    if type(parents) is not tuple or rule.prim is None:
        return rule
    places = tuple([k for k, p in enumerate(parents) if p.seq in needed])
    return needed_rule(rule, places) if 0 < len(places) < len(parents) else rule


@functools.lru_cache(1024)
def needed_rule(rule, places):
    """A rule of all operands, whose values have a history, that computes the cotangents of some."""
    part = None if rule.prim.variadic else part_of(rule, places)
    if part is None:
        return rule
    named = type(rule) is NamedRule
    made = NamedRule(rule, rule.title if named else name_of(rule), None, None, named and rule.ties)
    bare = len(rule.names) == 1
    made.back = lambda ct, saved: part.back(ct, saved, bare)
    made.strong = lambda ct, saved: part.back(ct, saved, bare, True)
    made.again = None
    return made


def part_of(rule, places):
    """The `Narrowed` rule of some operands, or None where it needs what the whole rule does not save."""
    if rule.part is None:
        return None
    part = rule.part(tuple([rule.active[k] for k in places]))
    if not set(part.names) <= set(rule.names):
        return None
    return Narrowed(part, [rule.names.index(name) for name in part.names], places, len(rule.active))
