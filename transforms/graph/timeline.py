"""Timelines: when each operation of a profile ran, and how much memory was held, as SVG."""

from ...core.lazy import LazyModule

HTML = LazyModule("html")
_WIDTH, _BAR, _CURVE = 640.0, 26.0, 60.0  # pixels
_COLOURS = ("#2a7fd4", "#e07b39", "#2e9e6b", "#c2508f", "#8a6fd1", "#a8892c", "#777777")
_MOST = 2000  # operations drawn


def timeline_of(events, peak):
    """The drawing of events in their order: a bar for each, as long as it took, and the memory held below."""
    shown = events[:_MOST]
    if not shown:
        return ""
    begin = shown[0].start
    whole = max(shown[-1].start + shown[-1].seconds - begin, 1e-12)
    totals: dict[str, float] = {}
    for event in shown:
        totals[event.operation] = totals.get(event.operation, 0.0) + event.seconds
    order = sorted(totals, key=lambda name: -totals[name])
    colour = {name: _COLOURS[min(k, len(_COLOURS) - 1)] for k, name in enumerate(order)}
    out = []
    for event in shown:
        x, wide = (event.start - begin) / whole * _WIDTH, max(event.seconds / whole * _WIDTH, 0.4)
        about = HTML.escape(f"{event.operation}, {event.seconds * 1e6:.3g} us, {event.bytes} bytes\n{event.line or ''}")
        out.append(f'<rect x="{x:.2f}" y="0" width="{wide:.2f}" height="{_BAR}" fill="{colour[event.operation]}">'
                   f"<title>{about}</title></rect>")
    points = [f"0,{_BAR + 8 + _CURVE}"]
    for event in shown:
        x = (event.start + event.seconds - begin) / whole * _WIDTH
        points.append(f"{x:.1f},{_BAR + 8 + _CURVE * (1.0 - event.live / max(peak, 1)):.1f}")
    points.append(f"{_WIDTH},{_BAR + 8 + _CURVE}")
    top = _BAR + _CURVE + 26
    out.append(f'<polygon points="{" ".join(points)}" fill="currentColor" fill-opacity="0.18"/>'
               f'<text x="4" y="{_BAR + 22}">memory</text>')
    for k, name in enumerate(order[: len(_COLOURS) - 1]):
        out.append(f'<rect x="{k * 105}" y="{top - 9}" width="10" height="10" fill="{colour[name]}"/>'
                   f'<text x="{k * 105 + 14}" y="{top}">{HTML.escape(name[:12])}</text>')
    high = top + 8
    return (f'<div style="overflow-x:auto"><svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH:.0f}" '
            f'height="{high:.0f}" viewBox="0 0 {_WIDTH:.0f} {high:.0f}" font-family="monospace" font-size="11" '
            f'fill="currentColor">{"".join(out)}</svg></div>')
