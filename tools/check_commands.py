#!/usr/bin/python3
"""Checks that .ci/run starts every command that people are told to run, and none in a weaker form.

  tools/check_commands.py [ROOT]     ROOT: a tree with Makefile, .ci/run, CONTRIBUTING.md, bench/ and
                                     docs/, default this repository

Every target of the Makefile is called by .ci/run, itself or by a target that it calls; so is every command
of the table "How to check" (`ctest --test-dir build` is a part of `make test`; values of settings, as in
`make fuzz FUZZ_SECONDS=10`, are sizes); every program of bench/ is started, and those that pages name are
there; no recipe asks for $(CI).
Prints one line per finding. Exit code 0: clean, 1: findings.
"""

import re
import sys
from pathlib import Path

TARGET = re.compile(r"^([a-z][a-z-]*):(?!=)\s*([^#=]*)(?:##.*)?$")
CALL = re.compile(r"(?:\$\(MAKE\)|(?<![\w/-])make) ([^;|&#\n]*)")


def read_makefile(text):
    """Of every target: the targets that it calls or needs, and its recipe."""
    targets = {}
    current = None
    for line in text.replace("\\\n", " ").splitlines():
        found = TARGET.match(line)
        if found:
            current = targets.setdefault(found[1], [set(), ""])
            current[0].update(found[2].split())
        elif line.startswith("\t") and current is not None:
            current[0].update(called(line))
            current[1] += line + "\n"
    return targets


def called(text):
    """The targets of the calls of make in a script."""
    names = set()
    for words in CALL.findall(text):
        names.update(w for w in words.split() if re.fullmatch(r"[a-z][a-z-]*", w))
    return names


def without_comments(script):
    lines = (line for line in script.splitlines() if not re.match(r"\s*(#|step )", line))
    return "\n".join(lines)


def told_commands(contributing):
    """The commands in the first column of the table."""
    section = contributing.partition("\n## How to check\n")[2].partition("\n## ")[0]
    for row in re.findall(r"^\| (`.*?`) \|", section, re.M):
        yield from re.findall(r"`([^`]+)`", row)


def findings_of(root):
    targets = read_makefile((root / "Makefile").read_text(encoding="utf-8"))
    script = without_comments((root / ".ci/run").read_text(encoding="utf-8"))
    reached, new = set(), called(script) & targets.keys()
    while new:
        reached |= new
        new = set().union(*(targets[name][0] for name in new)) & targets.keys() - reached
    for name in sorted(targets.keys() - reached):
        yield f"Makefile: nothing in .ci/run calls `make {name}`"
    for name, (_, recipe) in sorted(targets.items()):
        if "$(CI)" in recipe or re.search(r"\$\(if [^)]*CI\b", recipe):
            yield f"Makefile: `make {name}` asks for $(CI): it must do the same for people"
    everything = script + "".join(targets[name][1] for name in sorted(reached))
    commands = list(told_commands((root / "CONTRIBUTING.md").read_text(encoding="utf-8")))
    if not commands:
        yield 'CONTRIBUTING.md: no table of commands below "How to check"'
    for command in commands:
        words = command.split()
        if words[0] == "make":
            proved = words[1] in reached
        elif command.startswith("ctest --test-dir build "):
            proved = "test" in reached
        elif words[0].startswith("tools/"):
            proved = words[0] + " " in everything
        else:
            proved = command == ".ci/run" or command in everything
        if not proved:
            yield f"CONTRIBUTING.md: .ci/run does not run `{command}`"
    for source in sorted((root / "bench").glob("*.cpp")):
        # Those of `make bench` are started one after the other.
        if source.stem == "benchmark_main" or source.stem.startswith("bench_"):
            continue
        if f"build/bench/{source.stem} " not in everything:
            yield f"bench/{source.name}: nothing in .ci/run starts this program"
    for page in sorted((root / "docs").rglob("*.md")):
        for name in sorted(set(re.findall(r"\bbench_[a-z_]+\b", page.read_text(encoding="utf-8")))):
            if not (root / "bench" / f"{name}.cpp").exists():
                yield f"{page.relative_to(root)}: there is no program {name}"


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    findings = list(findings_of(root))
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
