"""The SciPy side of bench_ode: Lorenz' equations by solve_ivp with DOP853.

Reads lines "tolerance end repeats" from standard input; answers with the seconds of the best of the
repeats, the number of evaluations, and x, y, z at the times 1, 2, ..., end.
"""

import sys
import time

import numpy as np
from scipy.integrate import solve_ivp


def lorenz(t, y):
    return [10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]]


def main():
    for line in sys.stdin:
        words = line.split()
        tolerance, end, repeats = float(words[0]), int(words[1]), int(words[2])
        settings = dict(method="DOP853", rtol=tolerance, atol=tolerance)
        best, evaluations = 1e300, 0
        for _ in range(repeats):
            start = time.perf_counter()
            answer = solve_ivp(lorenz, (0, end), [1.0, 1.0, 1.0], **settings)
            best = min(best, time.perf_counter() - start)
            evaluations = answer.nfev
        times = np.arange(1, end + 1)
        states = solve_ivp(lorenz, (0, end), [1.0, 1.0, 1.0], t_eval=times, **settings).y.T
        print(best, evaluations, *(repr(float(v)) for v in states.ravel()), flush=True)


main()
