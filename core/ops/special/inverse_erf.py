"""The inverse error function by quotients of polynomials, and their coefficients, which native code shares."""

import math

import numpy as np

# M. J. Wichura, "Algorithm AS 241: percentage points of the normal distribution", Appl. Statist. 37 (1988), 477-484:
# relative error of about 1e-16. Highest power first; for the middle, the tails, and beyond exp(-25).
MIDDLE = ((2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
            1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080),
           (5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
            5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1.0))
TAIL = ((7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258,
          3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590, 1.42343711074968357734),
         (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
          6.89767334985100004550e-1, 1.67638483018380384940, 2.05319162663775882187, 1.0))
FAR = ((2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
         2.96560571828504891230e-1, 1.78482653991729133580, 5.46378491116411436990, 6.65790464350110377720),
        (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
         1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0))


def _ratio(xp, pair, x):
    return xp.polyval(xp.asarray(pair[0]), x) / xp.polyval(xp.asarray(pair[1]), x)


def inverse_erf(xp, x):
    """The inverse error function, computed in double precision."""
    wide = x.astype(np.float64)
    size = xp.abs(wide)
    half = 0.5 * xp.minimum(size, 0.85)
    middle = half * _ratio(xp, MIDDLE, 0.180625 - half * half)
    root = xp.sqrt(-xp.log(0.5 * (1.0 - xp.clip(size, 0.85, 1.0 - 2.0**-53))))
    tail = xp.where(root <= 5.0, _ratio(xp, TAIL, root - 1.6), _ratio(xp, FAR, root - 5.0))
    out = xp.where(size <= 0.85, middle, tail) * math.sqrt(0.5)
    return xp.copysign(xp.where(size == 1.0, math.inf, xp.where(size < 1.0, out, math.nan)), wide)
