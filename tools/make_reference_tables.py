#!/usr/bin/python3
"""Writes the tables that the references of the library are compared with.

They come from programs that have nothing in common with the library: Taylor series in decimal
arithmetic, SciPy's DOP853 and Radau, Fourier series and Chebyshev points in NumPy, elements of
dolfinx. Every table is computed twice, the second time finer, and the largest change is printed.
Needs numpy and scipy.

    tools/make_reference_tables.py [name ...]
"""

import decimal
import pathlib
import sys

import numpy as np
from scipy.integrate import solve_ivp

ROOT = pathlib.Path(__file__).resolve().parent.parent
REFERENCES = ROOT / "tests" / "data" / "references"
DATA = ROOT / "problems" / "data"


def write(name, columns, rows, digits, folder=REFERENCES):
    path = folder / f"{name}.csv"
    with open(path, "w", encoding="ascii") as out:
        out.write(",".join(columns) + "\n")
        for row in rows:
            out.write(",".join(f"{v + 0.0:.{digits}g}" for v in row) + "\n")
    print(f"{path.name}: {len(rows)} rows, {path.stat().st_size / 1000:.0f} kB")


def compare(name, coarse, fine):
    change = np.max(np.abs(np.array(coarse) - np.array(fine)))
    print(f"{name}: largest change under refinement {change:.1e}")


def product(axes, values):
    """Rows of a table on a grid; values has one axis per coordinate and then the fields."""
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    return np.concatenate([grid, values], axis=-1).reshape(-1, len(axes) + values.shape[-1])


# --- ordinary differential equations ---


def ode_table(name, f, y0, times, columns, digits=9, method="DOP853"):
    times = np.array([float(f"{t:.{digits}g}") for t in times])
    values = []
    for tolerance in (1e-10, 3e-13):
        s = solve_ivp(f, (times[0], times[-1]), y0, method=method, t_eval=times,
                      rtol=tolerance, atol=1e-4 * tolerance)
        values.append(s.y.T)
    compare(name, *values)
    write(name, ["t", *columns], np.column_stack([times, values[1]]), digits)


def lorenz_taylor(times, order, digits):
    """The series at every time, carried to the next one; exact to the digits of the arithmetic."""
    decimal.getcontext().prec = digits
    number = decimal.Decimal
    sigma, rho, beta = number(10), number(28), number(8) / 3
    y = [number(1)] * 3
    out = [y]
    for before, t in zip(times, times[1:]):
        c = [[v] for v in y]
        for n in range(order):
            xz = sum(c[0][i] * c[2][n - i] for i in range(n + 1))
            xy = sum(c[0][i] * c[1][n - i] for i in range(n + 1))
            c[0].append(sigma * (c[1][n] - c[0][n]) / (n + 1))
            c[1].append((rho * c[0][n] - xz - c[1][n]) / (n + 1))
            c[2].append((xy - beta * c[2][n]) / (n + 1))
        h = number(repr(float(t))) - number(repr(float(before)))
        y = []
        for series in c:
            value = number(0)
            for coefficient in reversed(series):
                value = value * h + coefficient
            y.append(value)
        out.append(y)
    return np.array(out, dtype=float)


def lorenz():
    times = np.round(np.linspace(0, 20, 1251), 6)
    values = [lorenz_taylor(times, 24, 30), lorenz_taylor(times, 30, 40)]
    compare("lorenz", *values)
    write("lorenz", "txyz", np.column_stack([times, values[1]]), 9)


def lorenz_short():
    times = np.round(np.linspace(0, 2, 251), 6)
    write("lorenz_short", "txyz", np.column_stack([times, lorenz_taylor(times, 30, 40)]), 9)


def lotka_volterra():
    ode_table("lotka_volterra", lambda t, y: (1.5 * y[0] - y[0] * y[1], y[0] * y[1] - 3 * y[1]),
              (1.0, 1.0), np.linspace(0, 8, 401), "xy")


def pendulum():
    ode_table("pendulum", lambda t, y: (y[1], -np.sin(y[0])), (2.0, 0.0), np.linspace(0, 60, 401),
              ["theta", "omega"])


