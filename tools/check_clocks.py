#!/usr/bin/python3
"""Checks that nothing decides by time: only base/clock.cpp reads it, and who asks it shows the answer.

  tools/check_clocks.py [ROOT]     ROOT: a tree with src/, include/, tests/, ..., default this repository

Looks at src/, include/, examples/, notes/ and tests/; what bench/ and the other tools measure is shown.
Prints one line per finding, "file:line: what; fix". Exit code 0: clean, 1: findings.
"""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from cpp_text import code_of

TOPS = ("src", "include", "examples", "notes", "tests")
CPP, PYTHON, SHELL = {".hpp", ".cpp", ".h", ".inc", ".cu", ".cuh"}, {".py"}, {".sh", ".cmake"}

# What reads time or waits for it, by language.
READERS = {
    "C++": re.compile(
        r"\b(?:steady|system|high_resolution|utc|tai|gps|file)_clock\b|\b[Cc]lock::now\b|#\s*include\s*<(?:chrono|ctime)>"
        r"|\bstd::(?:clock|clock_t|time|difftime)\b|\bCLOCKS_PER_SEC\b"
        r"|(?<![\w.>:])(?:::)?(?:clock|time)\s*\(\s*(?:nullptr|NULL|&|::)|(?<![\w.>:])(?:::)?(?:sleep|alarm|ftime|clock(?=\s*\(\s*\)))\s*\("
        r"|\b(?:clock_gettime|clock_getres|gettimeofday|timespec_get|getrusage|setitimer|timer_create|timerfd_create)\b"
        r"|\bRLIMIT_CPU\b|\b__?rdtscp?\b|\b__builtin_ia32_rdtsc\b|\bomp_get_wtime\b"
        r"|\b(?:sleep_for|sleep_until|wait_for|wait_until|try_lock_for|try_lock_until|usleep|nanosleep)\b"),
    "Python": re.compile(r"\btime\.(?:time|monotonic|perf_counter|process_time|thread_time|clock_gettime|sleep)(?:_ns)?\b"
                         r"|\bdatetime\.\w*\.?(?:now|utcnow|today)\b|\bgetrusage\b|\btimeit\b"),
    "shell": re.compile(r"\$\{?(?:SECONDS|EPOCHSECONDS|EPOCHREALTIME)\b|(?:^|[;&|(]|\b(?:do|then|else)\s)\s*(?:sleep|date|times?|timeout)\s|\bTIMESTAMP\b"),
}
FIX = {
    True: "count work (base/work.hpp), ask a RunLimit, or show clock_seconds() (base/clock.hpp)",
    False: "count work, calls or allocations (support/work_of.hpp), or turn the clock (TurnedClock)",
}

# Who may, and why. Whoever is added here decides nothing by it.
READ_TIME = {
    "src/base/clock.cpp": "the one clock",
    "src/base/threads.cpp": "how long a thread spins before it sleeps",
    "src/cli/interrupt.cpp": "a handler of signals tells two presses of Ctrl-C from one",
    "src/cli/interrupt.hpp": "its patience",
    "src/io/child_process.cpp": "a process that a foreign library hangs is ended",
    "tests/unit/base/test_threads.cpp": "threads are late, so that others come first",
    "tests/support/ctrl_c.hpp": "a signal is sent again until it has come",
    "tests/support/mutations.hpp": "the memory of a process",
    "tests/tools/check_clocks.sh": "what is refused",
    "tests/faults/run_folders.py": "runs are killed at random moments",
}

# Who asks the clock of the library, or how much a user's limit leaves, and what for.
ASK = re.compile(r"\b(?:clock_seconds|wall_seconds|seconds_left)\b")
ASK_TIME = {
    "src/cli/study_run.cpp": "the time of a study that is shown",
    "src/notes/result.cpp": "the time of an entry that is shown",
    "src/operators/epoch_log.cpp": "the seconds of a log",
    "src/operators/epoch_log.hpp": "the seconds of a log",
    "src/files/run_log.cpp": "stamps of a log",
    "src/io/events.cpp": "stamps of a log",
    "tests/unit/base/test_run_limit.cpp": "tests the clock, turned",
    "src/solvers/machine_speed.cpp": "measures rates for seconds that are shown",
    "src/solvers/pinn/pinn_march.cpp": "a user's limit is shared among windows of time, and the answer says so",
}


def language_of(file):
    if file.name == "CMakeLists.txt" or file.suffix in SHELL:
        return "shell"
    return "C++" if file.suffix in CPP else "Python" if file.suffix in PYTHON else None


def lines_of(file, language):
    text = file.read_text(encoding="utf-8", errors="replace")
    if language == "C++":
        return code_of(text).splitlines()
    return [re.sub(r"(^|\s)#.*", "", line) for line in text.splitlines()]


def findings_of(root, file, used):
    language, where = language_of(file), str(file.relative_to(root))
    if language is None:
        return
    library = not where.startswith("tests/")
    for number, line in enumerate(lines_of(file, language), start=1):
        if read := READERS[language].search(line):
            used.add(("READ_TIME", where))
            if where not in READ_TIME:
                yield f"{where}:{number}: '{read.group(0).strip()}' reads time; {FIX[library]}"
        in_base = where.startswith(("src/base/", "include/cauchy/base/"))
        if language == "C++" and not in_base and (ask := ASK.search(line)):
            used.add(("ASK_TIME", where))
            if where not in ASK_TIME:
                yield (f"{where}:{number}: '{ask.group(0)}' outside of base; decide by counted work, or, where the time "
                       "is only shown, give the file and what for in ASK_TIME of tools/check_clocks.py")


def main(arguments):
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent).resolve()
    files = [f for top in TOPS for f in sorted((root / top).rglob("*")) if f.is_file()]
    if not any(language_of(f) == "C++" for f in files):
        print(f"{root}: no C++ files under {', '.join(TOPS)}; is this the right folder?")
        return 1
    used = set()
    findings = [f for file in files for f in findings_of(root, file, used)]
    for name, places in (("READ_TIME", READ_TIME), ("ASK_TIME", ASK_TIME)):
        findings += [f"tools/check_clocks.py:1: {place} does not need its entry in {name} any more; take it out"
                     for place in places if (root / place).exists() and (name, place) not in used]
    print(*findings, sep="\n", end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
