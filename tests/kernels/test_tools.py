#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The build tools of kernels stop the build at errors that would stop the program in a driver."""

import os
import subprocess
import sys
import tempfile
import unittest

FINISH_PTX, INLINE_SOURCE, COMPILE_GLSL, GLSLC = sys.argv[1:5]
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
        text = self.finish(HEAD + ".func f()\n", "0", "8.0", "sm_90a")
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

    def compile_glsl(self, *variants):
        """Compiles variants, each (source, name, definition…), in one call."""
        lines = self.write("list", "".join("\t".join(words) + "\n" for words in variants))
        return subprocess.run([COMPILE_GLSL, lines, self.folder, os.path.join(self.folder, "depends"),
                               GLSLC, "--target-env=vulkan1.3", "-O", "-Werror", "-I", self.folder],
                              capture_output=True, text=True, check=False)

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def test_variants_are_what_glslc_makes_of_each_alone(self):
        self.write("a/size.glsl", "layout(local_size_x = SIZE) in;\n")
        kernel = self.write("k.comp", '// SPDX\n#version 460\n#include "a/size.glsl"\n'
                                      "layout(binding = 0) buffer Out { uint out_[]; };\n"
                                      "void main()\n{\n#ifdef TWICE\n    out_[1] = SIZE;\n#endif\n"
                                      "    out_[0] = __LINE__;\n}\n")
        flat = self.write("f.frag", "#version 450\nlayout(location = 0) out vec4 color;\n"
                                    "void main() { color = vec4(1.0); }\n")
        done = self.compile_glsl((kernel, "small", "-DSIZE=8"), (flat, "flat"),
                                 (kernel, "large", "-DTWICE", "-DSIZE=64u"))
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        for name, source, *definitions in (("small", kernel, "-DSIZE=8"), ("flat", flat),
                                           ("large", kernel, "-DTWICE", "-DSIZE=64u")):
            alone = os.path.join(self.folder, "alone")
            subprocess.run([GLSLC, "--target-env=vulkan1.3", "-O", "-Werror", "-I", self.folder,
                            *definitions, "-o", alone, source], check=True)
            self.assertEqual(self.read("alone"), self.read(name + ".spv"), name)
        self.assertEqual({self.folder + "/small.spv:", kernel, flat, self.folder + "/a/size.glsl"},
                         set(self.read("depends").decode().replace("\\\n", "").split()))

    def test_a_variant_that_does_not_compile_is_named_with_its_line(self):
        source = self.write("k.comp", "#version 460\nvoid main()\n{\n    x = WRONG;\n}\n")
        done = self.compile_glsl((source, "bad", "-DWRONG=1", "-DMORE=2"))
        self.assertNotEqual(0, done.returncode)
        self.assertIn("bad:4: error", done.stderr)

    def test_a_source_without_version_and_a_word_that_defines_nothing_are_refused(self):
        source = self.write("k.comp", "void main() {}\n")
        self.assertIn("#version", self.compile_glsl((source, "k")).stderr)
        source = self.write("k.comp", "#version 460\nvoid main() {}\n")
        self.assertIn("not a definition: -O0", self.compile_glsl((source, "k", "-O0")).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
