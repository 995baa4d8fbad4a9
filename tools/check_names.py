#!/usr/bin/python3
"""Checks that no name stands in cauchy and in cauchy::detail: whoever uses both could mean either.

  tools/check_names.py [ROOT]     ROOT: a tree with include/cauchy/ and src/, default this repository

Collects from the headers what is declared at namespace scope: types, concepts, aliases, variables, functions.
Functions of one name are overloads and no clash unless they take the same parameters.
Prints one line per finding, "file:line: what; fix". Exit code 0: clean, 1: findings.
"""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from cpp_text import code_of

PUBLIC, PRIVATE = ("cauchy",), ("cauchy", "detail")
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.']*|::|->|\S")
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\\\n]|\\.)*", re.DOTALL | re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]")
OPEN = {"(": ")", "{": "}", "[": "]", "<": ">"}
TYPES = {"class", "struct", "union", "enum"}
# What stands before the declared type and says nothing about the name.
SPECIFIERS = {"inline", "static", "constexpr", "constinit", "consteval", "extern", "export", "thread_local", "volatile"}
# A bracket behind one of these does not hold the parameters of a function.
BEFORE_BRACKET = {"decltype", "noexcept", "alignas", "requires", "__attribute__", "explicit"}


def tokens_of(text):
    """Pairs of a token and its line."""
    code = DIRECTIVE.sub(lambda m: "\n" * m.group(0).count("\n"), code_of(text))
    line, end = 1, 0
    for match in TOKEN.finditer(code):
        line += code.count("\n", end, match.start())
        end = match.start()
        yield match.group(0), line


def behind(tokens, at):
    """The index behind the bracket that opens at `at`; '<' may be less than, but within its own kind."""
    opening, i = tokens[at][0], at + 1
    while i < len(tokens):
        token = tokens[i][0]
        if token == OPEN[opening]:
            return i + 1
        i = behind(tokens, i) if token in "([{" or token == opening else i + 1
    return len(tokens)


class Declaration:
    def __init__(self, name, line, parameters=None):
        self.name, self.line = name, line
        self.parameters = parameters  # of a function, as text; None: no function


def parameters_of(tokens):
    """Types of parameters as text, without their names and defaults, so far as a light reader sees them."""
    texts, i, part = [], 0, []
    tokens = tokens + [(",", 0)]
    while i < len(tokens):
        token = tokens[i][0]
        if token == "=":  # a default; commas within brackets belong to it
            while i < len(tokens) and tokens[i][0] != ",":
                i = behind(tokens, i) if tokens[i][0] in OPEN else i + 1
            continue
        if token == ",":
            if len(part) > 1 and WORD.match(part[-1]) and part[-2] != "::" and part[-2] not in ("const", "unsigned"):
                part.pop()
            texts.append(" ".join(p for p in part if p not in ("cauchy", "detail", "::")))
            part, i = [], i + 1
            continue
        end = behind(tokens, i) if token in OPEN else i + 1
        part += [t for t, _ in tokens[i:end]]
        i = end
    return "(" + ", ".join(texts) + ")"


def declared(tokens):
    """What a declaration at namespace scope, up to its body or ';', names; [] when it names nothing new."""
    i = 0
    template = ""
    while i < len(tokens):  # template <...>, requires (...), attributes, specifiers
        token = tokens[i][0]
        if token == "template" and i + 1 < len(tokens) and tokens[i + 1][0] == "<":
            end = behind(tokens, i + 1)
            template += " ".join(t for t, _ in tokens[i:end])
            i = end
        elif token == "[" or (token in BEFORE_BRACKET and i + 1 < len(tokens) and tokens[i + 1][0] == "("):
            i = behind(tokens, i if token == "[" else i + 1)
        elif token in SPECIFIERS:
            i += 1
        else:
            break
    rest = tokens[i:]
    words = [t for t, _ in rest]
    if not words or words[0] in ("friend", "static_assert", "template") or "operator" in words:
        return []
    if words[0] == "using":
        named = len(words) > 2 and words[1] != "namespace" and words[2] == "="
        return [Declaration(*rest[1])] if named else []
    if words[0] == "typedef":
        return [Declaration(*rest[-1])]
    if words[0] == "concept":
        return [Declaration(*rest[1])]
    if words[0] in TYPES:
        i = 1
        while i < len(words) and (words[i] in TYPES or words[i] in ("[", "(", "alignas")):
            i = behind(rest, i) if words[i] in "[(" else i + 1
        after = words[i + 1] if i + 1 < len(words) else ";"
        if i < len(words) and WORD.match(words[i]) and after in (";", ":", "final"):
            return [Declaration(*rest[i])]
        if after in ("<", "::"):
            return []  # a specialisation, or a member class
    return declarators(rest, template)


