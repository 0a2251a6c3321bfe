#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What users type: help, lists, and every kind of mistake."""

import json
import os
import re
import shutil
import subprocess

import fathom

REAL = os.environ["FATHOM_REAL"]
COMMANDS = ("devices", "list", "run", "map", "show", "report", "compare", "share", "check", "fleet",
            "serve", "help")


class Help(fathom.Case):
    def test_help_names_every_command_and_exits_0(self):
        done = fathom.run("--help")
        self.assertEqual((0, ""), (done.status, done.err))
        for command in COMMANDS:
            self.assertRegex(done.out, rf"(?m)^  {command} ")
        self.assertNotIn("__worker", done.out)
        self.assertEqual(set(COMMANDS), set(re.findall(r"(?m)^  ([a-z]+) ", done.out.partition("Options:")[0])))
        self.assertEqual(["0", "1", "2", "3", "4", "5", "130"],
                         re.findall(r"(?m)^  (\d+) ", done.out.partition("Exit status:")[2]))

    def test_every_command_has_help(self):
        for command in COMMANDS:
            done = fathom.run(command, "--help")
            self.assertEqual((0, ""), (done.status, done.err))
            self.assertTrue(done.out.startswith(f"Usage: fathom {command}"), done.out)
            self.assertIn("--help", done.out)

    def test_every_command_has_examples_that_it_understands(self):
        manual = fathom.run("--generate", "man").out.replace("\\-", "-")
        for command in COMMANDS:
            examples = re.findall(r"(?m)^  (fathom .*)$",
                                  fathom.run(command, "--help").out.partition("\nExamples:\n")[2])
            self.assertTrue(examples, command)
            for example in examples:
                done = fathom.run(*example.split()[1:], "--help")
                self.assertEqual((0, ""), (done.status, done.err), example)
                self.assertIn(example, manual)

    def test_help_as_a_command_prints_the_same(self):
        self.assertEqual(fathom.run("--help").out, fathom.run("help").out)
        for command in ("run", "show", "help"):
            self.assertEqual(fathom.run(command, "--help").out, fathom.run("help", command).out)
        for name, part in (("rnu", "'run'"), ("xyzzy", "no command 'xyzzy'"), ("--xyzzy", "help: ")):
            self.assert_one_line_error(fathom.run("help", name), 2, part)

    def test_help_is_at_most_80_columns_wide(self):
        for command in ("", *COMMANDS):
            for line in fathom.run(*command.split(), "--help").out.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_help_and_version_open_no_driver(self):
        log = self.path("calls")
        for arguments in (["--help"], ["--version"], ["run", "--help"], ["list"]):
            self.assertEqual(0, fathom.run(*arguments, fake=f"log={log}").status)
        self.assertFalse(os.path.exists(log))
        fathom.run("devices", fake=f"log={log}")
        self.assertTrue(os.path.exists(log))  # this shows that the log works

    def test_help_takes_less_than_50_ms(self):
        # A sanitizer may need longer to start a process: the time of any start is subtracted.
        def least(option):
            return min(fathom.cpu_seconds(option)[1] for _ in range(5))
        self.assertLess(least("--help") - least("--version"), 0.05)

    def test_version_tells_version_commit_and_build(self):
        self.assertEqual(fathom.run("--version").out, fathom.run("-V").out)
        self.assertRegex(fathom.run("--version").out, r"^fathom \d+\.\d+\.\d+ \([0-9a-z-]+, .+\)\n$")


