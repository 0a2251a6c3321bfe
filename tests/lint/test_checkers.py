#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The checks themselves: each must find a planted violation, and nothing in clean sources.

A check runs on a small tree in a temporary folder as it runs on the real one."""

import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SPDX = "// SPDX-License-Identifier: MIT\n"


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        return path

    def run_check(self, name, *arguments):
        done = subprocess.run([sys.executable, os.path.join(HERE, name), "--root", self.root,
                               *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def assert_clean(self, name, *arguments):
        code, text = self.run_check(name, *arguments)
        self.assertEqual(code, 0, text)

    def assert_finds(self, expected, name, *arguments):
        code, text = self.run_check(name, *arguments)
        self.assertEqual(code, 1, text)
        self.assertIn(expected, text)


class Includes(Tree):
    def test_an_arrow_down_is_fine(self):
        self.write("src/suite/plan.c", '#include "bench/bench.h"\n#include <string.h>\n')
        self.write("src/gpu/vulkan/batch.c", '#include "gpu/vulkan/api.h"\n#include <volk.h>\n')
        self.write("src/bench/latency/latency.comp", '#include "bench/prelude/prelude.glsl"\n')
        self.write("src/measure/probe.cl", '#include "bench/prelude/prelude.cl"\n')
        self.assert_clean("includes.py")

    def test_an_arrow_up_is_found_with_its_line(self):
        self.write("src/measure/span.c", '#include "gpu/gpu.h"\n\n#include "bench/bench.h"\n')
        self.assert_finds("src/measure/span.c:3: bench/bench.h: measure/ may not include bench/",
                          "includes.py")

    def test_a_sideways_arrow_is_found(self):
        self.write("src/sensors/nvml.c", '#include "math/stats.h"\n')
        self.assert_finds("sensors/ may not include math/", "includes.py")

    def test_a_benchmark_may_not_see_a_backend_nor_another_benchmark(self):
        self.write("src/bench/latency/latency.c", '#include "gpu/vulkan/api.h"\n')
        self.assert_finds("only gpu/vulkan/ may see its inside", "includes.py")
        self.write("src/bench/latency/latency.c", '#include "bench/bandwidth/bandwidth.h"\n')
        self.assert_finds("only bench/bandwidth/ may see its inside", "includes.py")

    def test_the_command_line_may_not_see_inside_a_backend(self):
        self.write("src/cli/main.c", '#include "gpu/cuda/api.h"\n')
        self.assert_finds("only gpu/cuda/ may see its inside", "includes.py")

    def test_the_prelude_of_kernels_is_closed_to_c(self):
        self.write("src/measure/clock.c", '#include "bench/prelude/prelude.h"\n')
        self.assert_finds("is for kernels only", "includes.py")

    def test_a_vendor_header_is_found_outside_its_backend(self):
        self.write("src/bench/latency/latency.c", "#include <vulkan/vulkan.h>\n")
        self.assert_finds("belongs behind gpu/vulkan", "includes.py")

    def test_a_relative_include_is_found(self):
        self.write("src/base/arena.c", '#include "arena.h"\n')
        self.assert_finds('is not written "folder/file.h"', "includes.py")

    def test_a_new_floor_needs_a_line_in_the_table(self):
        self.write("src/attic/box.c", '#include "base/arena.h"\n')
        self.assert_finds("attic/ has no line in the include table", "includes.py")

    def test_an_empty_tree_is_no_success(self):
        self.assert_finds("nothing was checked", "includes.py")


class Sizes(Tree):
    def test_long_files_warn_then_fail(self):
        self.write("src/base/long.c", "int x;\n" * 501)
        code, text = self.run_check("sizes.py")
        self.assertEqual(code, 0)
        self.assertIn("warning: src/base/long.c: 501 lines", text)
        self.write("src/base/long.c", "int x;\n" * 801)
        self.assert_finds("src/base/long.c: 801 lines", "sizes.py")

    def test_long_functions_fail(self):
        body = "    step();\n" * 99
        self.write("src/base/long.c", f"void f(void)\n{{\n{body}}}\n")
        self.assert_finds("src/base/long.c:2: function of 101 lines", "sizes.py")


class Banned(Tree):
    def test_words_in_comments_strings_and_longer_names_are_fine(self):
        self.write("src/math/fine.c", '// strcpy(a, b) /* no */\nint my_strcpy(int x);\n'
                                      'const char *s = "atoi(1)"; int y = q.system(1);\n'
                                      "int n = snprintf(s, 2, \"x\");\n")
        self.assert_clean("banned.py")

    def test_calls_are_found_outside_their_place(self):
        for code, word in (("strcpy(a, b);", "strcpy("), ("x = atoi (s);", "atoi ("),
                           ("abort();", "abort("), ('printf("x");', "printf("),
                           ("fputs(x, stderr);", "stderr"), ("p = malloc(4);", "malloc("),
                           ("typedef struct x y;", "typedef struct"),
                           ("#define _GNU_SOURCE 1", "_GNU_SOURCE")):
            with self.subTest(code):
                self.write("src/math/bad.c", f"\n{code}\n")
                self.assert_finds("src/math/bad.c:2: " + word.rstrip("( "), "banned.py")

    def test_calls_are_fine_in_their_place(self):
        self.write("src/cli/main.c", 'printf("x"); exit(1);\n')
        self.write("src/base/arena.c", "#define _GNU_SOURCE\nabort(); p = malloc(1);\n")
        self.assert_clean("banned.py")

    def test_unfinished_marks_are_found_in_comments(self):
        self.write("src/math/bad.c", "// TO" + "DO: later\n")
        self.assert_finds("src/math/bad.c:1: TO" + "DO", "banned.py")


class Docs(Tree):
    def test_files_and_links_that_are_there_are_fine(self):
        self.write("src/base/arena.h", "")
        self.write("docs/A.md", "`base/arena.h` [b](B.md) [c](https://c.org) `tests/X.c` `a/b c`\n")
        self.write("docs/B.md", "\n")
        self.assert_clean("docs.py")

    def test_what_is_not_there_is_found(self):
        self.write("docs/A.md", "\n`base/attic.h`\n[b](B.md)\n")
        self.assert_finds("docs/A.md:2: no file base/attic.h", "docs.py")
        self.assert_finds("docs/A.md:3: no file B.md", "docs.py")

    def test_an_include_table_that_says_something_else_is_found(self):
        self.write("docs/ARCHITECTURE.md", "| `math/` | numbers | base results |\n")
        self.assert_finds("math/ may include base", "docs.py")

    def test_codes_are_explained_for_all_or_beside(self):
        self.write("docs/METHODOLOGY.md", "| `throttled` | slow |\n")
        self.write("src/suite/a.c", 'visit_flag(visit, "throttled", "%s", "odd-one");\n')
        self.write("src/bench/x/a.c", 'result_flag(arena,\n    f(result), "odd", "why");\n')
        self.write("src/bench/x/METHOD.md", "It is suspect: `odd`.\n")
        self.assert_clean("docs.py")

    def test_a_code_that_nothing_explains_is_found(self):
        self.write("docs/METHODOLOGY.md", "| `throttled` | slow |\n")
        self.write("src/suite/a.c", '\nend_entry(entry, VERDICT_FAILED, "gone", why);\n')
        self.assert_finds("src/suite/a.c:2: the code gone", "docs.py")

    def test_calls_that_were_renamed_do_not_pass_unseen(self):
        self.write("docs/METHODOLOGY.md", "| `throttled` | slow |\n")
        self.write("src/suite/a.c", 'visit_renamed(visit, "gone", "why");\n')
        self.assert_finds("src: no call adds a reason with a code", "docs.py")


class Spdx(Tree):
    def test_the_line_stands_first_or_after_the_interpreter(self):
        self.write("src/base/a.c", SPDX)
        self.write("tools/b.sh", "#!/bin/sh\n# SPDX-License-Identifier: MIT\n")
        self.assert_clean("spdx.py")

    def test_a_file_without_it_is_found(self):
        self.write("src/base/a.c", "\n" + SPDX)
        self.assert_finds("src/base/a.c:1: no line SPDX", "spdx.py")


class Headers(Tree):
    def test_a_header_that_needs_another_is_found(self):
        self.write("src/base/a.h", "#ifndef BASE_A_H\n#define BASE_A_H\nuint32_t f(void);\n#endif\n")
        self.assert_finds("base/a.h: does not compile alone", "headers.py", "--cc", "gcc")

    def test_a_guard_of_another_name_is_found(self):
        self.write("src/base/a.h", "#ifndef A_H\n#define A_H\n#endif\n")
        self.assert_finds("guard is not BASE_A_H", "headers.py", "--cc", "gcc")

    def test_a_whole_header_is_fine(self):
        self.write("src/base/a.h", "#ifndef BASE_A_H\n#define BASE_A_H\nint f(void);\n#endif\n")
        self.assert_clean("headers.py", "--cc", "gcc")


class Format(Tree):
    def test_blanks_at_line_ends_and_tabs_are_found(self):
        self.write("src/bench/x.comp", "void main() {} \n")
        self.assert_finds("src/bench/x.comp:1: blanks", "format.py")
        self.write("src/bench/x.comp", "void main() {\tx; }\n")
        self.assert_finds("src/bench/x.comp:1: a tab", "format.py")

    def test_code_that_the_formatter_would_change_is_found(self):
        self.write(".clang-format", "BasedOnStyle: LLVM\n")
        self.write("src/base/a.c", "int  x ;\n")
        self.assert_finds("src/base/a.c:1: run clang-format", "format.py")


class Globals(Tree):
    def compile(self, source, name):
        path = self.write(name + ".c", source)
        subprocess.run(["gcc", "-c", "-fPIE", "-o", path + ".o", path], check=True)
        done = subprocess.run([sys.executable, os.path.join(HERE, "globals.py"), path + ".o"],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def test_constants_are_fine(self):
        code, text = self.compile('static const char *const names[] = {"a", "b"};\n'
                                  "const char *f(int i) { return names[i]; }\n", "fine")
        self.assertEqual(code, 0, text)

    def test_mutable_state_is_found_by_name(self):
        for source, name in (("int counter;", "counter"), ("static int a = 1; int f(void) { return "
                             "a++; }", "a"), ("int f(void) { static int n; return n++; }", "n."),
                             ("_Thread_local int each;", "each")):
            with self.subTest(source):
                code, text = self.compile(source, "bad")
                self.assertEqual(code, 1, text)
                self.assertIn(f": {name}", text)

    def test_volk_is_excepted(self):
        code, text = self.compile("int vkGetInstanceProcAddr;", "volk")
        self.assertEqual(code, 0, text)


class Circles(Tree):
    def compile(self, name, source):
        path = self.write(f"{name}.c", source)
        subprocess.run(["gcc", "-c", "-o", path + ".o", path], check=True)

    def run_check(self, name, *arguments):
        done = subprocess.run([sys.executable, os.path.join(HERE, name), self.root,
                               self.root], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_an_object_whose_source_is_gone_counts_no_more(self):
        self.compile("one", "int two(void); int one(void) { return two(); }\n")
        self.compile("two", "int one(void); int two(void) { return one(); }\n")
        self.assert_finds("one two: a circle of files", "circles.py")
        os.remove(os.path.join(self.root, "two.c"))
        self.assert_clean("circles.py")

    def test_calls_in_one_direction_are_fine(self):
        self.compile("bench/x/one", "int two(void); int one(void) { return two(); }\n")
        self.compile("bench/x/two", "int two(void) { return 2; }\n")
        self.assert_clean("circles.py")

    def test_a_circle_through_a_third_file_is_found(self):
        self.compile("bench/x/one", "int two(void); int one(void) { return two(); }\n")
        self.compile("bench/x/two", "int three(void); int two(void) { return three(); }\n")
        self.compile("bench/x/three", "int one(void); int three(void) { return one(); }\n")
        self.compile("bench/x/user", "int one(void); int user(void) { return one(); }\n")
        self.assert_finds("bench/x/one bench/x/three bench/x/two: a circle of files", "circles.py")

    def test_a_table_of_another_file_is_a_use_of_it(self):
        self.compile("one", "extern const int table[]; int one(void) { return table[0]; }\n")
        self.compile("two", "int one(void); const int table[] = {1};\n"
                            "int two(void) { return one(); }\n")
        self.assert_finds("one two: a circle of files", "circles.py")

    def test_no_objects_are_no_success(self):
        self.assert_finds("nothing was checked", "circles.py")


class Users(Tree):
    def test_two_users_or_a_test_are_enough(self):
        self.write("src/base/two.h", "")
        self.write("src/base/two.c", '#include "base/two.h"\n')
        self.write("src/math/a.c", '#include "base/two.h"\n')
        self.write("src/math/b.c", '#include "base/two.h"\n#include "math/tested.h"\n')
        self.write("src/math/tested.h", "")
        self.write("tests/unit/test_tested.c", '#include "math/tested.h"\n')
        self.assert_clean("users.py")

    def test_one_user_besides_its_own_file_is_found(self):
        self.write("src/base/one.h", "")
        self.write("src/base/one.c", '#include "base/one.h"\n')
        self.write("src/math/a.c", '#include "base/one.h"\n')
        self.assert_finds("base/one.h: one file includes it", "users.py")


class Deletion(Tree):
    def setUp(self):
        super().setUp()
        for name in ("occupancy", "strides"):
            self.write(f"src/bench/{name}/{name}.h", "")
            self.write(f"tests/{name}/test_device.c", "")
        self.write("src/bench/list.h", "BENCHMARK(latency)\nBENCHMARK(strides)\n"
                                       "BENCHMARK(occupancy)\n")
        self.write("src/bench/list.c", '#include "bench/list.h.in"\n')
        self.write("src/bench/list.h.in", "")

    def test_a_benchmark_that_nothing_needs_can_go(self):
        self.assert_clean("deletion.py")

    def test_what_needs_a_deleted_benchmark_is_found(self):
        self.write("src/suite/plan.c", SPDX + '#include "bench/strides/strides.h"\n')
        self.assert_finds("src/suite/plan.c:2: bench/strides/ is deleted", "deletion.py")
        self.write("src/suite/plan.c", "extern int bench_occupancy;\n")
        self.assert_finds("src/suite/plan.c:1: bench_occupancy is deleted", "deletion.py")

    def test_sources_that_no_longer_compile_are_found(self):
        self.write("src/cli/main.c", '#include "latency.h"\n')
        self.assert_finds("latency.h", "deletion.py")


class Registered(Tree):
    def build(self):
        build = os.path.join(self.root, "build")
        subprocess.run(["cmake", "-S", os.path.join(self.root, "tests"), "-B", build, "-G", "Ninja",
                        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"], check=True, capture_output=True)
        subprocess.run(["cmake", "--build", build], check=True, capture_output=True)
        return build

    def test_a_test_that_nothing_runs_is_found(self):
        self.write("tests/CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(t C)\n"
                                           "enable_testing()\nadd_executable(tests a/test_one.c)\n"
                                           "add_test(NAME one COMMAND tests)\n")
        self.write("tests/a/test_one.c", "int main(void) { return 0; }\n")
        self.assert_clean("registered.py", "--build", self.build())
        self.write("tests/a/test_two.py", "\n")
        self.assert_finds("tests/a/test_two.py: no test runs it", "registered.py", "--build",
                          self.build())


if __name__ == "__main__":
    unittest.main()
