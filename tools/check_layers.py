#!/usr/bin/python3
"""Checks that includes only go down the layers, and that public headers stay free of heavy libraries.

  tools/check_layers.py [ROOT]     ROOT: a tree with include/cauchy/ and src/, default this repository

Prints one line per finding, "file:line: what; fix". Exit code 0: clean, 1: findings.
"""

import os
import re
import sys
from pathlib import Path

# From the bottom to the top: a file may include its own layer and those before it.
LAYERS = [
    "base", "math", "expr", "geometry", "sampling", "engine", "tensor", "io", "networks", "problem",
    "optimizers", "training", "solvers", "data", "dynamics", "operators", "applications", "files", "report",
    "cli", "notes", "python",
]
RANK = {layer: rank for rank, layer in enumerate(LAYERS)}

# A user of the library must not need these to compile against it.
PRIVATE_LIBRARIES = re.compile(r"^(hwy/|fmt/|cblas|lapack|openblas|f77blas|agg_|png|CLI/|hdf5|H5|zip|toml|nlohmann|Eigen|cvode|ida/|nvector|sun)")

SUFFIXES = {".hpp", ".cpp", ".h", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(<[^>]+>|"[^"]+")')


def files_by_layer(root):
    """Yields (file, layer or None, is_public). None: directly in the top folder (umbrella header)."""
    for top, is_public in ((root / "include" / "cauchy", True), (root / "src", False)):
        for file in sorted(top.rglob("*")):
            if file.suffix in SUFFIXES and file.is_file():
                parts = file.relative_to(top).parts
                yield file, parts[0] if len(parts) > 1 else None, is_public


def included_layer(root, file, name, quoted):
    """The layer that an include names, or None when it is not one of ours."""
    if quoted:
        beside = Path(os.path.normpath(file.parent / name))
        if beside.is_file():
            for top in (root / "include" / "cauchy", root / "src"):
                if top in beside.parents:
                    parts = beside.relative_to(top).parts
                    return parts[0] if len(parts) > 1 else None
    parts = name.split("/")
    if parts[0] == "cauchy" and len(parts) > 2:
        return parts[1]
    if quoted and len(parts) > 1 and parts[0] in RANK:
        return parts[0]
    return None


def findings_of(root, file, layer, is_public):
    where = file.relative_to(root)
    if layer is not None and layer not in RANK:
        yield (f"{where}:1: folder '{layer}' is not a layer; "
               "move the file, or add the layer to LAYERS in tools/check_layers.py")
        return
    text = file.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), start=1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quoted, name = match.group(1)[0] == '"', match.group(1)[1:-1]
        if is_public and PRIVATE_LIBRARIES.match(name):
            yield (f"{where}:{number}: public header includes {match.group(1)}; "
                   "move the include and what needs it to src/")
        target = included_layer(root, file, name, quoted)
        if target is None or layer is None:
            continue
        if target not in RANK:
            yield (f"{where}:{number}: {match.group(1)} names no layer; "
                   f"layers are: {' '.join(LAYERS)}")
        elif RANK[target] > RANK[layer]:
            yield (f"{where}:{number}: layer '{layer}' includes {match.group(1)} of the higher layer "
                   f"'{target}'; move what is needed down to '{layer}' or below, "
                   f"or move this file up to '{target}'")


def main(arguments):
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent).resolve()
    files = list(files_by_layer(root))
    if not files:
        print(f"{root}: no C++ files under include/cauchy/ and src/; is this the right folder?")
        return 1
    findings = [f for file in files for f in findings_of(root, *file)]
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