class Generated(fathom.Case):
    def test_the_manual_page_has_every_option_and_no_warnings(self):
        manual = fathom.run("--generate", "man").out
        for option in ("preset", "set", "device", "strict", "csv", "html"):
            self.assertIn(f"\\-\\-{option}", manual)
        self.assertNotIn("silence", manual)
        for variable in ("FATHOM_VALIDATION", "FATHOM_REFERENCE"):
            self.assertIn(variable, manual)
        if shutil.which("man"):
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-"],
                                  input=manual, text=True, capture_output=True, check=False)
            self.assertEqual("", done.stderr)

    def test_bash_completes(self):
        self.assertEqual(["sum"], self.complete("fathom run su"))
        self.assertEqual(["--preset"], self.complete("fathom run --pre"))
        self.assertEqual(["quick"], self.complete("fathom run --preset q"))
        self.assertEqual(["devices"], self.complete("fathom dev"))
        self.assertEqual(["compare"], self.complete("fathom help com"))

    def test_bash_offers_a_model_as_a_device_and_not_as_an_api(self):
        real = os.environ["FATHOM_REAL"]
        self.assertEqual(["model:"], self.complete("fathom run -d m", real))
        self.assertEqual([], self.complete("fathom run --api m", real))
        self.assertEqual(["all"], self.complete("fathom run --api a", real))

    def test_bash_completes_models_as_files(self):
        os.mkdir(self.path("more"))
        for name in ("m1.json", "m2.txt"):
            with open(self.path(name), "w", encoding="utf-8"):
                pass
        for typed in ("fathom run -d model :", "fathom run -d model : m", "fathom run --device = model : m"):
            self.assertEqual(["more", "m1.json"], self.complete(typed, cwd=self.folder))

    def test_bash_completes_settings(self):
        # bash splits words at "=", and so does this test.
        for typed, offered in (
                ("run sum --set ", ["bytes="]),
                ("run chase --set o", ["order="]),
                ("run --set chase.o", ["chase.order="]),
                ("run chase --set order = r", ["random"]),
                ("run chase --set order =", ["forward", "random"]),
                ("run chase --set order = forward,r", ["forward,random"]),
                ("run --set chase.order = f", ["forward"]),
                ("run --set order = f", ["forward"]),
                ("run sum --set order = f", []),
                ("run chase --set order = forward --preset q", ["quick"])):
            with self.subTest(typed=typed):
                self.assertEqual(offered, self.complete(f"fathom {typed}"))

    def test_bash_offers_the_one_setting_of_map(self):
        self.assertEqual(["clock="], self.complete("fathom map --set ", REAL))
        self.assertEqual([], self.complete("fathom map --set what = ", REAL))

    def test_bash_completes_values_with_dots(self):
        self.assertEqual(["StructuredBuffer\\<half4\\>.Load"],
                         self.complete("fathom run loads --set load = StructuredBuffer\\<half4\\>.L", REAL))

    def test_bash_quotes_values_with_blanks(self):
        self.assertEqual(["cbuffer\\{float4\\}\\", "load", "cbuffer\\{float4\\}\\", "load\\", "robust"],
                         self.complete("fathom run loads --set load = cbuffer", REAL))

    def test_bash_gets_each_option_once(self):
        self.assertEqual(1, fathom.run("--generate", "bash").out.count("-o|--output)"))

    def complete(self, line, binary=fathom.BINARY, cwd=None):
        script = self.path("completion")
        with open(script, "w", encoding="utf-8") as file:
            file.write(fathom.run("--generate", "bash", binary=binary).out)
        words = line.split(" ")
        code = (f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _fathom; "
                "printf '%s\\n' \"${COMPREPLY[@]}\"")
        return subprocess.run(["bash", "-c", code], capture_output=True, text=True, cwd=cwd,
                              check=True).stdout.split()

    def test_other_shells_take_their_completions(self):
        for shell in ("zsh", "fish"):
            text = fathom.run("--generate", shell).out
            self.assertIn("--preset" if shell == "zsh" else "-l preset", text)
            self.assertIn(" 'forward' 'random'", text)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=text, text=True, check=True)

    def test_nothing_else_is_generated(self):
        self.assert_one_line_error(fathom.run("--generate", "csh"), 2, "csh", "man, bash, zsh")


