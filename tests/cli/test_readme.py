#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The commands of README.md are right as they stand there. What measures is checked up to the choice
of the device: benchmarks, options and settings are accepted. The others run, in their order."""

import os
import re
import shlex
import shutil

import fathom

REAL = os.environ["FATHOM_REAL"]
README = (fathom.ROOT / "README.md").read_text(encoding="utf-8")


def commands():
    """Indented lines up to the blanks before their explanation, and what backticks enclose."""
    lines = re.findall(r"(?m)^    (fathom [a-z].*?)(?:  .*)?$", README)
    return lines + re.findall(r"`(fathom (?:list|run) [^`]+)`", README)


class Readme(fathom.Case):
    def test_every_command_does_what_it_says(self):
        for name in ("before.json", "after.json", "run.json"):
            shutil.copy(fathom.ROOT / "reference/h200-vulkan-standard.json", self.path(name))
        found = commands()
        self.assertGreaterEqual(len(found), 8, found)
        for line in found:
            with self.subTest(command=line):
                words = shlex.split(line)[1:]
                measures = words[0] in ("run", "map")
                done = fathom.run(*words, *(["-d", "nowhere:0"] if measures else []), binary=REAL,
                                  cwd=self.folder, ASAN_OPTIONS="detect_leaks=0")
                if measures:
                    self.assertIn("-d nowhere:0: no such device", done.err)
                elif "not in this build" not in done.err:
                    self.assertEqual((0, ""), (done.status, done.err))

    def test_it_says_where_the_program_is(self):
        install = README.partition("\n## Install\n")[2].partition("\n## ")[0]
        for text in ("`./build/fathom`", "`make install`", ".deb", "linux-x86_64.tar.gz"):
            self.assertIn(text, install)

    def test_packages_have_this_version(self):
        version = fathom.run("--version", binary=REAL).out.split()[1]
        self.assertEqual({version}, set(re.findall(r"fathom[-_](\d+\.\d+\.\d+)", README)))


if __name__ == "__main__":
    fathom.main()
