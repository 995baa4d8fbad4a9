#!/usr/bin/python3
"""Writes problems/data/*.csv: reference tables and observations of the problem files.

Needs numpy and scipy. Every table is computed twice, the second time finer, and the largest
difference is printed: the accuracy that the notes of the problem files state.

    tools/make_problem_data.py [name ...]
"""

import pathlib
import sys

import numpy as np
from scipy.integrate import solve_ivp

DATA = pathlib.Path(__file__).resolve().parent.parent / "problems" / "data"


def write(name, columns, rows, digits=7):
    """Rows of numbers; coordinates and values with the given number of digits."""
    path = DATA / f"{name}.csv"
    with open(path, "w", encoding="ascii") as out:
        out.write(",".join(columns) + "\n")
        for row in rows:
            out.write(",".join(f"{v + 0.0:.{digits}g}" for v in row) + "\n")
    print(f"{path.name}: {len(rows)} rows, {path.stat().st_size / 1000:.0f} kB")


def compare(name, coarse, fine):
    print(f"{name}: largest change under refinement {np.max(np.abs(coarse - fine)):.1e}")


# --- ordinary differential equations ---


def ode_table(name, f, y0, times, columns, digits=9):
    """DOP853 with relative tolerance 1e-12, compared with 1e-9."""
    values = []
    for tolerance in (1e-9, 1e-12):
        s = solve_ivp(f, (times[0], times[-1]), y0, method="DOP853", t_eval=times,
                      rtol=tolerance, atol=1e-3 * tolerance)
        values.append(s.y.T)
    compare(name, *values)
    write(name, ["t", *columns], np.column_stack([times, values[1]]), digits)


def sir():
    b, c = 1.2, 0.5
    ode_table("sir", lambda t, y: (-b * y[0] * y[1], b * y[0] * y[1] - c * y[1], c * y[1]),
              (0.99, 0.01, 0), np.linspace(0, 25, 301), "SIR")


def seird():
    beta, kappa, gamma, mu = 2.5 / 5, 1 / 2, 0.98 / 5, 0.02 / 5

    def f(t, y):
        s, e, i, _, _ = y
        return (-beta * s * i, beta * s * i - kappa * e, kappa * e - (gamma + mu) * i,
                gamma * i, mu * i)

    ode_table("seird", f, (0.99, 0, 0.01, 0, 0), np.linspace(0, 60, 241), "SEIRD", 7)


def lotka_volterra():
    a, b, c, d = 2 / 3, 4 / 3, 1.0, 1.0
    ode_table("lotka_volterra",
              lambda t, y: (a * y[0] - b * y[0] * y[1], d * y[0] * y[1] - c * y[1]),
              (1.0, 1.0), np.linspace(0, 8, 401), "xy")


def lorenz():
    sigma, rho, beta = 10.0, 28.0, 8 / 3
    ode_table("lorenz",
              lambda t, y: (sigma * (y[1] - y[0]), y[0] * (rho - y[2]) - y[1],
                            y[0] * y[1] - beta * y[2]),
              (1.0, 1.0, 1.0), np.linspace(0, 0.5, 251), "xyz")


# --- periodic equations in one dimension: Fourier in space, ETDRK4 in time ---


def etdrk4(u0, linear, nonlinear, times, steps_between):
    """Cox and Matthews with the contour integrals of Kassam and Trefethen; u0 on a periodic grid."""
    h = (times[1] - times[0]) / steps_between
    contour = np.exp(1j * np.pi * (np.arange(64) + 0.5) / 64)
    lr = h * linear[:, None] + contour[None, :]
    e1, e2 = np.exp(h * linear), np.exp(h * linear / 2)

    def mean(z):
        return h * np.real(np.mean(z, axis=1))

    q = mean((np.exp(lr / 2) - 1) / lr)
    f1 = mean((-4 - lr + np.exp(lr) * (4 - 3 * lr + lr**2)) / lr**3)
    f2 = mean((2 + lr + np.exp(lr) * (lr - 2)) / lr**3)
    f3 = mean((-4 - 3 * lr - lr**2 + np.exp(lr) * (4 - lr)) / lr**3)
    v = np.fft.rfft(u0)
    out = [u0]
    for _ in times[1:]:
        for _ in range(steps_between):
            n0 = nonlinear(v)
            a = e2 * v + q * n0
            n1 = nonlinear(a)
            b = e2 * v + q * n1
            n2 = nonlinear(b)
            c = e2 * a + q * (2 * n2 - n0)
            n3 = nonlinear(c)
            v = e1 * v + f1 * n0 + 2 * f2 * (n1 + n2) + f3 * n3
        out.append(np.fft.irfft(v, len(u0)))
    return np.array(out)