class Lists(fathom.Case):
    def test_devices_shows_all_apis_and_why_one_has_none(self):
        out = fathom.run("devices").out
        for part in ("fake:0", "fake:1", "mirror:0", "Fake Sounder 9000", "64 MiB",
                     "libabsent.so.1: cannot open", "install libabsent1"):
            self.assertIn(part, out)

    def test_devices_as_json(self):
        document = json.loads(fathom.run("devices", "--json").out)
        first = document["devices"][0]
        self.assertEqual(("fake:0", "discrete"), (first["id"], first["kind"]))
        self.assertEqual("fa4e" + 28 * "0", first["uuid"])
        self.assertEqual(64 << 20, first["limits"]["memory_bytes"])
        self.assertEqual("absent", document["absences"][0]["api"])

    def test_devices_shows_what_is_free_of_a_chip_through_every_api(self):
        text = fathom.run("devices", fake=f"free={3 << 20}").out
        self.assertEqual(2, text.count("64 MiB (3 MiB free)"), text)  # fake:0 and mirror:0
        devices = json.loads(fathom.run("devices", "--json", fake=f"free={3 << 20}").out)["devices"]
        self.assertEqual({"fake:0": 3 << 20, "fake:1": None, "mirror:0": 3 << 20},
                         {one["id"]: one.get("memory_free_bytes") for one in devices})

    def test_no_device_is_exit_3_with_every_reason(self):
        done = fathom.run("devices", fake="devices=0")
        self.assertEqual(3, done.status)
        self.assertIn("no fake device is plugged in", done.out)
        self.assert_one_line_error(fathom.run("run", fake="devices=0"), 3, "no usable device",
                                   "no fake device is plugged in", "libabsent.so.1",
                                   "install libabsent1")

    def test_list_shows_benchmarks_and_one_in_detail(self):
        self.assertRegex(fathom.run("list").out, r"(?m)^sum +Reading on the fake GPU$")
        for line in (r"quick +5 s, .* at most 12 s", r"standard +12 s, .* at most 240 s",
                     r"full +as long as it takes"):
            self.assertRegex(fathom.run("list").out, rf"(?m)^  {line}$")
        self.assertIn("all took 13 s with quick, 18 s the first time", fathom.run("list").out)
        out = fathom.run("list", "chase").out
        for part in ("version 3", "forward|random", "1KiB..1MiB/1", "latency_cycles", "quick"):
            self.assertIn(part, out)

    def test_list_of_a_real_benchmark_fits_the_screen_and_says_all_once(self):
        out = fathom.run("list", "loads", binary=os.environ["FATHOM_REAL"]).out
        self.assertEqual([], [line for line in out.splitlines() if len(line) > 80])
        self.assertRegex(out, r"(?m)^ +full +all choices$")
        self.assertEqual(1, out.count("StructuredBuffer<uint64>.Load"))

    def test_a_blank_stands_between_a_name_and_its_help(self):
        for benchmark in ("latency", "map"):  # these have names of 14 letters and more
            out = fathom.run("list", benchmark, binary=REAL).out
            self.assertRegex(out, r"(?m)^  latency_cycles$")
            for name in re.findall(r"(?m)^  (\S+)", out.partition("Metrics:")[2]):
                self.assertRegex(name, r"^[a-z0-9_]+$")

    def test_list_as_json(self):
        document = json.loads(fathom.run("list", "sum", "--json").out)
        self.assertEqual(["sum"], [one["name"] for one in document["benchmarks"]])
        self.assertEqual("4KiB..max/1", document["benchmarks"][0]["params"][0]["presets"]["full"])


