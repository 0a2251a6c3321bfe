#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs in which nothing goes wrong: what is measured, on which device, and where the results go."""

import contextlib
import csv
import fcntl
import gzip
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import struct
import subprocess
import termios
import threading
import time

import fathom


class Measuring(fathom.Case):
    def measure(self, *arguments, **options):
        path = self.path("run.json")
        done = fathom.run("run", "-o", path, *arguments, **options)
        self.assert_no_report_of_sanitizers(done)
        return done, self.read_run(path)

    def test_the_quick_preset_measures_every_benchmark_on_the_best_device(self):
        done, document = self.measure("--preset", "quick", "--seed", "1")
        self.assertEqual((0, ""), (done.status, done.err))
        self.assertEqual(["fake:0"], [device["id"] for device in document["devices"]])
        self.assertEqual("complete", document["status"])
        self.assertEqual(1, document["seed"])
        self.assertEqual(["sum/bytes=4096", "sum/bytes=1048576", "chase/order=random/bytes=4096",
                          "chase/order=random/bytes=65536"],
                         [result["key"] for result in document["results"]])  # in the plan's order
        for result in document["results"]:
            self.assertEqual(("ok", []), (result["verdict"], result["reasons"]))
            metric = result["metrics"][0]
            self.assertGreaterEqual(metric["n"], 12)
            self.assertGreaterEqual(len(metric["rounds"]), 3)
        self.assertIn("4 ok", done.out)

    def test_the_numbers_are_those_of_the_device(self):
        _, document = self.measure("--preset", "quick")
        latency = fathom.by_key(document)[("fake:0", "chase/order=random/bytes=65536")]
        self.assertAlmostEqual(200.1, latency["metrics"][0]["median"], delta=0.5)

    def test_what_was_typed_and_with_what_is_in_the_file(self):
        _, document = self.measure("--preset", "quick", "sum")
        self.assertEqual([os.path.basename(fathom.BINARY), "run", "-o", "run.json", "--preset",
                          "quick", "sum"], document["command"])
        self.assertEqual("quick", document["preset"])
        self.assertRegex(document["tool"]["version"], r"^\d+\.\d+\.\d+$")
        self.assertIn("cpu", document["host"])
        self.assertNotIn(os.uname().nodename, str(document["host"]))
        limits = document["devices"][0]["limits"]
        self.assertEqual({"value": 64 << 20, "unit": "B"}, limits["memory_bytes"])

    def test_folders_of_files_are_not_in_the_file(self):
        path, csv = self.path("run.json"), self.path("run.csv")
        for words, recorded in (((f"--output={path}", "--csv", csv),
                                 ["--output=run.json", "--csv", "run.csv"]),
                                ((f"-o{path}", "--set", "sum.bytes=4KiB..8KiB/1"),
                                 ["-orun.json", "--set", "sum.bytes=4KiB..8KiB/1"])):
            with self.subTest(words=words):
                done = fathom.run("run", "sum", "--preset", "quick", *words)
                self.assertEqual(0, done.status, done.err)
                with open(path, encoding="utf-8") as file:
                    self.assertEqual(recorded, json.load(file)["command"][5:])

    def test_a_gzipped_run_file_is_written_and_read_by_every_command(self):
        plain, packed = self.path("run.json"), self.path("run.json.gz")
        for path in (plain, packed):
            done = fathom.run("run", "sum", "--preset", "quick", "--seed", "3", "-o", path)
            self.assertEqual(0, done.status, done.err)
        with gzip.open(packed, "rt", encoding="utf-8") as file, open(plain, encoding="utf-8") as other:
            self.assertEqual(json.load(other)["results"], json.load(file)["results"])
        self.assertEqual(0, fathom.run("compare", plain, packed).status)
        for command in (["compare", packed, plain], ["report", packed, "-o", self.path("page.html")]):
            with open(packed, "rb") as file:
                whole = file.read()
            with open(packed, "wb") as file:
                file.write(whole[:len(whole) // 2])
            done = fathom.run(*command)
            self.assertEqual(2, done.status)
            self.assertRegex(done.err, r"^fathom: .*run\.json\.gz: the gzipped file is damaged[^\n]*\n$")
            with open(packed, "wb") as file:
                file.write(whole)

    def test_a_dash_is_the_standard_output_and_has_it_alone(self):
        path, csv_path = self.path("run.json"), self.path("run.csv")
        done = fathom.run("run", "--preset", "quick", "--seed", "3", "-o", path, "--csv", "-")
        self.assertEqual((0, ""), (done.status, done.err))
        fathom.run("show", path, "--csv", csv_path)
        with open(csv_path, encoding="utf-8", newline="") as file:
            self.assertEqual(file.read(), done.out)
        for arguments in (["run", "--preset", "quick", "--seed", "3", "-o", "-"],
                          ["run", "--preset", "quick", "--seed", "3", "-o-", "--csv", csv_path]):
            done = fathom.run(*arguments)  # the file is written only once, however long a run takes
            self.assertEqual((0, ""), (done.status, done.err))
            with open(path, encoding="utf-8") as file:
                self.assertEqual(json.load(file)["results"], json.loads(done.out)["results"])
        self.assertEqual([], [name for name in os.listdir(".") if name.startswith("-")])

    def test_a_slow_reader_of_the_standard_output_gets_it_whole(self):
        file = str(fathom.ROOT / "reference/h200-vulkan-map.json")
        whole = fathom.run("show", file, "--csv", "-").out
        self.assertGreater(len(whole), 1 << 17)  # more than fits into a pipe
        shown = fathom.start("show", file, "--csv", "-")
        time.sleep(0.1)
        self.assertIsNone(shown.poll())
        self.assertEqual((whole, ""), shown.communicate(timeout=fathom.TIMEOUT_S))

    def test_a_standard_output_that_cannot_take_a_file_is_refused(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for form in (["--csv", "-"], ["--json"]):
                done = subprocess.run([fathom.BINARY, "run", "--preset", "quick", *form],
                                      env=fathom.environment(), stdout=full,
                                      stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual(2, done.returncode)
                self.assertRegex(done.stderr, r"^fathom: cannot write the standard output: "
                                 r"No space left.*\n$")

    def test_two_files_cannot_both_be_the_standard_output(self):
        log = self.path("calls")
        done = fathom.run("run", "-o", "-", "--csv", "-", fake=f"log={log}")
        self.assert_one_line_error(done, 2, "--output -", "--csv -", "give each its own")
        self.assertFalse(os.path.exists(log))  # before anything is measured

    def test_worker_and_in_process_give_the_same_numbers(self):
        _, isolated = self.measure("--preset", "quick", "--seed", "5")
        _, here = self.measure("--preset", "quick", "--seed", "5", "--no-isolate")
        self.assertEqual(isolated["results"], here["results"])

    def test_settings_choose_values_and_the_last_one_counts(self):
        _, document = self.measure("--preset", "quick", "--set", "bytes=1KiB", "--set",
                                   "sum.bytes=2KiB..8KiB/2", "--set", "order=forward,random",
                                   "--set", "hops=500")
        self.assertEqual(["sum/bytes=2048", "sum/bytes=2912", "sum/bytes=4096", "sum/bytes=5824",
                          "sum/bytes=8192", "chase/order=forward/bytes=1024",
                          "chase/order=random/bytes=1024"],
                         [result["key"] for result in document["results"]])
        self.assertEqual(500, document["results"][-1]["case"]["hops"])

    def test_max_is_what_the_device_allows_and_no_key_comes_twice(self):
        _, document = self.measure("sum", "--preset", "quick", "--set", "bytes=64MiB,max")
        self.assertEqual(["sum/bytes=67108864"], [one["key"] for one in document["results"]])

    def test_a_value_out_of_reach_is_skipped_with_the_reason(self):
        done, document = self.measure("sum", "--preset", "quick", "--set", "bytes=4KiB,1GiB")
        self.assertEqual(0, done.status)
        result = fathom.by_key(document)[("fake:0", "sum/bytes=1073741824")]
        self.assertEqual(("skipped", []), (result["verdict"], result["metrics"]))
        self.assertIn("more than the device has", result["reasons"][0]["text"])

    def test_a_missing_feature_is_skipped_naming_it_and_strict_minds(self):
        done, document = self.measure("-d", "fake:1", "--preset", "quick")
        self.assertEqual(0, done.status)
        skipped = [one for one in document["results"] if one["verdict"] == "skipped"]
        self.assertEqual({"chase"}, {one["benchmark"] for one in skipped})
        self.assertIn("shaderInt64", skipped[0]["reasons"][0]["text"])
        done, _ = self.measure("-d", "fake:1", "--preset", "quick", "--strict")
        self.assertEqual(1, done.status)

    def test_nothing_but_skipped_cases_is_exit_3(self):
        done, _ = self.measure("chase", "-d", "fake:1", "--preset", "quick")
        self.assertEqual(3, done.status)

    def test_a_benchmark_named_twice_is_in_the_run_once(self):
        _, document = self.measure("--preset", "quick", "sum", "chase", "sum")
        self.assertEqual(["sum", "chase"], [one["name"] for one in document["benchmarks"]])
        self.assertEqual(4, len(document["results"]))

    def test_csv_has_a_line_for_each_metric(self):
        path = self.path("run.csv")
        self.measure("--preset", "quick", "--csv", path)
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(4, len(rows))
        self.assertEqual("bandwidth", rows[0]["metric"])

    def test_without_o_no_file_is_written(self):
        done = fathom.run("run", "--preset", "quick", "sum", cwd=self.folder)
        self.assertEqual((0, []), (done.status, os.listdir(self.folder)))


class Devices(fathom.Case):
    def chosen(self, *arguments, fake=""):
        path = self.path("run.json")
        done = fathom.run("run", "sum", "--preset", "quick", "-o", path, *arguments, fake=fake)
        self.assertEqual(0, done.status, done.err)
        document = self.read_run(path)
        self.assertEqual([device["id"] for device in document["devices"]],
                         list(dict.fromkeys(one["device"] for one in document["results"])))
        return [device["id"] for device in document["devices"]]

    def test_by_id_api_name_or_uuid(self):
        self.assertEqual(["fake:1"], self.chosen("-d", "fake:1"))
        self.assertEqual(["mirror:0"], self.chosen("-d", "mirror"))
        self.assertEqual(["fake:1"], self.chosen("-d", "ripple"))
        self.assertEqual(["fake:1"], self.chosen("-d", "fa4e01" + 26 * "0"))
        self.assertEqual(["fake:1"], self.chosen("-d", "GPU-fa4e0100-0000-0000-0000-000000000000"))

    def test_several_one_after_another_and_none_twice(self):
        self.assertEqual(["fake:1", "fake:0"],
                         self.chosen("-d", "fake:1", "-d", "fake:0", "-d", "ripple"))

    def test_all_is_every_chip_once(self):
        self.assertEqual(["fake:0", "fake:1"], self.chosen("-d", "all"))

    def test_api_all_is_the_chip_through_every_api(self):
        self.assertEqual(["fake:0", "mirror:0"], self.chosen("--api", "all"))
        self.assertEqual(["fake:0", "mirror:0", "fake:1"],
                         self.chosen("--api", "all", "-d", "all"))

    def test_one_api_only(self):
        self.assertEqual(["mirror:0"], self.chosen("--api", "mirror"))
        self.assertEqual(["mirror:0"], self.chosen("--api", "mirror", "-d", "sounder"))


class BusyHost(fathom.Case):
    """The device is a CPU, and other processes use the host's processors. A reading of /proc/stat
    is a line that this test writes into a pipe, so it does not depend on the machine."""

    def setUp(self):
        super().setUp()
        self.host, self.is_busy = self.folder / "host", True
        shutil.copytree(fathom.ROOT / "tests/fakes/quiet_host", self.host)
        (self.host / "proc/stat").unlink()
        os.mkfifo(self.host / "proc/stat")
        threading.Thread(target=self.answer, daemon=True).start()

    def answer(self):
        """Each reading comes 100 ticks after the one before."""
        ticks = [0, 0]
        while self.host.exists():
            ticks[self.is_busy] += 100
            with contextlib.suppress(OSError), \
                    open(self.host / "proc/stat", "w", encoding="ascii") as stat:
                stat.write(f"cpu  {ticks[1]} 0 0 {ticks[0]} 0 0 0 0 0 0\n")

    def start(self, *arguments):
        return fathom.start("run", "sum", "--preset", "quick", "-o", self.path("run.json"),
                            *arguments, fake="cpu=1",
                            variables={"FATHOM_HOST_ROOT": str(self.host)})

    def findings(self):
        return [one["text"] for one in self.read_run(self.path("run.json"))["findings"]
                if one["code"] == "shared-device"]

    def test_wait_idle_waits_until_the_host_is_idle(self):
        process = self.start("--wait-idle", "86400")
        self.assertEqual("fathom: note: fake:0 is not idle: other work took 100 % of the device's "
                         "time; waiting\n", process.stderr.readline())
        self.is_busy = False
        process.communicate(timeout=fathom.TIMEOUT_S)
        self.assertEqual((0, []), (process.returncode, self.findings()))

    def test_without_it_the_run_says_that_the_host_is_busy(self):
        process = self.start()
        process.communicate(timeout=fathom.TIMEOUT_S)
        self.assertEqual(["fake:0 is not idle: other work took 100 % of the device's time; measured "
                          "all the same, see --wait-idle"], self.findings())

    def test_an_idle_host_is_not_reported(self):
        self.is_busy = False
        process = self.start("--wait-idle", "86400")
        self.assertNotIn("idle", process.communicate(timeout=fathom.TIMEOUT_S)[1])
        self.assertEqual([], self.findings())


class Files(fathom.Case):
    def test_an_output_that_cannot_be_written_fails_before_measuring(self):
        log = self.path("calls")
        for option in ("-o", "--csv"):
            for path in (self.path("missing/run"), str(self.folder), "/proc/run"):
                with self.subTest(option=option, path=path):
                    done = fathom.run("run", option, path, fake=f"log={log}")
                    self.assert_one_line_error(done, 2, path)
                    self.assertFalse(os.path.exists(log))  # no driver was asked

    def test_a_read_only_folder_fails_before_measuring(self):
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        user = {"user": 65534} if os.geteuid() == 0 else {}  # root may write everywhere
        try:
            done = subprocess.run([fathom.BINARY, "run", "-o", self.path("run.json")],
                                  env=fathom.environment(), capture_output=True, text=True,
                                  check=False, **user)
        except PermissionError:
            self.skipTest("the build folder is closed to other users")
        self.assert_one_line_error(fathom.Outcome(subprocess.CompletedProcess(
            [], done.returncode, done.stdout, done.stderr)), 2, "run.json")

    def test_a_full_disk_is_said_and_leaves_the_former_file(self):
        mount = self.path("small")
        os.mkdir(mount)
        # The disk holds the former file and another one, and is then full.
        script = f"""
            mount -t tmpfs -o size=8k tmpfs {mount} || exit 77
            echo former > {mount}/run.json
            echo other > {mount}/other
            "$0" run --preset standard -o {mount}/run.json
            status=$?
            cat {mount}/run.json; ls {mount}
            exit $status"""
        done = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
                               script, fathom.BINARY], env=fathom.environment(),
                              capture_output=True, text=True, check=False)
        if done.returncode == 77 or "unshare" in done.stderr:
            self.skipTest("cannot mount a small disk here: " + done.stderr.strip())
        self.assertIn("No space left", done.stderr)
        self.assertEqual(2, done.returncode, done.stderr)
        self.assertTrue(done.stdout.endswith("former\nother\nrun.json\n"), done.stdout)
        self.assertIn("0 failed", done.stdout)  # the tables are printed all the same

    def test_a_limit_on_the_size_of_files_is_as_a_full_disk(self):
        path = pathlib.Path(self.path("run.json"))
        path.write_text("former", encoding="ascii")
        done = subprocess.run(
            [fathom.BINARY, "run", "--preset", "quick", "-o", str(path)], env=fathom.environment(),
            capture_output=True, text=True, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048)))
        self.assertIn("File too large", done.stderr)
        self.assertEqual(2, done.returncode, done.stderr)
        self.assertEqual(["run.json"], os.listdir(self.folder))
        self.assertEqual("former", path.read_text(encoding="ascii"))
        self.assertIn("0 failed", done.stdout)

    def test_two_forms_in_one_file_are_refused_before_measuring(self):
        path, log = self.path("run.json"), self.path("calls")
        os.symlink(path, self.path("link"))
        for exists in (False, True):
            for one, other in (("-o", "--csv"), ("--csv", "--svg"), ("--trace", "-o")):
                for second in (path, f"{self.folder}/./run.json", self.path("link")):
                    done = fathom.run("run", one, path, other, second, fake=f"log={log}")
                    self.assert_one_line_error(done, 2, path, second, "the same file")
                    self.assertEqual(exists, os.path.exists(path))
            with open(path, "w", encoding="utf-8"):
                pass
        self.assertFalse(os.path.exists(log))  # no driver was asked
        done = fathom.run("run", "sum", "--preset", "quick", "-o", "/dev/null", "--csv",
                          "/dev/null")
        self.assertEqual(0, done.status, done.err)

    def test_a_full_device_is_refused_before_measuring(self):
        log = self.path("calls")
        for form in ("--csv", "--html", "-o"):
            self.assertFalse(os.path.exists(log))  # no driver was asked
            done = fathom.run("run", "sum", form, "/dev/full", fake=f"log={log}")
            self.assert_one_line_error(done, 2, "cannot write /dev/full: No space left")

    def test_a_form_that_cannot_be_written_does_not_cost_the_others(self):
        # No file may grow past 512 bytes: enough for one row, but not for the run file.
        path, table = self.path("run.json"), self.path("run.csv")
        done = fathom.Outcome(subprocess.run(
            ["sh", "-c", 'ulimit -f 1; exec "$0" "$@"', fathom.BINARY, "run", "sum", "--set",
             "bytes=4KiB", "-o", path, "--csv", table],
            env=fathom.environment(), capture_output=True, text=True, check=False))
        self.assert_one_line_error(done, 2, "the results are not in the run file",
                                   "run.json: File too large")
        self.assertEqual(["run.csv"], os.listdir(self.folder))

    def test_a_form_that_cannot_be_written_does_not_cost_the_run_on_standard_output(self):
        done = fathom.Outcome(subprocess.run(
            ["sh", "-c", 'ulimit -f 1; exec "$0" "$@"', fathom.BINARY, "run", "sum", "--set",
             "bytes=4KiB", "--html", self.path("run.html"), "--json"],
            env=fathom.environment(), capture_output=True, text=True, check=False))
        self.assert_one_line_error(done, 2, "run.html: File too large")
        self.assertEqual("complete", json.loads(done.out)["status"])

    def test_forms_are_not_written_without_anything_to_show(self):
        done = fathom.run("run", "sum", "--preset", "quick", "--trace", self.path("run.trace"),
                          "--svg", self.path("run.svg"))
        self.assertEqual(0, done.status)
        self.assertRegex(done.err, r"^fathom: note: --trace .*run\.trace is not written: [^\n]*\n$")
        self.assertEqual(["run.svg"], os.listdir(self.folder)) # the run has a chart for it
        empty = self.path("empty.json")
        with open(fathom.ROOT / "tests/golden/demo.json", encoding="utf-8") as file:
            run = json.load(file)
        with open(empty, "w", encoding="utf-8") as file:
            json.dump(run | {"results": []}, file)
        done = fathom.run("show", empty, "--svg", self.path("empty.svg"))
        self.assertRegex(done.err, r"^fathom: note: --svg .*empty\.svg is not written: [^\n]*\n$")
        self.assertNotIn("empty.svg", os.listdir(self.folder))

    def test_closed_standard_streams_cost_nothing(self):
        path = self.path("run.json")
        script = f'"$0" run --preset quick -o {path} <&- >&- 2>&-'
        done = subprocess.run(["sh", "-c", script, fathom.BINARY], env=fathom.environment(),
                              check=False)
        self.assertEqual(0, done.returncode)
        verdicts = [one["verdict"] for one in self.read_run(path)["results"]]
        self.assertEqual(["ok"] * 4, verdicts)

    def test_a_reader_that_goes_away_does_not_take_the_file_with_it(self):
        path = self.path("run.json")
        process = fathom.start("run", "--preset", "quick", "-o", path, fake="slow=2")
        process.stdout.close()
        with process.stderr:
            process.stderr.read()
        process.wait()
        self.assertEqual("complete", self.read_run(path)["status"])


