#!/usr/bin/env python3
"""Writes src/math/vector_math_coefficients.hpp: minimax polynomials (Remez) for vector_math-inl.h.

Usage: fit_vector_math.py OUTPUT.  Each entry minimises max |weight * (p - f)| over its interval.
"""
import sys

from mpmath import mp, mpf

mp.dps = 100
PI = mp.pi


def remez(f, weight, a, b, n, iterations=6):
    """Coefficients (n of them) of the weighted minimax polynomial and its error."""
    a, b = mpf(a), mpf(b)
    # One point more than coefficients; Chebyshev extrema avoid the end point where weight is 0.
    xs = [(a + b) / 2 - (b - a) / 2 * mp.cos(PI * (2 * i + 1) / (2 * (n + 1))) for i in range(n + 1)]
    coefficients, error = None, None
    for _ in range(iterations):
        m = mp.matrix(n + 1, n + 1)
        rhs = mp.matrix(n + 1, 1)
        for i, x in enumerate(xs):
            for j in range(n):
                m[i, j] = x**j
            m[i, n] = (-1) ** i / weight(x)
            rhs[i] = f(x)
        sol = mp.lu_solve(m, rhs)
        coefficients = [sol[j] for j in range(n)]

        def e(x):
            return weight(x) * (mp.polyval(coefficients[::-1], x) - f(x))

        grid = [(a + b) / 2 - (b - a) / 2 * mp.cos(PI * i / (20 * n)) for i in range(20 * n + 1)]
        values = [e(x) for x in grid]
        error = max(abs(v) for v in values)
        # Exchange: the largest error of every run of one sign.
        runs = []
        for x, v in zip(grid, values):
            if v == 0:
                continue
            if runs and (runs[-1][1] > 0) == (v > 0):
                if abs(v) > abs(runs[-1][1]):
                    runs[-1] = (x, v)
            else:
                runs.append((x, v))
        while len(runs) > n + 1:
            runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
        if len(runs) < n + 1:
            break
        xs = [x for x, _ in runs]
    return coefficients, error


def tiny(z):
    return z if abs(z) > mpf(10) ** -30 else mpf(10) ** -30


def exp_tail(r):
    r = tiny(r)
    return (mp.expm1(r) - r) / r**2


def sin_tail(z):
    x = mp.sqrt(tiny(z))
    return (mp.sin(x) / x - 1) / x**2


def cos_tail(z):
    x = mp.sqrt(tiny(z))
    return (mp.cos(x) - 1 + x**2 / 2) / x**4


def log_tail(z):
    x = mp.sqrt(tiny(z))
    return (2 * mp.atanh(x) / x - 2) / x**2


def log_second_tail(z):
    x = mp.sqrt(tiny(z))
    return (2 * mp.atanh(x) / x - 2 - 2 * x**2 / 3) / x**4


def atan_tail(z):
    x = mp.sqrt(tiny(z))
    return (mp.atan(x) / x - 1) / x**2


def asin_tail(z):
    x = mp.sqrt(tiny(z))
    return (mp.asin(x) / x - 1) / x**2


def erf_small(z):
    x = mp.sqrt(tiny(z))
    return mp.erf(x) / x - 1


ERFCX_CENTRE = 3


def erfcx_mapped(t):
    """(x + 3) exp(x^2) erfc(x) with x = 3 (1 + t) / (1 - t)."""
    if t > mpf(1) - mpf(10) ** -30:
        t = mpf(1) - mpf(10) ** -30
    x = ERFCX_CENTRE * (1 + t) / (1 - t)
    if x > 40:
        s, term = mpf(1), mpf(1)
        for k in range(1, 40):
            term *= -(2 * k - 1) / (2 * x * x)
            if abs(term) < mpf(10) ** -40:
                break
            s += term
        return (x + ERFCX_CENTRE) * s / (x * mp.sqrt(PI))
    with mp.workdps(100 + int(x * x / 2) + 10):
        return (x + ERFCX_CENTRE) * mp.exp(x * x) * mp.erfc(x)


QUARTER = (PI / 4 + mpf("0.002")) ** 2
TAN8 = (mp.sqrt(2) - 1) ** 2 + mpf("1e-4")
LOGZ = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 + mpf("1e-5")

# name, comment, function, weight, interval, coefficients for double and float
TABLE = [
    ("exp", "expm1(r) = r + r^2 p(r), |r| <= 0.35", exp_tail, lambda r: abs(r) + mpf("1e-3"),
     -0.35, 0.35, 10, 5),
    ("sin", "sin x = x + x^3 p(x^2), |x| <= pi/4", sin_tail, lambda z: z + mpf("1e-3"), 0, QUARTER, 6, 3),
    ("cos", "cos x = 1 - x^2/2 + x^4 p(x^2), |x| <= pi/4", cos_tail, lambda z: z**2 + mpf("1e-3"), 0,
     QUARTER, 6, 3),
    ("log", "2 atanh s = 2 s + s^3 p(s^2), |s| <= 0.1716", log_tail, lambda z: z + mpf("1e-4"), 0, LOGZ,
     7, 3),
    ("pow", "2 atanh s = 2 s + 2/3 s^3 + s^5 p(s^2), |s| <= 0.1716", log_second_tail,
     lambda z: z**2 + mpf("1e-6"), 0, LOGZ, 8, 3),
    ("atan", "atan t = t + t^3 p(t^2), |t| <= tan(pi/8)", atan_tail, lambda z: z + mpf("1e-3"), 0, TAN8,
     11, 5),
    ("asin", "asin x = x + x^3 p(x^2), |x| <= 1/2", asin_tail, lambda z: z + mpf("1e-3"), 0, 0.2501, 13,
     6),
    ("erf", "erf x = x + x p(x^2), |x| <= 1", erf_small, lambda z: mpf(1), 0, 1.0001, 12, 7),
    ("erfcx", "(x + 3) exp(x^2) erfc x = p(t), t = (x - 3) / (x + 3), x >= 0", erfcx_mapped,
     lambda t: 1 / erfcx_mapped(t), -1, 1, 25, 12),
]

HEADER = """#pragma once

// Minimax polynomials (lowest power first) of the vector functions.
// Written by tools/fit_vector_math.py; do not edit.

namespace cauchy::detail {

/// Coefficients for float or double; every member is an array, lowest power first.
template <class T>
struct MathCoefficients;
"""


def main():
    out = [HEADER]
    for kind, column, digits, suffix in (("double", 6, 17, ""), ("float", 7, 9, "f")):
        out.append(f"template <>\nstruct MathCoefficients<{kind}> {{")
        for entry in TABLE:
            name, comment, f, w, a, b = entry[:6]
            c, err = remez(f, w, a, b, entry[column])
            print(kind, name, entry[column], mp.nstr(err, 3), file=sys.stderr)
            out.append(f"  // {comment}; weighted error {mp.nstr(err, 2)}")
            out.append(f"  static constexpr {kind} {name}[] = {{")
            out.append(",\n".join(f"      {mp.nstr(v, digits, min_fixed=1, max_fixed=0)}{suffix}" for v in c) + "};")
        out.append("};\n")
    out.append("}  // namespace cauchy::detail")
    with open(sys.argv[1], "w") as file:
        file.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
