"""Interpreters and graphs, for `covector.compat` alone: ambient values, the sweep, modes of debugging."""

from .transforms.graph.equations import Equation as Equation, Literal as Literal, Var as Var
from .transforms.interpreters.vmap import VmapTrace as VmapTrace
from .transforms.reverse.ambient import (
    Ambient as Ambient,
    AmbientNode as AmbientNode,
    AmbientTrace as AmbientTrace,
    Extra as Extra,
    conform_tangent as conform_tangent,
    rule_for as rule_for,
)
from .transforms.reverse.nan_checks import check_made as check_made, check_pulled as check_pulled
from .transforms.reverse.reverse import RevTrace as RevTrace, pick_rule as pick_rule
from .transforms.reverse.sweep import sweep as sweep
from .transforms.scope.debug_modes import on_debug as on_debug
from .transforms.staging.staging import GraphTrace as GraphTrace
