#!/usr/bin/python3
"""Starts and kills solves, and looks at the folders that they leave.

  run_folders.py PROGRAM pairs [N]    N pairs started together into the default folder, and N into
                                      one --out: no shared folder, no mixed result
  run_folders.py PROGRAM kills [N]    N kills at random moments: every run is resumed to the bits of
                                      one that was not killed, and no file is left over

Prints one line per finding and a last line with the counts. Exit code 0: clean, 1: findings.
"""

import json
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
from importlib.machinery import SourceFileLoader
from pathlib import Path

sys.dont_write_bytecode = True
TOOL = Path(__file__).resolve().parents[2] / "tools/compare_builds"
arrays_of = SourceFileLoader("compare_builds", str(TOOL)).load_module().arrays_of

PROBLEM = """
name = "decay"
fields = ["u"]
[domain]
time = { t = [0, 1] }
[[equation]]
form = "u_t = -u"
[[condition]]
where = "t = 0"
form = "u = 1"
[[observation]]
file = "sensors.csv"
of = "u"
[reference]
u = "exp(-t)"
[method]
network = { width = 8, depth = 1 }
points = { interior = 50 }
stages = [{ optimizer = "adam", steps = STEPS }, { optimizer = "lbfgs", steps = 20 }]
"""


def write_problem(folder, steps):
    (folder / "sensors.csv").write_text("t,u\n0.5,0.60653\n1,0.36788\n")
    (folder / "decay.toml").write_text(PROBLEM.replace("STEPS", str(steps)))


def start(program, folder, *words):
    command = [program, "solve", *words, "--quiet", "--json", "--threads", "1"]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


def files_of(run):
    """Names of all files of a run, the numbers of event files and the like left out."""
    return sorted(re.sub(r"\d+", "N", str(f.relative_to(run))) for f in run.rglob("*"))


def curves_of(run):
    """log.csv without the seconds."""
    rows = [line.split(",") for line in open(run / "log.csv")]
    return [row[:2] + row[3:] for row in rows]  # step, stage, seconds, loss, error, terms


# --- pairs ---

def check_pair(program, folder, words, one_folder, findings):
    both = [start(program, folder, "decay.toml", "--seed", str(seed), *words) for seed in (1, 2)]
    ended = [(seed, *p.communicate(), p.returncode) for seed, p in zip((1, 2), both)]
    refused = [e for e in ended if e[3] == 2]
    held = "holds a run already|still going on"
    for _, out, err, _ in refused:
        if not one_folder or out or not re.search(held, err) or err.count("\n") != 1:
            findings.append(f"refused: {err.strip()}")
    done = [(seed, json.loads(out)) for seed, out, _, code in ended if code in (0, 1)]
    if len(done) + len(refused) != 2 or len(done) != (1 if one_folder else 2):
        findings.append(f"exit codes {[e[3] for e in ended]}: {[e[2] for e in ended]}")
    if len({answer["folder"] for _, answer in done}) != len(done):
        findings.append(f"shared: {done[0][1]['folder']}")
    for seed, answer in done:
        run = folder / answer["folder"]
        result = json.loads((run / "result.json").read_text())
        seed_line = f"seed = {seed}\n"
        if result["seed"] != seed or seed_line not in (run / "problem.toml").read_text():
            findings.append(f"{run}: not the result of its own run")
        history = arrays_of(run / "solution.bin")["history"]
        width = 4 + len(answer["loss_terms"])  # step, seconds, loss, error, terms
        loss = struct.unpack(f"<{len(history) // 8}d", history)[2 - width]
        if result["times"] != answer["times"] or loss != answer["loss"]:
            findings.append(f"{run}: mixed files")
        if files_of(run) != ["data", "data/observation_N.csv", "events.out.tfevents.N.N.N.cauchy",
                             "log.csv", "problem.toml", "report.html", "result.json",
                             "solution.bin"]:
            findings.append(f"{run}: files {files_of(run)}")


def pairs(program, n, findings):
    for one_folder in (False, True):
        for i in range(n):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                write_problem(folder, 10)
                if one_folder and i % 2 == 1:
                    (folder / "run").mkdir()  # empty folders may be taken
                words = ["--out", "run"] if one_folder else []
                check_pair(program, folder, words, one_folder, findings)
    return f"{n} pairs into the default folder, {n} into one --out"


# --- kills ---

def kills(program, n, findings):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_problem(folder, 15000)
        begin = time.monotonic()
        whole = start(program, folder, "decay.toml", "--out", "whole")
        if whole.wait() == 2:
            findings.append(whole.stderr.read())
            return "nothing"
        longest = time.monotonic() - begin
        theta = arrays_of(folder / "whole/solution.bin")["theta"]
        n_kills, n_runs, n_resumed = 0, 0, 0
        while n_kills < n:
            run = folder / f"part{n_runs}"
            n_runs += 1
            for _ in range(100):
                begun = (run / "problem.toml").exists()
                n_resumed += begun
                part = start(program, folder, "decay.toml", "--out", run.name,
                             "--checkpoint-seconds", "0.05", *(["--resume"] if begun else []))
                try:
                    wait = random.uniform(0, longest) if n_kills < n else None
                    _, err = part.communicate(timeout=wait)
                    # It may have been killed after its last file.
                    if part.returncode == 2 and "the run is finished" not in err:
                        findings.append(f"{run.name}: {err.strip()}")
                    break
                except subprocess.TimeoutExpired:
                    part.kill()
                    part.communicate()
                    n_kills += 1
            if not (run / "result.json").exists():
                findings.append(f"{run.name}: no result")
                continue
            if arrays_of(run / "solution.bin")["theta"] != theta:
                findings.append(f"{run.name}: other bits")
            if curves_of(run) != curves_of(folder / "whole"):
                findings.append(f"{run.name}: another log")
            left = set(files_of(run)) - set(files_of(folder / "whole")) - {"checkpoint.bin"}
            if left or len(files_of(run)) - (run / "checkpoint.bin").exists() != len(
                    files_of(folder / "whole")):
                findings.append(f"{run.name}: files {files_of(run)}")
        others = {f.name for f in folder.iterdir()} - {"decay.toml", "sensors.csv", "whole"}
        if others != {f"part{i}" for i in range(n_runs)}:
            findings.append(f"left over: {sorted(others)}")
    return f"{n_kills} kills of {n_runs} runs of {longest:.2f} s, {n_resumed} times resumed"


def main(program, what, n="20"):
    findings = []
    program = str(Path(program).resolve())
    counts = {"pairs": pairs, "kills": kills}[what](program, int(n), findings)
    print(*findings, f"{counts}: {len(findings)} findings", sep="\n")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