class Mistakes(fathom.Case):
    def test_each_gets_one_line_and_the_nearest_right_name(self):
        for arguments, parts in (
                ([], ["no command", "fathom run"]),
                (["rum"], ["no command 'rum'", "'run'"]),
                (["sum"], ["no command 'sum'", "fathom run sum"]),
                (["run.json"], ["no command 'run.json'", "fathom show run.json"]),
                (["devises"], ["'devices'"]),
                (["xyzzy"], ["no command 'xyzzy'", "--help"]),
                (["run", "chaes"], ["no benchmark 'chaes'", "'chase'"]),
                (["run", "sum,chase"], ["no benchmark 'sum,chase'", "blanks separate names"]),
                (["list", "summ"], ["no benchmark 'summ'", "'sum'"]),
                (["list", "sum", "chase"], ["'chase' is one operand too many"]),
                (["run", "--preste", "quick"], ["--preste", "'--preset'"]),
                (["devices", "--preset", "quick"], ["devices: no option '--preset'"]),
                (["run", "-x"], ["no option '-x'"]),
                (["--json", "devices"], ["fathom: no option '--json' before a command"]),
                (["run", "--preset", "quik"], ["quik", "'quick'"]),
                (["run", "--preset"], ["--preset", "missing"]),
                (["run", "--preset="], ["--preset", "missing"]),
                (["run", "-o", "--html", "a.html"], ["--output", "missing"]),
                (["run", "--output", "--", "sum"], ["--output", "missing"]),
                (["run", "--strict=yes"], ["--strict", "takes no value"]),
                (["run", "-o", "a", "-o", "b"], ["--output", "twice"]),
                (["run", "-o=run.json"], ["-o=run.json: no '='", "-o run.json or --output=run.json"]),
                (["run", "-d", "fake:7"], ["fake:7", "there are: fake:0"]),
                (["run", "-d", "fale:0"], ["'fake:0'? (there are: fake:0 "]),
                (["run", "-d", "Soundr"], ["-d Soundr", "Fake Sounder 9000"]),
                (["run", "--api", "mirorr"], ["--api mirorr", "'mirror'"]),
                (["run", "--set", "bytes"], ["--set bytes", "KEY=VALUE"]),
                (["run", "--set", "=4"], ["--set =4"]),
                (["run", "--set", "byte=4KiB"], ["no parameter 'byte'", "'bytes'"]),
                (["run", "--set", "sum.order=random"], ["no parameter 'order'", "in that"]),
                (["run", "--set", "sun.bytes=4KiB"], ["no benchmark 'sun'", "'sum'", "shows all"]),
                (["run", "sum", "--set", "chase.hops=9"], ["'chase' is not in this run"]),
                (["run", "--set", "order=forwad"], ["order=forwad", "forward|random", "'forward'"]),
                (["run", "--set", "order=random", "--set", "order=forward"],
                 ["--set order=forward", "--set order=random", "in one --set"]),
                (["run", "--set", "bytes=4KB"], ["bytes=4KB", "32KiB"]),
                (["run", "--set", "bytes=4KiB.."], ["bytes=4KiB..", "range"]),
                (["run", "--set", "bytes=8KiB..4KiB"], ["upward"]),
                (["run", "--set", "bytes=1KiB..4KiB/0"], ["values an octave"]),
                (["run", "--set", "hops=-1"], ["hops=-1", "whole number"]),
                (["run", "--set", "hops=0"], ["--set chase.hops=0: ", "a number from 1"]),
                (["run", "--set", "chase: hops=1"], ["':' after 'chase'", "no blank"]),
                (["run", "--set", "chase hops=1"], ["' ' after 'chase'", "with a dot"]),
                (["run", "--set", "chase.order=radnom"],
                 ["fathom: --set chase.order=radnom: no such choice", "'random'"]),
                (["run", "-preset", "quick"], ["run: no option '-preset'", "'--preset'"]),
                (["run", "-quite"], ["run: no option '-quite'", "'--quiet'"]),
                (["run", "--api", "fkae"], ["--api fkae", "'fake'"]),
                (["run", "--api", "fake,mirror"], ["--api fake,mirror", "`fathom devices`", "all"]),
                (["run", "-d", "absnet"], ["-d absnet", "'absent'", "there are: fake:0"]),
                (["run", "--seed", "x"], ["--seed x", "whole number"])):
            with self.subTest(arguments=arguments):
                log = self.path("calls")
                outcome = fathom.run(*arguments, fake=f"log={log}")
                self.assert_one_line_error(outcome, 2, *parts)
                self.assertEqual("", outcome.out)

    def test_more_cases_than_one_could_wait_for_are_refused_at_once(self):
        log = self.path("calls")
        self.assert_one_line_error(
            fathom.run("run", "--set", "bytes=4KiB..16MiB+4KiB", "--set", "chase.hops=1..17+1",
                       fake=f"log={log}"), 2, "chase.hops=1..17+1", "65536 combinations")
        self.assertFalse(os.path.exists(log))  # no driver was asked
        # Only the plan can tell that these are too many cases with the preset's other values.
        model = fathom.ROOT / "models/h200.json"
        self.assert_one_line_error(
            fathom.run("run", "latency", "--preset", "full", "-d", f"model:{model}", "--set",
                       "bytes=4KiB..16MiB+4KiB", binary=REAL, LSAN_OPTIONS="detect_leaks=0"),
            2, "latency on model:0", "16384")

    def test_sizes_that_no_device_could_measure_are_refused_at_once(self):
        for benchmark in ("latency", "bandwidth"):
            self.assert_one_line_error(
                fathom.run("run", benchmark, "--api", "cuda", "--set", "bytes=0", binary=REAL), 2,
                f"--set {benchmark}.bytes=0 B: expected a number from ", "or max")

    def test_an_api_without_devices_is_exit_3_with_its_reason(self):
        self.assert_one_line_error(fathom.run("run", "--api", "absent"), 3, "libabsent.so.1",
                                   "install libabsent1")

    def test_a_device_of_such_an_api_is_exit_3_with_that_reason(self):
        for name in ("absent", "absent:0"):
            self.assert_one_line_error(fathom.run("run", "-d", name), 3, f"-d {name}",
                                       "libabsent.so.1", "install libabsent1")
        self.assert_one_line_error(fathom.run("run", "-d", "fake:7"), 2, "there are: fake:0")

    def test_a_mistake_is_found_before_anything_is_measured_or_written(self):
        log, out = self.path("calls"), self.path("run.json")
        fathom.run("run", "-o", out, "--set", "hops=0", fake=f"log={log}")
        self.assertFalse(os.path.exists(log))  # no driver was asked
        self.assertFalse(os.path.exists(out))

    def test_a_name_with_the_ending_of_another_form_is_refused(self):
        for arguments, parts in (
                ("report run.json -o x.pdf", ["--output x.pdf", "writes .html", "no option writes .pdf"]),
                ("report run.json -o x.csv", ["--output x.csv", "writes .html", "--csv writes .csv"]),
                ("run -o x.html", ["--output x.html", "writes .json", "--html writes .html"]),
                ("run --csv x.csv.gz", ["--csv x.csv.gz", "--output writes .gz"]),
                ("run --svg x.png", ["--svg x.png", "writes .svg", "no option writes .png"]),
                ("share run.json -o x.md", ["--output x.md", "writes .json"]),
                ("check -o %h.prom", [".prom", "--prometheus writes .prom"]),
                ("fleet run.json --html x.json", ["--html x.json", "no option writes .json"])):
            done = fathom.run(*arguments.split(), fake=f"log={self.path('calls')}", cwd=self.folder)
            self.assert_one_line_error(done, 2, *parts)
        self.assertEqual([], os.listdir(self.folder))
        self.assertEqual(0, fathom.run("run", "sum", "-o", self.path("x.txt")).status)

    def test_two_dashes_end_the_options(self):
        self.assert_one_line_error(fathom.run("run", "--", "--help"), 2, "no benchmark '--help'")

    def test_options_are_found_in_any_order_and_spelling(self):
        for arguments in (["run", "sum", "-dfake:1", "--preset=quick"],
                          ["run", "-d", "fake:1", "--preset", "quick", "sum"],
                          ["run", "--device=fake:1", "sum", "--preset", "quick"]):
            done = fathom.run(*arguments)
            self.assertEqual((0, ""), (done.status, done.err))
            self.assertIn("fake:1", done.out)

    def test_a_malformed_model_is_refused_by_path_and_reason(self):
        path = self.path("model.json")
        with open(path, "w", encoding="utf-8") as model:
            model.write('{"name": "m", "cores": 0}')
        for command in ("run", "map"):
            self.assert_one_line_error(fathom.run(command, "-d", f"model:{path}"), 2, path,
                                       "cores: expected 1 to 4096")
        for path, reason in (("/nowhere.json", "No such file"), (self.folder, "Is a directory")):
            self.assert_one_line_error(fathom.run("run", "-d", f"model:{path}"), 2,
                                       f"cannot read {path}: {reason}")

    def test_a_worker_started_by_hand_says_so(self):
        self.assert_one_line_error(fathom.run("__worker"), 2, "-d is missing")
        self.assert_one_line_error(fathom.run("__beside"), 2, "only fathom itself")

    def test_a_full_standard_output_is_an_error(self):
        run = str(fathom.ROOT / "reference/h200-vulkan-map.json")
        for arguments in (["list"], ["list", "--json"], ["devices"], ["run", "sum"], ["show", run],
                          ["show", run, "--json"], ["run", "--tables", "-o", self.path("run.json")]):
            with self.subTest(arguments=arguments), \
                    open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([fathom.BINARY, *arguments], env=fathom.environment(),
                                      stdout=full, stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual(2, done.returncode)
                self.assertRegex(done.stderr.splitlines()[-1],
                                 "^fathom: cannot write .*: No space left on device$")
        self.assertEqual("complete", self.read_run(self.path("run.json"))["status"])


if __name__ == "__main__":
    fathom.main()
