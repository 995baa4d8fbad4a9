#!/usr/bin/env python3
"""Writes the direction numbers of the Sobol sequence as source text.

Usage: make_sobol_table.py OUTPUT [N_DIMENSIONS]      (src/sampling/samplers/sobol_table.inc, 2048)

Source: the set "new-joe-kuo-6.21201" of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with
better two-dimensional projections", SIAM J. Sci. Comput. 30, 2635-2654 (2008), as packed with scipy
(scipy/stats/_sobol_direction_numbers.npz). One line per dimension from the second on:
  p, m_1, ..., m_s,
p holds all coefficients of the primitive polynomial of degree s, the leading one first.
"""
import pathlib
import sys

import numpy
import scipy.stats

HEADER = """\
// Written by tools/make_sobol_table.py; do not edit.
// Direction numbers "new-joe-kuo-6" of S. Joe and F. Y. Kuo (SIAM J. Sci. Comput. 30, 2008), which
// come under the licence below. Per dimension, from the second on: the primitive polynomial of
// degree s as a binary number, then the odd numbers m_1, ..., m_s.
//
// Copyright (c) 2008, Frances Y. Kuo and Stephen Joe. All rights reserved.
// Redistribution and use in source and binary forms, with or without modification, are permitted
// provided that the following conditions are met:
// * Redistributions of source code must retain the above copyright notice, this list of conditions
//   and the following disclaimer.
// * Redistributions in binary form must reproduce the above copyright notice, this list of
//   conditions and the following disclaimer in the documentation and/or other materials provided
//   with the distribution.
// * Neither the names of the copyright holders nor the names of the University of New South Wales
//   and the University of Waikato and its contributors may be used to endorse or promote products
//   derived from this software without specific prior written permission.
// THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS ''AS IS'' AND ANY EXPRESS OR IMPLIED
// WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS
// FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDERS BE LIABLE FOR
// ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT
// NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR
// BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT
// LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
// SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
"""


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    count = int(sys.argv[2]) if len(sys.argv) == 3 else 2048
    path = pathlib.Path(scipy.stats.__file__).parent / "_sobol_direction_numbers.npz"
    data = numpy.load(path)
    lines = []
    for polynomial, numbers in zip(data["poly"][1:count], data["vinit"][1:count]):
        degree = int(polynomial).bit_length() - 1
        lines.append(",".join(str(int(x)) for x in [polynomial, *numbers[:degree]]) + ",\n")
    pathlib.Path(sys.argv[1]).write_text(HEADER + "".join(lines))


if __name__ == "__main__":
    main()
