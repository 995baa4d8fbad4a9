#!/usr/bin/python3
"""Checks that the pages of docs/ and README.md are true.

  tests/docs/check.py output PROGRAM EXPECTED   PROGRAM prints the text of the file EXPECTED
  tests/docs/check.py commands CAUCHY ROOT      every option of `cauchy COMMAND ...` in the pages is
                                                one that `cauchy COMMAND --help` names
  tests/docs/check.py links ROOT                every link of a page leads to a file and a heading
  tests/docs/check.py site FOLDER               every link and picture of a site of HTML pages is there

Exit code 0: yes; 1: no, with what differs.
"""

import difflib
import re
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.M | re.S)
COMMAND = re.compile(r"(?:^|[\s`$/])cauchy ([a-z]+)((?:[^\n`]|\\\n)*)", re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")
OPTION = re.compile(r"(?<![\w-])--?[a-z][\w-]*")


def output(program, expected):
    wanted = Path(expected).read_text(encoding="utf-8")
    run = subprocess.run([program], capture_output=True, text=True, check=False)
    sys.stdout.write(run.stderr)
    sys.stdout.writelines(difflib.unified_diff(wanted.splitlines(True), run.stdout.splitlines(True),
                                               "the page", "the program"))
    return 0 if run.returncode == 0 and run.stdout == wanted else 1


def pages(root):
    return [Path(root) / "README.md", *sorted((Path(root) / "docs").rglob("*.md"))]


def anchor(heading):
    """The name that a page gives to a heading: small letters, digits and hyphens."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def links(root):
    wrong, n_links = 0, 0
    for page in pages(root):
        text = re.sub(r"`[^`\n]*`", "", BLOCK.sub("", page.read_text(encoding="utf-8")))
        for target in LINK.findall(text):
            if re.match(r"[a-z]+:", target):
                continue
            n_links += 1
            name, _, place = target.partition("#")
            file = page.parent / name if name else page
            if not file.exists():
                print(f"{page}: no file {target}")
                wrong += 1
            elif place and file.suffix == ".md":
                headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.M)
                if place not in map(anchor, headings):
                    print(f"{page}: no heading {target}")
                    wrong += 1
    print(f"{n_links} links")
    return 1 if wrong or n_links == 0 else 0


def site(folder):
    ids, wrong, n_links = {}, 0, 0
    for page in sorted(Path(folder).rglob("*.html")):
        text = page.read_text(encoding="utf-8")
        ids[page.resolve()] = set(re.findall(r'\bid="([^"]*)"', text))
    for page in ids:
        for target in re.findall(r'\b(?:href|src)="([^"]*)"', page.read_text(encoding="utf-8")):
            if re.match(r"[a-z]+:", target):
                continue
            n_links += 1
            name, _, place = target.partition("#")
            file = (page.parent / name).resolve() if name else page
            if not file.exists() or (place and file in ids and place not in ids[file]):
                print(f"{page}: nothing at {target}")
                wrong += 1
    print(f"{len(ids)} pages, {n_links} links")
    return 1 if wrong or n_links == 0 else 0


def commands(cauchy, root):
    help_of, wrong, n_options = {}, 0, 0
    for page in pages(root):
        for command, rest in COMMAND.findall(page.read_text(encoding="utf-8")):
            if command not in help_of:
                run = subprocess.run([cauchy, command, "--help"], capture_output=True, text=True,
                                     check=False)
                help_of[command] = run.stdout if run.returncode == 0 else None
            known = help_of[command]
            if known is None:
                continue  # prose: "cauchy is ..."
            for option in OPTION.findall(re.sub(r'"[^"]*"|#.*', "", rest)):
                n_options += 1
                if not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", known):
                    print(f"{page}: `cauchy {command}` has no option {option}")
                    wrong += 1
    print(f"{n_options} options of {len(help_of)} commands")
    return 1 if wrong or n_options == 0 else 0


if __name__ == "__main__":
    sys.exit({"output": output, "commands": commands, "links": links, "site": site}[sys.argv[1]](*sys.argv[2:]))
