#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""test_deb.py BUILD: the .deb of a build holds what it should, depends on what its program loads,
and the program runs from where it was unpacked."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = sys.argv.pop() if len(sys.argv) > 1 else "build"
CONTENTS = (
    "usr/bin/fathom", "usr/share/man/man1/fathom.1.gz",
    "usr/share/bash-completion/completions/fathom", "usr/share/zsh/site-functions/_fathom",
    "usr/share/fish/vendor_completions.d/fathom.fish", "usr/share/fathom/run-schema.json",
    "usr/share/fathom/models/h200.json", "usr/share/fathom/reference/index.json",
    "usr/share/fathom/reference/README.md", "usr/share/doc/fathom/copyright",
    "usr/share/doc/fathom/changelog.gz", "usr/share/doc/fathom/README.md",
)


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=600, **options)


class Deb(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="fathom-deb-")
        cls.addClassCleanup(folder.cleanup)
        run("cpack", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B", folder.name)
        names = [name for name in os.listdir(folder.name) if name.endswith(".deb")]
        assert len(names) == 1, names
        cls.deb = os.path.join(folder.name, names[0])
        cls.root = os.path.join(folder.name, "root")
        run("dpkg-deb", "-x", cls.deb, cls.root)

    def field(self, name):
        return run("dpkg-deb", "-f", self.deb, name).stdout.strip()

    def fathom(self, *arguments):
        return subprocess.run([os.path.join(self.root, "usr/bin/fathom"), *arguments], cwd="/",
                              env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True,
                              check=False, timeout=600)

    def test_it_has_every_part(self):
        for path in CONTENTS:
            with self.subTest(path=path):
                self.assertTrue(os.path.getsize(os.path.join(self.root, path)))
        listed = run("dpkg-deb", "-c", self.deb).stdout
        self.assertNotIn("conformance", listed)
        self.assertEqual({"root/root"}, set(re.findall(r"(?m)^\S+ (\S+)", listed)))
        with open(os.path.join(self.root, CONTENTS[5]), encoding="utf-8") as file:
            self.assertEqual("urn:fathom:run:1", json.load(file)["$id"])
        with gzip.open(os.path.join(self.root, CONTENTS[1]), "rt", encoding="utf-8") as file:
            self.assertIn(".SH", file.read())

    def test_it_depends_on_what_the_program_loads(self):
        depends = self.field("Depends")
        for package in ("libc6 (>= ", "libjansson4", "zlib1g"):
            self.assertIn(package, depends)
        for package in ("vulkan", "cuda", "opencl", "cmocka"): # opened at run time, if at all
            self.assertNotIn(package, depends.lower())
        self.assertIn("libvulkan1", self.field("Recommends"))

    def test_the_program_runs_from_it(self):
        version = self.fathom("--version")
        self.assertEqual((0, ""), (version.returncode, version.stderr))
        self.assertIn(self.field("Version"), version.stdout)
        devices = self.fathom("devices")
        self.assertIn(devices.returncode, (0, 3), devices.stderr)
        self.assertIn("vulkan", devices.stdout + devices.stderr)
        share = os.path.join(self.root, "usr/share/fathom")
        compared = self.fathom("compare", "--reference",
                               os.path.join(share, "reference/h200-vulkan-standard.json"))
        self.assertEqual((0, ""), (compared.returncode, compared.stderr))

    def test_lintian_finds_no_error(self):
        if not shutil.which("lintian"):
            self.skipTest("lintian is not installed")
        found = subprocess.run(["lintian", "--allow-root", self.deb], capture_output=True, text=True,
                               check=False, timeout=600)
        self.assertEqual([], re.findall(r"(?m)^E: .*", found.stdout + found.stderr))


if __name__ == "__main__":
    if not shutil.which("dpkg-deb"):
        print("skipped: dpkg-deb is not installed")
        sys.exit(77)
    unittest.main(verbosity=2)