class Terminal(fathom.Case):
    def on_terminal(self, *arguments, fake="", term="xterm"):
        """What a terminal of 90 columns gets from both streams."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 90, 0, 0))
        process = subprocess.Popen([fathom.BINARY, *arguments], stdin=follower, stdout=follower,
                                   stderr=follower, env=fathom.environment(fake, TERM=term))
        os.close(follower)
        text = b""
        deadline = time.monotonic() + fathom.TIMEOUT_S
        while time.monotonic() < deadline:
            try:
                part = os.read(leader, 65536)
            except OSError:  # the last process with the terminal open has ended
                break
            if not part:
                break
            text += part
        os.close(leader)
        self.assertEqual(0, process.wait())
        return text.decode()

    def test_one_line_of_progress_that_leaves_nothing_behind(self):
        text = self.on_terminal("run", "--preset", "quick", fake="slow=5")
        drawn = [line for line in re.findall(r"\r([^\r\n]*)\x1b\[K\r", text) if line]
        self.assertTrue(any(re.search(r"fake:0 ▕[ █-▏]{16}▏ +\d+% of 4 cases · .*(sum|chase (sequential|random)) \d+ KiB",
                                      line)
                            for line in drawn), drawn)
        self.assertTrue(all(len(line) < 90 for line in drawn))
        # Only erased lines stand before the text that stays.
        self.assertIn("\r\x1b[K", text)
        stays = re.sub(r"\r[^\r\n]*\x1b\[K", "", text)
        self.assertNotIn("cases ·", stays)

    def test_says_where_the_file_is(self):
        path = self.path("run.json")
        self.assertIn(f"Run file: {path}", self.on_terminal("run", "sum", "-o", path))

    def test_quiet_prints_nothing_but_errors_and_writes_the_files(self):
        path, table = self.path("run.json"), self.path("run.csv")
        self.assertEqual("", self.on_terminal("run", "--preset", "quick", "-q", "-o", path, "--csv",
                                              table, fake="slow=5"))
        self.assertEqual("complete", self.read_run(path)["status"])
        self.assertTrue(os.path.exists(table))
        done = fathom.run("run", "sum", "--set", "bytes=4KiB", "--quiet", fake="fail=1")
        self.assertEqual((1, ""), (done.status, done.out))
        self.assert_one_line_error(fathom.run("run", "-q", "-d", "fake:7"), 2, "there are: fake:0")
        self.assert_one_line_error(fathom.run("list", "-q"), 2, "list: no option '-q'")

    def test_a_terminal_that_only_prints_lines_gets_no_escapes(self):
        text = self.on_terminal("run", "--preset", "quick", fake="slow=5", term="dumb")
        self.assertNotIn("\x1b", text)
        self.assertIn("fathom: measuring sum on fake:0: 2 cases", text)

    def test_one_line_a_benchmark_and_no_colour_without_a_terminal(self):
        done = fathom.run("run", "--preset", "quick", fake="slow=5")
        self.assertEqual("", done.err)
        left = r"(, \d+:\d\d left)?"  # with a time left if a busy machine takes seconds
        self.assertRegex(done.progress, r"\A"
                         rf"fathom: measuring sum on fake:0: 2 cases \(0% of 4 done{left}\)\n"
                         rf"fathom: measuring chase on fake:0: 2 cases \(50% of 4 done{left}\)\n\Z")
        self.assertNotIn("\x1b", done.out)


if __name__ == "__main__":
    fathom.main()