def declarators(tokens, template):
    """A function, or the variables of a list."""
    found, last, i = [], None, 0
    while i < len(tokens):
        token = tokens[i][0]
        if token == "(":
            end = behind(tokens, i)
            if last is not None and last[0] not in BEFORE_BRACKET and last[2]:
                return [Declaration(last[0], last[1], template + parameters_of(tokens[i + 1:end - 1]))]
            i = end
        elif token in "<[{":
            i = behind(tokens, i)
        elif token == "=":
            if last is not None and last[2]:
                found.append(Declaration(last[0], last[1]))
            last = None
            while i < len(tokens) and tokens[i][0] != ",":
                i = behind(tokens, i) if tokens[i][0] in "([{" else i + 1
        elif token == ",":
            if last is not None and last[2]:
                found.append(Declaration(last[0], last[1]))
            last, i = None, i + 1
        else:
            if WORD.match(token):
                last = (token, tokens[i][1], i == 0 or tokens[i - 1][0] != "::")
            i += 1
    # One word alone is the call of a macro, or the name of a type.
    if last is not None and last[2] and (found or len(tokens) > 1):
        found.append(Declaration(last[0], last[1]))
    return found


def outer_words(tokens):
    """The words outside of brackets; each pair of them is its opening one."""
    words, i = [], 0
    while i < len(tokens):
        words.append(tokens[i][0])
        i = behind(tokens, i) if tokens[i][0] in OPEN else i + 1
    return words


def declarations_of(text):
    """Yields (namespace as a tuple, Declaration); unnamed and inline namespaces are those around them."""
    tokens = list(tokens_of(text))
    scopes, head, i = [()], [], 0
    while i < len(tokens):
        token = tokens[i][0]
        if token == "{":
            words = [t for t, _ in head]
            if "namespace" in words and words[0] in ("namespace", "inline"):
                names = tuple(w for w in words[words.index("namespace") + 1:] if WORD.match(w))
                scopes.append(scopes[-1] + (names if words[0] == "namespace" else ()))
                head, i = [], i + 1
                continue
            if words[:1] == ["extern"] and len(words) == 3:  # extern "C"
                scopes.append(scopes[-1])
                head, i = [], i + 1
                continue
            end = behind(tokens, i)
            outer = outer_words(head)
            is_type = any(w in TYPES for w in outer) and "(" not in outer and "=" not in outer
            is_value = "=" in outer and "operator" not in outer
            if is_value or not ("(" in outer or is_type):
                i = end  # the value of a variable, which ends with ';'
                continue
            yield from ((scopes[-1], d) for d in declared(head))
            while is_type and end < len(tokens) and tokens[end - 1][0] != ";":
                end += 1
            head, i = [], end
        elif token == "}":
            scopes.pop()
            head, i = [], i + 1
            if not scopes:
                return  # more closed than opened: nothing that follows can be placed
        elif token == ";":
            yield from ((scopes[-1], d) for d in declared(head))
            head, i = [], i + 1
        elif token in "([":
            end = behind(tokens, i)
            head += tokens[i:end]
            i = end
        else:
            head.append(tokens[i])
            i += 1


def main(arguments):
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent).resolve()
    headers = [f for top in ("include/cauchy", "src") for f in sorted((root / top).rglob("*.hpp"))]
    if not headers:
        print(f"{root}: no headers under include/cauchy/ and src/; is this the right folder?")
        return 1
    places = {PUBLIC: {}, PRIVATE: {}}
    for header in headers:
        for scope, d in declarations_of(header.read_text(encoding="utf-8", errors="replace")):
            if scope in places:
                places[scope].setdefault(d.name, []).append((f"{header.relative_to(root)}:{d.line}", d.parameters))
    n = 0
    for name in sorted(places[PUBLIC].keys() & places[PRIVATE].keys()):
        for where, own in places[PRIVATE][name]:
            other = next((o for o, theirs in places[PUBLIC][name] if own is None or theirs is None or own == theirs), None)
            if other is not None:
                n += 1
                print(f"{where}: '{name}' of cauchy::detail is in cauchy, too, at {other}; "
                      "give the private one a name that says what is private about it")
    return 1 if n else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
