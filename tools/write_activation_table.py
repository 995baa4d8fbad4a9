#!/usr/bin/env python3
"""Writes the derivatives of the activations at 1,000 points, from high-precision arithmetic.

Usage: write_activation_table.py OUTPUT       (tests/data/activation_derivatives.txt; a few seconds)

One line per activation and order: name, order, then the values at x_i = m_i / 2^16 with
m_i = -786000 + 1572 i + (53 i^2 mod 1571), i = 0 .. 999: exact in float and double, |x| < 12.
A value is written with the digits that fix it to 1/20 ulp (double) of the largest value of its line.
Activations whose derivatives are elementary (identity, sin, cos, elu, relu, relu3) need no table.
"""
import sys

from mpmath import mp, mpf

mp.dps = 60
ORDERS = 9
POINTS = [mpf(-786000 + 1572 * i + (53 * i * i) % 1571) / 65536 for i in range(1000)]


def series_exp(a):
    """exp of a Taylor series: c' = a' c."""
    c = [mp.exp(a[0])]
    for k in range(1, len(a)):
        c.append(sum(j * a[j] * c[k - j] for j in range(1, k + 1)) / k)
    return c


def series_reciprocal(a):
    c = [1 / a[0]]
    for k in range(1, len(a)):
        c.append(-sum(a[j] * c[k - j] for j in range(1, k + 1)) * c[0])
    return c


def series_multiply(a, b):
    return [sum(a[j] * b[k - j] for j in range(k + 1)) for k in range(len(a))]


def variable(x):
    return [x, mpf(1)] + [mpf(0)] * (ORDERS - 2)


def integral(constant, a):
    return [constant] + [a[k] / (k + 1) for k in range(len(a) - 1)]


def sigmoid(x):
    e = series_exp([-v for v in variable(x)])
    e[0] += 1
    return series_reciprocal(e)


def tanh(x):
    e = series_exp([2 * v for v in variable(x)])
    e[0] += 1
    t = [-2 * v for v in series_reciprocal(e)]
    t[0] += 1
    return t


def gaussian(x):
    return series_exp([-v for v in series_multiply(variable(x), variable(x))])


def silu(x):
    return series_multiply(variable(x), sigmoid(x))


def gelu(x):
    square = series_multiply(variable(x), variable(x))
    density = [v / mp.sqrt(2 * mp.pi) for v in series_exp([-v / 2 for v in square])]
    return series_multiply(variable(x), integral(mp.ncdf(x), density))


def softplus(x):
    return integral(mp.log1p(mp.exp(x)), sigmoid(x))


TABLE = {"tanh": tanh, "sigmoid": sigmoid, "silu": silu, "gelu": gelu, "softplus": softplus,
         "gaussian": gaussian}


def main():
    lines = ["# Written by tools/write_activation_table.py; the format is described there."]
    for name, function in TABLE.items():
        rows = [[c * mp.factorial(k) for k, c in enumerate(function(x))] for x in POINTS]
        for order in range(ORDERS):
            column = [row[order] for row in rows]
            largest = max(abs(v) for v in column)
            words = []
            for v in column:
                digits = 1 if v == 0 else max(1, 18 + int(mp.floor(mp.log10(abs(v) / largest))))
                words.append(mp.nstr(v, digits, min_fixed=1, max_fixed=0).replace(".0e", "e"))
            lines.append(f"{name} {order} " + " ".join(words))
    with open(sys.argv[1], "w") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
