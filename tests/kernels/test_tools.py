#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The build tools behind the kernels stop the build where a driver would stop the program."""

import os
import subprocess
import sys
import tempfile
import unittest

FINISH_PTX, INLINE_SOURCE = sys.argv[1:3]
HEAD = ".version 6.3\n.target sm_70\n.address_size 64\n"


class Tools(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def finish(self, text, *threads):
        out = os.path.join(self.folder, "out.ptx")
        done = subprocess.run([FINISH_PTX, self.write("in.ptx", text), out, "6.3", "sm_70", *threads],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            return done.stderr
        with open(out, encoding="utf-8") as file:
            return file.read()

    def test_constants_without_value_become_definitions(self):
        text = self.finish(HEAD + ".extern .const .align 16 .b8 constant_1[4096];\n")
        self.assertIn(".visible .const .align 16 .b8 constant_1[4096];\n", text)

    def test_a_function_that_stayed_unresolved_is_named(self):
        text = self.finish(HEAD + ".extern .func  (.param .b64 func_retval0) _Z13get_global_idj\n")
        self.assertIn("_Z13get_global_idj", text)
        self.assertIn("prelude", text)

    def test_another_version_or_target_than_asked_for_is_refused(self):
        self.assertIn(".version 6.0", self.finish(HEAD.replace("6.3", "6.0")))
        self.assertIn(".target sm_20", self.finish(HEAD.replace("sm_70", "sm_20")))

    def test_threads_stand_in_the_head_of_the_entry_alone(self):
        text = ".func inner()\n{\n}\n.visible .entry k(\n\t.param .u64 p\n)\n{\n\tret;\n}\n"
        self.assertEqual(HEAD + text.replace("\n)\n{", "\n)\n.maxntid 1024\n{"),
                         self.finish(HEAD + text, "1024"))
        self.assertEqual(HEAD + text, self.finish(HEAD + text))

    def test_a_kernel_may_be_for_a_newer_chip_than_clang_knows(self):
        text = self.finish(HEAD + ".func f()\n", "", "8.0", "sm_90a")
        self.assertEqual(".version 8.0\n.target sm_90a\n.address_size 64\n.func f()\n", text)

    def test_includes_are_put_in_place_once_and_left_out_where_named(self):
        self.write("a/one.clh", "// SPDX\n// comment\nint one;\n")
        self.write("a/two.clh", '// SPDX\n#include "a/one.clh"\nint two;\n')
        self.write("a/other.clh", "int other;\n")
        source = self.write("k.cl", '#include "a/two.clh"\n#include "a/one.clh"\n'
                                    '#include "a/other.clh"\nint three;\n')
        out = os.path.join(self.folder, "out.cl")
        subprocess.run([INLINE_SOURCE, self.folder, source, out, "a/other.clh"], check=True)
        with open(out, encoding="utf-8") as file:
            text = file.read()
        code = [line for line in text.splitlines() if line.startswith("int")]
        self.assertEqual(code, ["int one;", "int two;", "int three;"])
        self.assertNotIn("#include", text)
        self.assertNotIn("comment", text)
        self.assertIn('#line 4 "k.cl"\nint three;', text)
        with open(out + ".d", encoding="utf-8") as file:
            self.assertIn("a/one.clh", file.read())

    def test_an_include_that_is_missing_is_named(self):
        source = self.write("k.cl", '#include "not/there.clh"\n')
        done = subprocess.run([INLINE_SOURCE, self.folder, source, source + ".out"],
                              capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("not/there.clh", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
