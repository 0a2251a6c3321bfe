#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The commands of README.md, docs/READING.md and reference/README.md work as they stand there.
Commands that measure are checked up to the choice of the device: benchmarks, options and settings
are accepted. The others run, in their order."""

import os
import re
import shlex
import shutil
import textwrap

import fathom

REAL = os.environ["FATHOM_REAL"]
README = (fathom.ROOT / "README.md").read_text(encoding="utf-8")
# Files that the commands read, and the committed runs that are used in their place.
RUNS = {"before.json": "h200-vulkan-standard.json", "after.json": "h200-vulkan-standard.json",
        "run.json": "h200-vulkan-standard.json", "map.json": "h200-vulkan-map.json",
        "checks/node1.json": "h200-vulkan-standard.json"}


def commands(page):
    """The commands of a page: indented lines without their explanation, and commands in backticks.
    Commands with a word in capitals are templates and left out."""
    text = (fathom.ROOT / page).read_text(encoding="utf-8")
    lines = re.findall(r"(?m)^    (fathom [a-z].*?)(?:  .*)?$", text)
    lines += re.findall(r"`(fathom (?:list|run) [^`]+)`", text)
    return [line for line in lines if not re.search(r"\b[A-Z]{3,}\b", line)]


class Readme(fathom.Case):
    def check_page(self, page, least):
        folder = self.folder / page.replace("/", "-")
        folder.mkdir()
        for name, run in RUNS.items():
            (folder / name).parent.mkdir(exist_ok=True)
            shutil.copy(fathom.ROOT / "reference" / run, folder / name)
        found = commands(page)
        self.assertGreaterEqual(len(found), least, found)
        for line in found:
            with self.subTest(page=page, command=line):
                words = shlex.split(line)[1:]
                measures = words[0] in ("run", "map", "check", "serve")
                done = fathom.run(*words, *(["-d", "nowhere:0"] if measures else []), binary=REAL,
                                  cwd=folder, LSAN_OPTIONS="detect_leaks=0")
                if measures:
                    self.assertIn("-d nowhere:0: no such device", done.err)
                elif "not in this build" not in done.err:
                    self.assertEqual((0, ""), (done.status, done.err))

    def test_every_command_does_what_it_says(self):
        self.check_page("README.md", 8)
        self.check_page("docs/READING.md", 2)
        self.check_page("reference/README.md", 4)

    def test_it_says_where_the_program_is(self):
        install = README.partition("\n## Install\n")[2].partition("\n## ")[0]
        for text in ("`./build/fathom`", "`make install`", ".deb", "linux-x86_64.tar.gz"):
            self.assertIn(text, install)

    def test_its_picture_is_what_the_program_draws(self):
        drawn = fathom.run("show", "reference/h200-cuda-map-4.json.gz", binary=REAL,
                           cwd=fathom.ROOT).out
        picture = re.search(r"(?m)^  ┌(?:.|\n)*?\n\n", drawn)[0]
        self.assertIn(textwrap.indent(picture, "    "), README)

    def test_packages_have_this_version(self):
        version = fathom.run("--version", binary=REAL).out.split()[1]
        self.assertEqual({version}, set(re.findall(r"fathom[-_](\d+\.\d+\.\d+)", README)))


if __name__ == "__main__":
    fathom.main()
