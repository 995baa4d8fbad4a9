#!/usr/bin/python3
"""Turns the ```cpp blocks of README.md and of the pages below docs/ into programs, with the output they
promise.

  tests/docs/extract.py ROOT FOLDER     writes below FOLDER, prints the names of the programs

program_<page>_<n>   a block with `int main`, as it stands
fragments            all other blocks, one function each; main runs those that promise an output

A ```text block directly after a block is what it prints: it lies in <program>.expected. Fragments
that promise nothing are compiled only, each in the scope of those before it on its page. A fragment
whose first line is `// names` stands before every other fragment of its page. What a fragment takes
for granted is said above it, unseen by readers: <!-- given: const Problem problem; -->
"""

import re
import sys
from pathlib import Path

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
GIVEN = re.compile(r"<!-- given: ((?:(?!-->).)*) -->\s*\Z", re.S)
INCLUDE = re.compile(r"^#include .*\n", re.M)


class Block:
    def __init__(self, root, page, text, match, following):
        self.page = page.relative_to(root)
        self.line = text.count("\n", 0, match.start(2)) + 1
        self.code = match.group(2)
        given = GIVEN.search(text, 0, match.start())
        self.given = given.group(1) + "\n" if given else ""
        directly = following and not text[match.end():following.start()].strip()
        self.output = following.group(2) if directly and following.group(1) == "text" else None

    def body(self):
        code = INCLUDE.sub("\n", self.code)
        return f'{self.given}#line {self.line} "{self.page}"\n{code}'


def blocks_of(root, page):
    text = page.read_text(encoding="utf-8")
    matches = list(BLOCK.finditer(text))
    for match, following in zip(matches, matches[1:] + [None]):
        if match.group(1) == "cpp":
            yield Block(root, page, text, match, following)


def write(file, text):
    """Leaves an unchanged file alone, so that it is not compiled again."""
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")


def fragments_of_page(number, blocks):
    """The functions of a page, and the calls of those that promise an output."""
    names = "".join(b.body() for b in blocks if b.code.startswith("// names"))
    others = [b for b in blocks if not b.code.startswith("// names")]
    functions, calls = [], []
    for b in others:
        if b.output is not None:
            name = f"page_{number}_line_{b.line}"
            functions.append(f"void {name}() {{\n{names}{{\n{b.body()}}}\n}}\n")
            calls.append(f'  std::printf("== {b.page}:{b.line}\\n");\n  {name}();\n')
    silent = [b for b in others if b.output is None]
    nested = "".join("{\n" + b.body() for b in silent) + "}" * len(silent)
    functions.append(f"[[maybe_unused]] void page_{number}_compiles() {{\n{names}{nested}\n}}\n")
    return functions, calls


def main(root, folder):
    root, folder = Path(root).resolve(), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    headers = sorted(p.relative_to(root / "include") for p in (root / "include").rglob("*.hpp"))
    functions, calls, expected, programs, pages = [], [], "", [], 0
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        blocks = list(blocks_of(root, page))
        whole = [b for b in blocks if "int main(" in b.code]
        for n, block in enumerate(whole, start=1):
            name = f"program_{re.sub('[^a-z0-9]', '_', page.stem.lower())}_{n}"
            # Under another name than main, a function must return something.
            code = block.code.rstrip().removesuffix("}") + "return 0;\n}\n"
            write(folder / f"{name}.cpp", f'#line {block.line} "{block.page}"\n{code}')
            write(folder / f"{name}.expected", block.output or "")
            programs.append(name)
        fragments = [b for b in blocks if "int main(" not in b.code]
        if fragments:
            pages += 1
            of_page = fragments_of_page(pages, fragments)
            functions += of_page[0]
            calls += of_page[1]
            expected += "".join(f"== {b.page}:{b.line}\n{b.output}" for b in fragments
                                if b.output is not None)
    text = "".join(f"#include <{h}>\n" for h in headers)
    text += "".join(f"#include <{h}>\n" for h in ("cmath", "complex", "cstdio"))
    text += "\nnamespace {\nusing namespace cauchy;\n\n" + "\n".join(functions) + "}  // namespace\n\n"
    text += "int main() {\n" + "".join(calls) + "  return 0;\n}\n"
    write(folder / "fragments.cpp", text)
    write(folder / "fragments.expected", expected)
    print(";".join(["fragments", *programs]))


if __name__ == "__main__":
    main(*sys.argv[1:])