def dealias(v):
    v = v.copy()
    v[2 * len(v) // 3:] = 0
    return v


def sample(u, lower, length, points):
    """Trigonometric interpolation of periodic rows at points."""
    n = u.shape[1]
    c = np.fft.rfft(u, axis=1) / n
    k = np.arange(c.shape[1])
    weight = np.where((k == 0) | (k == n // 2), 1.0, 2.0)
    waves = np.exp(2j * np.pi * np.outer(k, (points - lower) / length))
    return np.real((weight * c) @ waves)


def allen_cahn():
    rho, nu = 5.0, 1e-4
    # Nodes are dense around the fronts at x = -0.5 and 0.5 (width 0.006) and at 0 and the ends.
    half = np.concatenate([np.linspace(0, 0.4, 13), np.linspace(0.425, 0.45, 2),
                           np.linspace(0.456, 0.544, 31), np.linspace(0.55, 0.6, 6),
                           np.linspace(0.65, 0.95, 7), np.linspace(0.96, 1, 5)])
    x = np.concatenate([-half[:0:-1], half])
    times = np.linspace(0, 1, 26)
    values = []
    for n, steps in ((2048, 60), (4096, 120)):
        grid = -1 + 2 * np.arange(n) / n
        k = np.pi * np.arange(n // 2 + 1)

        def nonlinear(v, n=n):
            u = np.fft.irfft(v, n)
            return np.fft.rfft(-rho * u**3)

        u = etdrk4(grid**2 * np.cos(np.pi * grid), rho - nu * k**2, nonlinear, times, steps)
        values.append(sample(u, -1, 2, x))
    compare("allen_cahn", *values)
    rows = [(t, p, values[1][i, j]) for i, t in enumerate(times) for j, p in enumerate(x)]
    write("allen_cahn", ["t", "x", "u"], rows, 5)


def kuramoto_sivashinsky():
    a, b, c = 100 / 16, 100 / 16**2, 100 / 16**4
    x = np.linspace(0, 2 * np.pi, 201)
    times = np.linspace(0, 0.2, 19)
    values = []
    for n, steps in ((256, 140), (512, 280)):
        grid = 2 * np.pi * np.arange(n) / n
        k = np.arange(n // 2 + 1.0)

        def nonlinear(v, n=n, k=k):
            u = np.fft.irfft(dealias(v), n)
            return -0.5j * a * k * dealias(np.fft.rfft(u * u))

        u = etdrk4(np.cos(grid) * (1 + np.sin(grid)), b * k**2 - c * k**4, nonlinear, times, steps)
        values.append(sample(u, 0, 2 * np.pi, x))
    compare("kuramoto_sivashinsky", *values)
    rows = [(t, p, values[1][i, j]) for i, t in enumerate(times) for j, p in enumerate(x)]
    write("kuramoto_sivashinsky", ["t", "x", "u"], [(t, min(p, 2 * np.pi), u) for t, p, u in rows],
          5)


# --- lid-driven cavity: stream function on Chebyshev points, Newton's method ---


def chebyshev(n):
    """Points on [0, 1] and the differentiation matrix."""
    k = np.arange(n + 1)
    z = np.cos(np.pi * k / n)
    c = np.where((k == 0) | (k == n), 2.0, 1.0) * (-1.0) ** k
    dz = z[:, None] - z[None, :]
    d = np.outer(c, 1 / c) / (dz + np.eye(n + 1))
    d -= np.diag(d.sum(axis=1))
    return (z + 1) / 2, 2 * d


def barycentric(nodes, points):
    n = len(nodes) - 1
    w = (-1.0) ** np.arange(n + 1)
    w[0] /= 2
    w[-1] /= 2
    m = np.zeros((len(points), n + 1))
    for i, p in enumerate(points):
        d = p - nodes
        if np.min(np.abs(d)) < 1e-14:
            m[i, np.argmin(np.abs(d))] = 1
        else:
            m[i] = w / d / np.sum(w / d)
    return m


def cavity_on(n, reynolds, points):
    """u, v at points x points for the lid 16 x^2 (1 - x)^2.

    psi = 16 x^2 (1 - x)^2 (y^3 - y^2) + x (1 - x) y (1 - y) q with q = 0 on the boundary, so psi
    and its normal derivative are right on all sides; Newton for
    psi_y lap(psi)_x - psi_x lap(psi)_y = lap(lap(psi))/Re at the inner points.
    """
    z, d = chebyshev(n)
    inner = slice(1, n)
    m = n - 1
    # Derivatives of b q, b = z (1 - z), at the inner points from inner values of q (0 at the ends).
    powers = [np.linalg.matrix_power(d, k) for k in range(5)]
    orders = []
    for p in range(5):
        m_p = (z * (1 - z))[:, None] * powers[p]
        if p > 0:
            m_p = m_p + p * (1 - 2 * z)[:, None] * powers[p - 1]
        if p > 1:
            m_p = m_p - p * (p - 1) * powers[p - 2]
        orders.append(m_p[inner, inner])
    x = z[inner]

    def full(p, q):
        return np.kron(orders[p], orders[q])  # d^p/dx^p d^q/dy^q, x slow

    gx = [np.polyval(np.polyder([16, -32, 16, 0, 0], k), x) for k in range(5)]
    gy = [np.polyval(np.polyder([1, -1, 0, 0], k), x) if k < 4 else 0 * x for k in range(5)]

    def lift(p, q):
        return np.kron(gx[p], gy[q])

    px, py = full(1, 0), full(0, 1)
    lx, ly = full(3, 0) + full(1, 2), full(2, 1) + full(0, 3)
    bi = full(4, 0) + 2 * full(2, 2) + full(0, 4)
    lift_bi = lift(4, 0) + 2 * lift(2, 2) + lift(0, 4)
    q = np.zeros(m * m)
    for step_of_re in range(40):
        re = reynolds * min(1.0, step_of_re / 10)  # from the slow flow to the fast one
        psi_x, psi_y = px @ q + lift(1, 0), py @ q + lift(0, 1)
        w_x = lx @ q + lift(3, 0) + lift(1, 2)
        w_y = ly @ q + lift(2, 1) + lift(0, 3)
        residual = bi @ q + lift_bi - re * (psi_y * w_x - psi_x * w_y)
        jacobian = bi - re * (w_x[:, None] * py + psi_y[:, None] * lx - w_y[:, None] * px
                                    - psi_x[:, None] * ly)
        step = np.linalg.solve(jacobian, residual)
        q -= step
        if re == reynolds and np.max(np.abs(step)) < 1e-11 * (1 + np.max(np.abs(q))):
            break
    values = np.zeros((n + 1, n + 1))
    values[inner, inner] = q.reshape(m, m)
    at = barycentric(z, points)
    d_at = at @ d
    x, b, b_x = points, points * (1 - points), 1 - 2 * points
    g, g_x = (np.polyval(np.polyder([16, -32, 16, 0, 0], k), x) for k in (0, 1))
    h, h_y = (np.polyval(np.polyder([1, -1, 0, 0], k), x) for k in (0, 1))
    q_0 = at @ values @ at.T
    psi_y = np.outer(g, h_y) + b[:, None] * (b_x[None, :] * q_0 + b[None, :] * (at @ values @ d_at.T))
    psi_x = np.outer(g_x, h) + b[None, :] * (b_x[:, None] * q_0 + b[:, None] * (d_at @ values @ at.T))
    return psi_y, -psi_x


def lid_driven_cavity():
    points = (1 - np.cos(np.pi * np.linspace(0, 1, 32))) / 2
    points = np.round(0.5 * points + 0.5 * np.linspace(0, 1, 32), 6)
    coarse, fine = cavity_on(24, 100.0, points), cavity_on(36, 100.0, points)
    compare("lid_driven_cavity", np.array(coarse), np.array(fine))
    u, v = fine
    rows = [(x, y, u[i, j], v[i, j]) for i, x in enumerate(points) for j, y in enumerate(points)]
    write("lid_driven_cavity", "xyuv", [[r if abs(r) > 1e-12 else 0.0 for r in row]
                                        for row in rows], 6)


# --- observations of inverse problems ---


def burgers_cole_hopf(t, x, nu):
    """The integrals of the Cole-Hopf formula by the trapezoidal rule, exponents shifted."""
    if t == 0:
        return -np.sin(np.pi * x)
    width = np.sqrt(4 * nu * t)
    y = np.linspace(-1.5 - 8 * width, 1.5 + 8 * width, 8001)
    e = -((x - y) ** 2) / (4 * nu * t) - np.cos(np.pi * y) / (2 * np.pi * nu)
    e = np.exp(e - e.max())
    return -np.sum(np.sin(np.pi * y) * e) / np.sum(e)


def burgers_inverse():
    rng = np.random.default_rng(2026)
    points = np.round(rng.uniform((0, -1), (1, 1), (2000, 2)), 5)
    values = [burgers_cole_hopf(t, x, 0.01 / np.pi) for t, x in points]
    write("burgers_inverse", ["t", "x", "u"],
          [(t, x, u) for (t, x), u in zip(points, values)], 6)


def heat_inverse():
    rng = np.random.default_rng(2027)
    points = np.round(rng.uniform((0, -1), (1, 1), (200, 2)), 5)
    write("heat_inverse", ["t", "x", "u"],
          [(t, x, np.exp(-(np.pi / 4) ** 2 * t) * np.cos(np.pi * x / 2)) for t, x in points], 8)


def conductivity_field():
    x = np.linspace(0, 1, 101)
    write("conductivity_field", ["x", "u"], np.column_stack([x, np.sin(np.pi * x)]), 9)


TABLES = [sir, seird, lotka_volterra, lorenz, allen_cahn, kuramoto_sivashinsky, lid_driven_cavity,
          burgers_inverse, heat_inverse, conductivity_field]

if __name__ == "__main__":
    DATA.mkdir(parents=True, exist_ok=True)
    for table in TABLES:
        if len(sys.argv) == 1 or table.__name__ in sys.argv[1:]:
            table()
