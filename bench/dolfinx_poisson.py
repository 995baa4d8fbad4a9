"""The dolfinx side of bench_fem: Poisson's equation with elements of order 1 on the unit square.

Reads lines "n repeats" from standard input; answers with the number of cells and of unknowns and
with the seconds, wall clock and processor, of the best of the repeats, for: the space of functions
and the sparsity pattern with an empty matrix, the entries of the matrix, the load. One process; the code of the elements is
compiled before the clock starts. Needs Debian's python3-dolfinx.
"""

import sys
import time


def best(work, repeats):
    """Seconds of the best of some calls, wall clock and processor, and the last result."""
    wall, processor, result = 1e300, 1e300, None
    for _ in range(repeats):
        start, spent = time.perf_counter(), time.process_time()
        result = work()
        wall = min(wall, time.perf_counter() - start)
        processor = min(processor, time.process_time() - spent)
    return wall, processor, result


def main():
    import numpy as np
    import ufl
    from dolfinx import fem, mesh
    from mpi4py import MPI

    for line in sys.stdin:
        n, repeats = (int(word) for word in line.split())
        domain = mesh.create_unit_square(MPI.COMM_SELF, n, n)
        *made, space = best(lambda: fem.FunctionSpace(domain, ("Lagrange", 1)), repeats)
        u, v = ufl.TrialFunction(space), ufl.TestFunction(space)
        a = fem.form(ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx)
        load = fem.form(fem.Constant(domain, 1.0) * v * ufl.dx)
        b = fem.petsc.create_vector(load)

        def fill(matrix):
            matrix.zeroEntries()
            fem.petsc.assemble_matrix(matrix, a)
            matrix.assemble()

        def fill_load():
            b.array[:] = 0
            fem.petsc.assemble_vector(b, load)

        *pattern, matrix = best(lambda: fem.petsc.create_matrix(a), repeats)
        pattern = [p + m for p, m in zip(pattern, made)]
        fill(matrix)  # the first time moves memory
        *entries, _ = best(lambda: fill(matrix), repeats)
        *vector, _ = best(fill_load, repeats)
        # -laplacian(x^2 + y^2) = -4: a number that both sides can compare.
        f = fem.Function(space)
        f.interpolate(lambda x: x[0] ** 2 + x[1] ** 2)
        energy = f.vector.dot(matrix * f.vector)
        print(domain.topology.index_map(2).size_local, space.dofmap.index_map.size_local, *pattern,
              *entries, *vector, repr(float(np.real(energy))), flush=True)


main()
