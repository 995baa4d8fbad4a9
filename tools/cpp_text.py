"""What the checks share that read C++ sources as text."""

import re

# A raw string, a string, a character (no digit separator: 10'000), a comment.
NO_CODE = re.compile(
    r'R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|(?<![0-9A-Fa-f])'(?:[^'\\\n]|\\.)+'"
    r"|//(?:[^\\\n]|\\.)*"
    r"|/\*.*?\*/",
    re.DOTALL)


def code_of(text):
    """The text without comments, and with empty strings and characters; lines keep their numbers."""
    def blank(match):
        piece = match.group(0)
        quote = "" if piece[0] == "/" else "''" if piece[0] == "'" else '""'
        return quote + "\n" * piece.count("\n")
    return NO_CODE.sub(blank, text)
