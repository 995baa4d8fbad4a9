#!/usr/bin/python3
"""Looks at HTML reports in headless Chromium: they must render without console errors.

  check_report.py CHROMIUM FILE...      a folder stands for all its .html files

For each file, in a wide and in a narrow window: the page loads, nothing is written to the console as an error or warning, no script
fails, nothing is fetched from elsewhere, and the page holds a verdict, formulas and pictures that
have a size. Prints one line per finding, "file: what". Exit code 0: clean, 1: findings.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Runs in the page after its own script; the answer is read from the dumped document.
PROBE = """
<script>
window.addEventListener("load", () => {
  const size = (e) => { const r = e.getBoundingClientRect(); return r.width * r.height; };
  const all = (q) => [...document.querySelectorAll(q)];
  const players = all(".player").map((p) => {
    const shown = () => p.querySelectorAll(".frame.shown").length;
    const before = p.querySelector(".frame.shown");
    const slider = p.querySelector("input");
    slider.value = 0;
    slider.dispatchEvent(new Event("input"));
    const moved = p.querySelector(".frame.shown") === p.querySelector(".frame");
    return {frames: p.querySelectorAll(".frame").length, shown: shown(), moved, started: !!before};
  });
  const result = {
    sections: all("section").map((s) => s.id),
    formulas: all("math").length,
    flat_formulas: all("math").filter((m) => size(m) <= 0).length,
    pictures: all("figure svg, .frame.shown svg").length,
    flat_pictures: all("figure svg, .frame.shown svg").filter((s) => size(s) < 1000).length,
    outside: performance.getEntriesByType("resource").map((e) => e.name)
      .filter((n) => !n.startsWith("data:")),
    wide: document.documentElement.scrollWidth > document.documentElement.clientWidth + 1,
    players,
  };
  const note = document.createElement("script");
  note.type = "application/json";
  note.id = "probe-result";
  note.textContent = JSON.stringify(result).replaceAll("<", "\\\\u003c");
  document.body.append(note);
});
</script>
"""

# [123:456:0101/000000.000:INFO:CONSOLE(12)] "message", source: file (12)
CONSOLE = re.compile(r":CONSOLE[(:]\d+\)?\]\s*(.*)")


def look(chromium, file, width):
    """Loads a copy of the file with the probe in a window; returns the findings."""
    text = file.read_text(encoding="utf-8")
    if "</body>" not in text:
        return ["it has no end of the body"]
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        head, _, tail = text.rpartition("</body>")
        page.write_text(head + PROBE + "</body>" + tail, encoding="utf-8")
        run = subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--enable-logging=stderr", "--v=0", f"--user-data-dir={folder}/profile",
             f"--window-size={width},1000", "--virtual-time-budget=2000", "--dump-dom",
             page.as_uri()],
            capture_output=True, text=True, timeout=120, check=False)
    if run.returncode != 0:
        return [f"the browser ended with {run.returncode}: {run.stderr.strip()[-300:]}"]
    found = [f"console: {m.group(1)}" for m in map(CONSOLE.search, run.stderr.splitlines()) if m]
    answer = re.search(r'<script type="application/json" id="probe-result">(.*?)</script>',
                       run.stdout, re.S)
    if not answer:
        return found + ["the page did not finish loading"]
    return found + judge(json.loads(answer.group(1)))


def judge(page):
    """Findings of what the page says about itself."""
    found = []
    for section in ("verdict", "problem", "solution", "run"):
        if section not in page["sections"]:
            found.append(f"section '{section}' is missing")
    if "failed" in page["sections"]:
        found.append("a section could not be made")
    if page["formulas"] == 0:
        found.append("there are no formulas")
    if page["flat_formulas"] > 0:
        found.append(f"{page['flat_formulas']} formulas have no size")
    if page["pictures"] == 0:
        found.append("there are no pictures")
    if page["flat_pictures"] > 0:
        found.append(f"{page['flat_pictures']} pictures have no size")
    if page["outside"]:
        found.append(f"it fetches {page['outside'][0]}")
    if page["wide"]:
        found.append("the page is wider than the window")
    for player in page["players"]:
        if player["shown"] != 1 or not player["started"] or not player["moved"]:
            found.append(f"a player of {player['frames']} frames does not follow its slider")
    return found


def files_of(names):
    """The files themselves; a folder without pages stands for itself and is a finding."""
    for path in map(Path, names):
        yield from (sorted(path.glob("*.html")) or [path]) if path.is_dir() else [path]


def main():
    if len(sys.argv) < 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    bad = False
    for file in files_of(sys.argv[2:]):
        for width in (1200, 400):
            findings = look(sys.argv[1], file, width) if file.is_file() else ["no such file"]
            for finding in findings:
                print(f"{file}: {finding} ({width} pixels wide)")
            bad = bad or bool(findings)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