def roessler():
    ode_table("roessler", lambda t, y: (-y[1] - y[2], y[0] + 0.2 * y[1], 0.2 + y[2] * (y[0] - 5.7)),
              (1.0, 1.0, 0.0), np.linspace(0, 50, 1001), "xyz")


def double_pendulum():
    """From Lagrange's equations: a linear system for the accelerations."""
    def f(_, y):
        a, b, p, q = y
        c, s = np.cos(a - b), np.sin(a - b)
        acceleration = np.linalg.solve([[2, c], [c, 1]], [-q * q * s - 2 * 9.81 * np.sin(a),
                                                          p * p * s - 9.81 * np.sin(b)])
        return (p, q, *acceleration)

    ode_table("double_pendulum", f, (2.0, 2.5, 0.0, 0.0), np.linspace(0, 5, 401), "abpq")


def robertson():
    def f(_, y):
        first, second, third = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
        return (second - first, first - second - third, third)

    times = np.concatenate([[0], np.geomspace(1e-5, 0.5, 60), np.arange(0.6, 40.05, 0.2)])
    times[-1] = 40
    ode_table("robertson", f, (1.0, 0.0, 0.0), times, "ABC", 10, "Radau")


def hires():
    def f(_, y):
        fast = 280 * y[5] * y[7]
        return (-1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007, 1.71 * y[0] - 8.75 * y[1],
                -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4],
                8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3],
                -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6],
                -fast + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6],
                fast - 1.81 * y[6], -fast + 1.81 * y[6])

    times = np.concatenate([[0], np.geomspace(1e-3, 5, 70), np.arange(5.5, 20, 0.5),
                            np.arange(20, 321.8, 1.5), [321.8122]])
    ode_table("hires", f, (1.0, 0, 0, 0, 0, 0, 0, 0.0057), times, [f"y{i}" for i in range(1, 9)],
              10, "Radau")


# --- periodic equations in one dimension: Fourier series, ETDRK4 ---


def etdrk4(v, linear, nonlinear, times, h_max):
    """Cox and Matthews with the contour integrals of Kassam and Trefethen; v: fields x modes."""
    out = [v]
    contour = np.exp(1j * np.pi * (np.arange(64) + 0.5) / 64)
    for before, t in zip(times, times[1:]):
        steps = int(np.ceil((t - before) / h_max))
        h = (t - before) / steps
        lr = h * linear[..., None] + contour
        e1, e2 = np.exp(h * linear), np.exp(h * linear / 2)
        q, f1, f2, f3 = (h * np.real(np.mean(z, axis=-1)) for z in (
            (np.exp(lr / 2) - 1) / lr, (-4 - lr + np.exp(lr) * (4 - 3 * lr + lr**2)) / lr**3,
            (2 + lr + np.exp(lr) * (lr - 2)) / lr**3,
            (-4 - 3 * lr - lr**2 + np.exp(lr) * (4 - lr)) / lr**3))
        for _ in range(steps):
            n0 = nonlinear(v)
            a = e2 * v + q * n0
            n1 = nonlinear(a)
            n2 = nonlinear(e2 * v + q * n1)
            n3 = nonlinear(e2 * a + q * (2 * n2 - n0))
            v = e1 * v + f1 * n0 + 2 * f2 * (n1 + n2) + f3 * n3
        out.append(v)
    return np.array(out)


