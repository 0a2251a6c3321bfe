#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Words and calls that the sources may not use, each with the reason and with the excepted places."""

import re

import tree


def call(names):
    return rf"(?<![\w.>])(?:{names})\s*\("


# (pattern in code, why not, folders or files below src/ that may use it)
RULES = (
    (call("strcpy|strcat|strncpy|strncat|sprintf|vsprintf|gets|alloca"),
     "unbounded or unterminated", ()),
    (call("strtok|localtime|gmtime|asctime|ctime|rand|srand|tmpnam|mktemp"),
     "hidden state or a race", ()),
    (call("atoi|atol|atoll|atof"), "cannot tell an error from 0", ()),
    (call("system|popen"), "a shell between us and the program", ()),
    (call("exit|abort|quick_exit"), "only main decides to end", ("cli/main.c", "base/arena.c")),
    (call("_exit|_Exit|fork|vfork|execv|execve|execvp|posix_spawn"), "belongs to base/", ("base/",)),
    (call("printf|vprintf|puts|putchar|perror"), "printing is for cli/ and report/",
     ("cli/", "report/")),
    (r"\b(?:stdout|stderr)\b", "the stream is given by cli/", ("cli/", "base/arena.c")),
    (call("setjmp|longjmp|signal"), "jumps past the clean-up; use sigaction in cli/", ()),
    (r"\b_GNU_SOURCE\b", "belongs to base/", ("base/",)),
    (r"\btypedef\s+(?:struct|union|enum)\b", "say struct x", ()),
    (call("malloc|calloc|realloc|strdup|strndup|asprintf"), "host memory comes from arenas",
     ("base/", "gpu/model/backend.c")),  # a model's device memory is sparse
    (call("hypot"), "needs glibc 2.35, newer than the kit allows; use root_of_squares", ()),
)

# In comments, too.
MARKS = (
    (re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b"), "finish it or leave it out"),
    (re.compile(r"not (?:yet )?implemented", re.I), "finish it or leave it out"),
)


def is_excepted(path, places):
    return any(path.startswith("src/" + place) for place in places)


def check(file):
    code = file.code()
    for pattern, why, places in RULES:
        if is_excepted(file.path, places):
            continue
        for match in re.finditer(pattern, code):
            word = match.group().rstrip("( \t\n")
            yield f"{file.path}:{tree.line_of(code, match.start())}: {word}: {why}"
    for pattern, why in MARKS:
        for match in pattern.finditer(file.text):
            line = tree.line_of(file.text, match.start())
            yield f"{file.path}:{line}: {match.group()}: {why}"


def main():
    root = tree.root_from_arguments(__doc__)
    sources = list(tree.files(root, folders=("src",), endings=tree.C_SOURCES))
    tree.finish(len(sources), [finding for file in sources for finding in check(file)])


if __name__ == "__main__":
    main()
