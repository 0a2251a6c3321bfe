#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""tools/setup.sh on machines that lack something.

A machine is a folder of links to this machine's commands, without some of them, and with doubles of
apt-get, apt-cache, id and sudo, which write down how they were called."""

import os
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SETUP = os.path.join(ROOT, "tools", "setup.sh")
DOUBLES = ("apt-get", "apt-cache", "id", "sudo")


class Machine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The links, more than a thousand, are made once; each test restores those that it removed."""
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.bin = folder.name
        cls.links = {}
        for at in ("/usr/bin", "/bin"):
            for name in os.listdir(at):
                if name not in DOUBLES:
                    cls.links.setdefault(name, os.path.join(at, name))
        for name, target in cls.links.items():
            os.symlink(target, os.path.join(cls.bin, name))

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = os.path.join(folder.name, "log")
        self.changed = set()
        self.addCleanup(self.put_back)
        self.command("apt-cache", 'echo "  Candidate: 1.0"')
        self.command("apt-get", "exit 0")
        self.command("id", "echo 0")

    def put_back(self):
        for name in self.changed:
            path = os.path.join(self.bin, name)
            if os.path.lexists(path):
                os.remove(path)
            if name in self.links:
                os.symlink(self.links[name], path)

    def command(self, name, script):
        """Makes a double that logs its call, then runs `script`."""
        path = os.path.join(self.bin, name)
        self.changed.add(name)
        if os.path.lexists(path):
            os.remove(path)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(f'#!/bin/sh\necho "{name} $*" >>{self.log}\n{script}\n')
        os.chmod(path, 0o755)

    def lacks(self, name):
        self.changed.add(name)
        os.remove(os.path.join(self.bin, name))

    def setup(self, *arguments):
        done = subprocess.run(["/bin/sh", SETUP, *arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False,
                              env={"PATH": self.bin, "HOME": "/nonexistent"})
        return done.returncode, done.stdout, done.stderr

    def calls(self):
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as stream:
            return [line.strip() for line in stream if not line.startswith("id ")]

    def test_a_machine_that_has_all_is_left_alone(self):
        for mode in ("build", "run", "check"):
            self.assertEqual(self.setup(mode), (0, "", ""))
        self.assertEqual(self.calls(), [])

    def test_an_unknown_mode_is_a_usage_error(self):
        self.assertEqual(self.setup("everything")[0], 2)

    def test_asking_names_the_line_to_type_and_installs_nothing(self):
        self.lacks("cmake")
        code, out, err = self.setup("build", "--ask")
        self.assertEqual(code, 1)
        self.assertIn("missing to build: cmake 3.25", out)
        self.assertIn("sudo apt-get install --no-install-recommends cmake\n", err)
        self.assertEqual(self.calls(), [])

    def test_without_root_and_sudo_it_prints_the_line_to_type(self):
        self.lacks("cmake")
        self.command("id", "echo 1000")
        code, _, err = self.setup("run")
        self.assertEqual(code, 1)
        self.assertIn("needs root; type: sudo apt-get install --no-install-recommends cmake\n", err)
        self.assertEqual(self.calls(), [])

    def test_with_sudo_it_installs_through_it(self):
        self.lacks("cmake")
        self.command("id", "echo 1000")
        self.command("sudo", '[ "$1" = -n ] && exit 0; exec "$@"')
        self.command("apt-get", f"ln -sf /usr/bin/cmake {self.bin}/cmake")
        self.assertEqual(self.setup("build")[0], 0)
        self.assertTrue(any(call.startswith("sudo env DEBIAN_FRONTEND=noninteractive apt-get ins")
                            for call in self.calls()), self.calls())

    def test_too_old_is_missing(self):
        self.command("cmake", "echo cmake version 3.18.4")
        self.assertIn("missing to build: cmake 3.25", self.setup("build", "--ask")[1])

    def test_as_root_it_installs_what_is_missing_and_looks_again(self):
        self.lacks("cmake")
        self.command("apt-get", f"ln -sf /usr/bin/cmake {self.bin}/cmake")
        code, out, _ = self.setup("build")
        self.assertEqual(code, 0)
        self.assertIn("installing cmake", out)
        self.assertIn("set-up for build is complete", out)
        self.assertTrue(self.calls()[-1].startswith("apt-get install -y"), self.calls())
        self.assertTrue(self.calls()[-1].endswith(" cmake"), self.calls())

    def test_an_installation_that_does_not_help_is_a_failure(self):
        self.lacks("cmake")
        code, _, err = self.setup("build")
        self.assertEqual(code, 1)
        self.assertIn("still missing after the installation: cmake 3.25", err)

    def test_missing_package_lists_are_fetched_first(self):
        self.lacks("cmake")
        self.command("apt-cache", f"[ -e {self.log}.updated ] && echo '  Candidate: 1' || "
                                  "echo '  Candidate: (none)'")
        self.command("apt-get", f"[ $1 = update ] && touch {self.log}.updated || "
                                f"ln -sf /usr/bin/cmake {self.bin}/cmake")
        self.assertEqual(self.setup("build")[0], 0)
        self.assertTrue(any(call.startswith("apt-get update") for call in self.calls()))

    def test_old_package_lists_are_fetched_again_once(self):
        self.lacks("cmake")
        self.command("apt-get", f"""case $1 in
            update) touch {self.log}.updated ;;
            *) [ -e {self.log}.updated ] && ln -sf /usr/bin/cmake {self.bin}/cmake ;; esac""")
        self.assertEqual(self.setup("build")[0], 0)

    def test_without_apt_it_names_what_to_install(self):
        self.lacks("glslc")
        self.lacks("apt-get")
        code, _, err = self.setup("run")
        self.assertEqual(code, 1)
        self.assertIn("no apt-get here", err)
        self.assertIn("glslc", err)

    def test_running_asks_for_no_test_tools(self):
        for tool in ("git", "objdump", "clang-format", "clang-tidy", "spirv-val", "python3"):
            self.lacks(tool)
        self.assertEqual(self.setup("run"), (0, "", ""))
        self.assertIn("clang-format", self.setup("check", "--ask")[1])

    def test_a_run_does_without_npm_where_it_cannot_be_had(self):
        self.lacks("npm")
        self.command("id", "echo 1000")
        code, _, err = self.setup("run")
        self.assertEqual(code, 0)
        self.assertIn("type: sudo apt-get install --no-install-recommends npm", err)
        self.assertIn("going on without: npm (the report page)", err)
        self.assertEqual(self.setup("check")[0], 1)

    def test_an_npm_that_cannot_be_installed_takes_nothing_else_with_it(self):
        self.lacks("npm")
        self.lacks("cmake")
        self.command("apt-get", f"""case "$*" in *npm*) exit 100 ;;
            *cmake*) ln -sf /usr/bin/cmake {self.bin}/cmake ;; esac""")
        code, _, err = self.setup("run")
        self.assertEqual(code, 0)
        self.assertIn("going on without: npm (the report page)", err)


if __name__ == "__main__":
    unittest.main()