def periodic_table(name, columns, ends, start, parts, times, x, levels, digits=5):
    """parts(k) -> linear part per field and mode, and values of fields -> nonlinear part of them,
    with the wave numbers for what stands below a derivative."""
    lower, upper = ends
    values = []
    for n, h in levels:
        grid = lower + (upper - lower) * np.arange(n) / n
        k = 2 * np.pi / (upper - lower) * np.arange(n // 2 + 1)
        linear, nonlinear = parts(k)
        keep = np.arange(n // 2 + 1) < n / 3

        def slope(v, n=n, keep=keep, nonlinear=nonlinear):
            return nonlinear(np.fft.irfft(v * keep, n), lambda u: np.fft.rfft(u) * keep)

        v = etdrk4(np.fft.rfft(start(grid)), linear, slope, times, h)
        m = np.arange(n // 2 + 1)
        weight = np.where(m == 0, 1.0, 2.0) * (m < n / 2) / n
        waves = np.exp(2j * np.pi * np.outer(m, (x - lower) / (upper - lower)))
        values.append(np.moveaxis(np.real((weight * v) @ waves), 1, -1))
    compare(name, *values)
    write(name, ["t", "x", *columns], product([times, x], values[1]), digits)


def kuramoto_parts(a, b, c):
    def parts(k):
        return ((b * k**2 - c * k**4)[None, :],
                lambda u, transform: -0.5j * a * k * transform(u * u))

    return parts


def kuramoto_sivashinsky():
    x = np.linspace(-1, 1, 81)
    periodic_table("kuramoto_sivashinsky", "u", (-1, 1), lambda x: -np.sin(np.pi * x)[None, :],
                   kuramoto_parts(5.0, 0.5, 0.005), np.round(np.linspace(0, 1, 61), 5), x,
                   ((128, 1e-3), (256, 5e-4)))


def kuramoto_sivashinsky_chaotic():
    x = np.linspace(0, 2 * np.pi, 161)
    x = np.minimum(np.array([float(f"{p:.5g}") for p in x]), 2 * np.pi)
    periodic_table("kuramoto_sivashinsky_chaotic", "u", (0, 2 * np.pi),
                   lambda x: (np.cos(x) * (1 + np.sin(x)))[None, :],
                   kuramoto_parts(100 / 16, 100 / 16**2, 100 / 16**4),
                   np.round(np.linspace(0, 0.4, 41), 5), x, ((256, 1e-4), (512, 5e-5)))


def brusselator():
    def parts(k):
        def nonlinear(y, transform):
            cubic = transform(y[0] ** 2 * y[1])
            u = transform(y[0])
            return np.array([cubic + transform(np.ones_like(y[0])) - 4 * u, 3 * u - cubic])

        return np.array([-0.002 * k**2] * 2), nonlinear

    periodic_table("brusselator", "uv", (0, 1),
                   lambda x: np.array([1 + np.sin(2 * np.pi * x), 3 + 0 * x]), parts,
                   np.round(np.linspace(0, 20, 161), 5), np.linspace(0, 1, 33),
                   ((128, 2e-3), (192, 1e-3)))


def gray_scott():
    def parts(k):
        def nonlinear(y, transform):
            cubic = 1000 * transform(y[0] * y[1] ** 2)
            return np.array([40 * transform(1 - y[0]) - cubic, cubic - 100 * transform(y[1])])

        return np.array([-0.2 * k**2, -0.1 * k**2]), nonlinear

    times = np.concatenate([np.linspace(0, 0.1, 21), np.linspace(0.12, 1, 23)])
    periodic_table("gray_scott", "uv", (-1, 1),
                   lambda x: np.array([1 - np.exp(-80 * x**2) / 2, np.exp(-80 * x**2) / 4]), parts,
                   np.round(times, 5), np.linspace(-1, 1, 101), ((256, 2e-4), (384, 1e-4)))


# --- two space dimensions: Chebyshev points ---


def chebyshev(n):
    """Points on [0, 1] and the differentiation matrix."""
    k = np.arange(n + 1)
    z = np.cos(np.pi * k / n)
    z[-1] = -1
    c = np.where((k == 0) | (k == n), 2.0, 1.0) * (-1.0) ** k
    d = np.outer(c, 1 / c) / (z[:, None] - z[None, :] + np.eye(n + 1))
    d -= np.diag(d.sum(axis=1))
    return (z + 1) / 2, 2 * d


def barycentric(nodes, points):
    w = (-1.0) ** np.arange(len(nodes))
    w[0] /= 2
    w[-1] /= 2
    m = np.zeros((len(points), len(nodes)))
    for i, p in enumerate(points):
        d = p - nodes
        at = np.argmin(np.abs(d))
        if abs(d[at]) < 1e-14:
            m[i, at] = 1
        else:
            m[i] = w / d / np.sum(w / d)
    return m


def nodes_to_walls(n):
    points = (1 - np.cos(np.pi * np.linspace(0, 1, n))) / 2
    return np.round(0.5 * points + 0.5 * np.linspace(0, 1, n), 6)


def darcy_on(n, points):
    """-(k u_x)_x - (k u_y)_y = 1 with u = 0 around, as it stands."""
    z, d = chebyshev(n)
    x, y = (a.ravel() for a in np.meshgrid(z, z, indexing="ij"))
    k = np.exp(np.sum(np.cos(np.stack([x, y, np.ones_like(x)], axis=1) @ RANDOM_WAVES.T), axis=1)
               / np.sqrt(6))
    dx, dy = np.kron(d, np.eye(n + 1)), np.kron(np.eye(n + 1), d)
    inner = np.flatnonzero((x > 0) & (x < 1) & (y > 0) & (y < 1))
    a = -dx @ (k[:, None] * dx) - dy @ (k[:, None] * dy)
    u = np.zeros(len(x))
    u[inner] = np.linalg.solve(a[np.ix_(inner, inner)], np.ones(len(inner)))
    at = barycentric(z, points)
    return at @ u.reshape(n + 1, n + 1) @ at.T


RANDOM_WAVES = np.array([  # of cos(a x + b y + c): a, b, c
    [0, 2, 0.22], [-1.8, -5.9, 3.24], [-3, -6.6, 2.93],
    [0.4, 8.9, 5.76], [-3.3, -4.1, 3.95], [3.3, 2.4, 3.23],
    [0.7, -6.2, 3.12], [-0.2, 4.6, 1.56], [-9, -3.1, 0.07],
    [-12.7, -8.6, 1.21], [-12.3, -1.6, 4.35], [-8.4, 1.8, 1.26]])


def darcy_random():
    points = nodes_to_walls(41)
    values = [darcy_on(n, points) for n in (32, 44)]
    compare("darcy_random", *values)
    values = np.where(np.abs(values[1]) < 1e-12, 0, values[1])
    write("darcy_random", "xyu", product([points, points], values[..., None]), 6)


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
        if re == reynolds and np.max(np.abs(step)) < 1e-10 * (1 + np.max(np.abs(q))):
            break
    values = np.zeros((n + 1, n + 1))
    values[inner, inner] = q.reshape(m, m)
    at = barycentric(z, points)
    d_at = at @ d
    b, b_x = points * (1 - points), 1 - 2 * points
    g, g_x = (np.polyval(np.polyder([16, -32, 16, 0, 0], k), points) for k in (0, 1))
    h, h_y = (np.polyval(np.polyder([1, -1, 0, 0], k), points) for k in (0, 1))
    q_0 = at @ values @ at.T
    psi_y = np.outer(g, h_y) + b[:, None] * (b_x * q_0 + b * (at @ values @ d_at.T))
    psi_x = np.outer(g_x, h) + b * (b_x[:, None] * q_0 + b[:, None] * (d_at @ values @ at.T))
    return np.stack([psi_y, -psi_x], axis=-1)


def cavity_table(name, reynolds, n_nodes, levels, folder):
    points = nodes_to_walls(n_nodes)
    values = [cavity_on(n, reynolds, points) for n in levels]
    compare(name, *values)
    values = np.where(np.abs(values[1]) < 1e-12, 0, values[1])
    write(name, "xyuv", product([points, points], values), 6, folder)


def lid_driven_cavity_400():
    cavity_table("lid_driven_cavity_400", 400.0, 36, (32, 44), REFERENCES)


def lid_driven_cavity_1000():
    cavity_table("lid_driven_cavity_1000", 1000.0, 49, (44, 56), DATA)


def step_on(n, reynolds, points):
    """u, v, p at points for the step of backward_step.toml: Taylor-Hood elements of dolfinx on a
    grid of n cells across the channel that is finer towards the corner, each cut into triangles."""
    # Needed by this table alone: Debian's python3-dolfinx.
    import ufl
    from dolfinx import fem, geometry, mesh, nls
    from mpi4py import MPI

    t = np.arange(-2 * n, 12 * n + 1) / n
    xs = np.where(np.abs(t) < 1, np.sign(t) * t**2, t)
    s = 2 * np.arange(n + 1) / n - 1
    ys = 0.5 + np.sign(s) * (0.3 * np.abs(s)**1.6 + 0.2 * np.abs(s))
    number, nodes, cells = {}, [], []

    def node(i, j):
        if (i, j) not in number:
            number[i, j] = len(nodes)
            nodes.append((xs[i], ys[j]))
        return number[i, j]

    for i in range(14 * n):
        for j in range(n // 2 if i < 2 * n else 0, n):
            a, b, c, d = node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)
            cells += [(a, b, c), (a, c, d)] if (i + j) % 2 else [(a, b, d), (b, c, d)]
    domain = mesh.create_mesh(MPI.COMM_SELF, np.array(cells), np.array(nodes),
                              ufl.Mesh(ufl.VectorElement("Lagrange", "triangle", 1)))
    space = fem.FunctionSpace(domain, ufl.MixedElement([
        ufl.VectorElement("Lagrange", "triangle", 2), ufl.FiniteElement("Lagrange", "triangle", 1)]))
    w = fem.Function(space)
    (u, p), (v, q) = ufl.split(w), ufl.TestFunctions(space)
    form = (ufl.inner(ufl.dot(ufl.grad(u), u), v) + ufl.inner(ufl.grad(u), ufl.grad(v)) / reynolds
            - p * ufl.div(v) - q * ufl.div(u)) * ufl.dx
    velocity, _ = space.sub(0).collapse()
    entry, rest = fem.Function(velocity), fem.Function(velocity)
    entry.interpolate(lambda x: np.vstack([24 * (x[1] - 0.5) * (1 - x[1]), 0 * x[0]]))
    given = []
    for value, place in ((rest, lambda x: (x[0] < 12 - 1e-9) | np.isclose(x[1] % 1, 0)),
                         (entry, lambda x: x[0] < -2 + 1e-9)):
        facets = mesh.locate_entities_boundary(domain, 1, place)
        dofs = fem.locate_dofs_topological((space.sub(0), velocity), 1, facets)
        given.append(fem.dirichletbc(value, dofs, space.sub(0)))
    newton = nls.petsc.NewtonSolver(MPI.COMM_SELF, fem.petsc.NonlinearProblem(form, w, given))
    newton.rtol = 1e-10
    newton.krylov_solver.setType("preonly")
    newton.krylov_solver.getPC().setType("lu")
    newton.krylov_solver.getPC().setFactorSolverType("mumps")
    newton.solve(w)
    at = np.column_stack([points, np.zeros(len(points))])
    tree = geometry.BoundingBoxTree(domain, 2)
    found = geometry.compute_colliding_cells(domain, geometry.compute_collisions(tree, at), at)
    of = [found.links(k)[0] for k in range(len(at))]
    return np.column_stack([w.sub(0).collapse().eval(at, of), w.sub(1).collapse().eval(at, of)])


def backward_step():
    points = np.array([(x, y) for x in np.arange(-2, 12.01, 0.25)
                       for y in np.arange(0, 1.01, 0.125 if x < 4 else 0.25)
                       if (x > 0 or y >= 0.5) and (x, y) != (0, 0.5)])  # p is infinite at the corner
    values = [step_on(n, 100.0, points) for n in (32, 64)]
    compare("backward_step", *values)
    values = np.where(np.abs(values[1]) < 1e-12, 0, values[1])
    write("backward_step", "xyuvp", np.column_stack([points, values]), 6, DATA)


TABLES = [lorenz, lorenz_short, lotka_volterra, pendulum, roessler, double_pendulum, robertson,
          hires, kuramoto_sivashinsky, kuramoto_sivashinsky_chaotic, brusselator, gray_scott,
          darcy_random, lid_driven_cavity_400, lid_driven_cavity_1000,
          backward_step]

if __name__ == "__main__":
    for table in TABLES:
        if len(sys.argv) == 1 or table.__name__ in sys.argv[1:]:
            table()
