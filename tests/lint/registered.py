#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every test in the tree is run: a test that ctest knows names each tests/FOLDER/test_NAME.c or .py."""

import argparse
import json
import os
import subprocess

import tree


def known_words(build):
    """Names of all files in the tests' commands, without folders and endings."""
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True,
                             capture_output=True, text=True).stdout
    words = set()
    for test in json.loads(listing)["tests"]:
        for word in test.get("command", []):
            words.add(os.path.splitext(os.path.basename(word))[0])
    return words


def programs_of(build, words):
    """Sources of the programs that tests run, from CMake's object folders: NAME.dir/FILE.c.o."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as stream:
        for entry in json.load(stream):
            for word in entry["command"].split():
                if ".dir/" in word and word.endswith(".o"):
                    program = os.path.basename(word.split(".dir/")[0])
                    if program in words:
                        yield os.path.splitext(os.path.basename(entry["file"]))[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    tree.add_root(parser)
    parser.add_argument("--build", required=True, help="a build folder with tests")
    arguments = parser.parse_args()
    words = known_words(arguments.build)
    words.update(programs_of(arguments.build, words))
    tests = [file for file in tree.files(arguments.root, folders=("tests",), endings=(".c", ".py"))
             if os.path.basename(file.path).startswith("test_")]
    tree.finish(len(tests), [f"{file.path}: no test runs it" for file in tests
                             if os.path.splitext(os.path.basename(file.path))[0] not in words])


if __name__ == "__main__":
    main()
