#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""fathom check: each exit status, a cause for each verdict, and the outputs."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time

import fathom
from checks import (BROKEN, Checks, HEALTHY, INTERRUPTED, NO_DEVICE, SLOW, UNKNOWN, USAGE,
                    wait_for_child)


class Verdicts(Checks):
    def test_without_an_expectation_the_verdict_is_unknown_and_the_figures_are_shown(self):
        (check,), done = self.check(UNKNOWN, "-d", self.model("healthy.json"))
        self.assertEqual(("unknown", "no-expectation"), (check["verdict"], check["code"]))
        self.assertEqual(["l2_read", "dram_read", "latency_l1", "latency_l2", "latency_dram"],
                         [figure["metric"] for figure in check["figures"]])
        self.assertTrue(all(figure["verdict"] == "unknown" and "expected" not in figure
                            for figure in check["figures"]))
        self.assertIn("DRAM latency ", done.out)
        self.assertEqual(os.uname().nodename, self.run_file["host"]["name"])

    def test_a_card_is_healthy_against_a_check_of_itself(self):
        (check,), done = self.check(HEALTHY, "-d", self.model("healthy.json"), "--expect",
                                    self.expectation())
        self.assertEqual(("healthy", "ok"), (check["verdict"], check["code"]))
        self.assertEqual(["expectation from 1 card"], check["remarks"])
        for figure in check["figures"]:
            self.assertEqual(("own", 1, "ok"),
                             (figure["basis"], figure["cards"], figure["verdict"]))
        self.assertEqual("model:0  a model to check  healthy: expectation from 1 card\n", done.out)

    def test_show_prints_the_check_again_and_the_tables_of_a_benchmark_that_is_named(self):
        _, done = self.check(UNKNOWN, "-d", self.model("healthy.json"))
        again = fathom.run("show", self.path("check.json"))
        self.assertEqual((0, done.out, ""), (again.status, again.out, again.err))
        latency = fathom.run("show", self.path("check.json"), "latency")
        self.assertIn("── latency:", latency.out)

    def test_memory_that_is_slower_by_three_percent_is_named(self):
        (check,), done = self.check(SLOW, "-d", self.slower_memory(0.97), "--expect",
                                    self.expectation())
        self.assertEqual(("slow", "below-expectation"), (check["verdict"], check["code"]))
        self.assertRegex(check["cause"], r"^DRAM read 92\.\d+ of 95\.\d+ GB/s: 3 % below")
        slow = [figure["metric"] for figure in check["figures"] if figure["verdict"] == "slow"]
        self.assertEqual(["dram_read"], slow)
        self.assertIn("slow: DRAM", done.out)

    def test_a_low_core_clock_is_the_cause(self):
        slow = self.model("clock.json", core_clock_hz=1.3e9)
        (check,), _ = self.check(SLOW, "-d", slow, "--expect", self.expectation())
        self.assertEqual("core-clock", check["code"])
        self.assertIn("core clock 1300 of 1500 MHz", check["cause"])

    def test_other_work_on_the_card_leaves_the_verdict_open(self):
        busy = self.model("busy.json", company={"after_ns": 0, "slice_ns": 2e6, "period_ns": 1e9,
                                                "length_ns": 1e9})
        (check,), _ = self.check(UNKNOWN, "-d", busy, "--expect", self.expectation())
        self.assertEqual(("unknown", "busy"), (check["verdict"], check["code"]))
        self.assertIn("other work took", check["cause"])

    def test_cards_side_by_side_each_have_their_verdict_and_the_worst_is_the_status(self):
        own = self.expectation()
        checks, _ = self.check(SLOW, "--quick", "-d", self.model("healthy.json"), "-d",
                               self.slower_memory(0.9), "--expect", own)
        self.assertEqual([("model:0", 0, "healthy"), ("model:1", 1, "slow")],
                         [(check["device"], check["index"], check["verdict"]) for check in checks])

    def test_a_version_that_differs_is_no_expectation(self):
        own = self.expectation()
        document = json.loads(pathlib.Path(own).read_text(encoding="utf-8"))
        for one in document["benchmarks"] + document["results"]:
            one["version"] += 1
        pathlib.Path(own).write_text(json.dumps(document), encoding="utf-8")
        (check,), _ = self.check(UNKNOWN, "-d", self.model("healthy.json"), "--expect", own)
        self.assertEqual("no-expectation", check["code"])

    def test_missing_cards_are_broken(self):
        checks, _ = self.check(BROKEN, "-d", self.model("healthy.json"), "--expect-count", "2")
        self.assertEqual([("unknown", "no-expectation"), ("broken", "missing")],
                         [(check["verdict"], check["code"]) for check in checks])
        self.assertNotIn("device", checks[1])

    def test_wrong_results_are_broken(self):
        # The double does not run the kernels of latency; a check waits for them until the limit.
        (check,), _ = self.check(BROKEN, "-d", "cuda", LD_LIBRARY_PATH=os.environ["CUDA_DOUBLE"],
                                 FAKE_CUDA_KERNELS="measure bandwidth")
        self.assertEqual(("broken", "wrong-results"), (check["verdict"], check["code"]))
        self.assertIn("not what was written", check["cause"])


class Outputs(Checks):
    def metrics(self, *arguments):
        """The samples of the file for Prometheus."""
        path = self.path("fathom.prom")
        done = fathom.run("check", "-d", *arguments, "--prometheus", path)
        self.assertEqual("", done.err)
        lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
        return dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))

    def test_prometheus_keeps_the_time_of_the_last_success(self):
        own, healthy = self.expectation(), self.model("healthy.json")
        status = 'fathom_check_status{{uuid="",index="0",status="{}"}}'
        before = time.time()
        first = self.metrics(healthy, "--expect", own)
        self.assertEqual(("1", "0"), (first[status.format("healthy")], first[status.format("slow")]))
        success = float(first["fathom_check_last_success_seconds"])
        self.assertTrue(before - 1 <= success <= time.time())
        second = self.metrics(self.slower_memory(0.9), "--expect", own)
        self.assertEqual(("0", "1"),
                         (second[status.format("healthy")], second[status.format("slow")]))
        self.assertEqual(success, float(second["fathom_check_last_success_seconds"]))
        self.assertEqual(["fathom.prom"], [path.name for path in self.folder.glob("*.prom*")])

    def test_an_output_that_cannot_be_written_does_not_cost_the_others(self):
        # No file may grow past 512 bytes, and a check's run file is longer.
        done = fathom.Outcome(subprocess.run(
            ["sh", "-c", 'ulimit -f 1; exec "$0" "$@"', fathom.BINARY, "check", "-d",
             self.model("healthy.json"), "-o", self.path("check.json"), "--json"],
            env=fathom.environment(), capture_output=True, text=True, check=False))
        self.assert_one_line_error(done, 2, "check.json: File too large")
        self.assertEqual(1, len(json.loads(done.out)["checks"]))

    def test_metrics_on_the_standard_output_are_alone_there(self):
        for output in (("-",), ("/dev/stdout", "--quiet")):
            done = fathom.run("check", "-d", self.model("healthy.json"), "--quick", "--prometheus",
                              *output)
            self.assertTrue(done.out.startswith("# HELP "), done.out)

    def test_host_and_rank_name_the_file(self):
        for name, rank in (("SLURM_PROCID", "7"), ("OMPI_COMM_WORLD_RANK", "3"), ("PMI_RANK", "1")):
            fathom.run("check", "-d", self.model("healthy.json"), "-o", self.path("%h-%r-%%.json"),
                       **{name: rank})
            self.assertTrue((self.folder / f"{os.uname().nodename}-{rank}-%.json").exists())

    def test_soaking_comes_before_the_check(self):
        before = time.monotonic()
        (check,), _ = self.check(UNKNOWN, "--soak", "3", "-d", self.model("healthy.json"))
        self.assertGreater(time.monotonic() - before, 3)
        self.assertEqual(5, len(check["figures"]))  # the figures of one check, not of all rounds

    def test_wrong_results_end_the_soaking(self):
        # Given a card with wrong results, when it is to be heated for longer than a test may take,
        (check,), _ = self.check(BROKEN, "--soak", "86400", "-d", "cuda",
                                 LD_LIBRARY_PATH=os.environ["CUDA_DOUBLE"],
                                 FAKE_CUDA_KERNELS="measure bandwidth")
        # then the first wrong results end it.
        self.assertEqual(("broken", "wrong-results"), (check["verdict"], check["code"]))

    def test_quiet_prints_nothing_and_says_the_verdict_by_the_exit_status(self):
        _, done = self.check(UNKNOWN, "-q", "-d", self.model("healthy.json"))
        self.assertEqual(("", ""), (done.out, done.err))

    def test_json_is_the_run_file(self):
        done = fathom.run("check", "--json", "-d", self.model("healthy.json"))
        self.assertEqual("fathom-run/1", json.loads(done.out)["schema"])


class Ends(Checks):
    def start(self, *arguments):
        return fathom.start("check", "-d", self.model("healthy.json"), "-o", self.path("check.json"),
                            *arguments)

    def outcome(self, process):
        out, err = process.communicate(timeout=fathom.TIMEOUT_S)
        return process.returncode, out, err

    def test_a_device_that_hangs_is_broken(self):
        process = self.start("--silence-limit", "2")
        os.kill(wait_for_child(process), signal.SIGSTOP)
        self.assertEqual(BROKEN, self.outcome(process)[0])
        (check,) = self.read_run(self.path("check.json"))["checks"]
        self.assertEqual(("broken", "hung"), (check["verdict"], check["code"]))

    def test_a_process_that_dies_is_broken(self):
        process = self.start()
        os.kill(wait_for_child(process), signal.SIGKILL)
        self.assertEqual(BROKEN, self.outcome(process)[0])
        (check,) = self.read_run(self.path("check.json"))["checks"]
        self.assertEqual(("broken", "lost"), (check["verdict"], check["code"]))
        self.assertIn("signal 9", check["cause"])

    def test_a_signal_ends_the_check(self):
        process = self.start()
        os.kill(wait_for_child(process), signal.SIGSTOP)  # so that the check cannot end first
        process.send_signal(signal.SIGINT)
        status, _, err = self.outcome(process)
        self.assertEqual((INTERRUPTED, "fathom: interrupted\n"), (status, err))
        document = self.read_run(self.path("check.json"))
        self.assertEqual("interrupted", document["status"])
        self.assertEqual("not-measured", document["checks"][0]["code"])

    def test_wrong_usage(self):
        for arguments in (("--expect-count", "0"), ("--soak", "soon"), ("--expect", "nowhere.json"),
                          ("-o", "no/such/folder.json"), ("-d", "nosuchdevice"), ("operand",),
                          ("--api", "cdua"), ("-o", "%h-%R.json"), ("-o", "100%"), ("-o", self.path("a"), "--prometheus", self.path("a")),
                          ("--json", "--prometheus", "-")):
            with self.subTest(arguments=arguments):
                done = fathom.run("check", *arguments)
                self.assert_one_line_error(done, USAGE)

    def test_an_expectation_is_not_replaced(self):
        own = self.path(f"{os.uname().nodename}.json")
        pathlib.Path(own).write_text('{"schema": "fathom-run/1"}', encoding="utf-8")
        os.link(own, self.path("link.json"))
        for option, output in (("-o", own), ("-o", self.path("link.json")), ("--prometheus", own),
                               ("-o", self.path("%h.json"))):
            with self.subTest(option=option, output=output):
                self.assert_one_line_error(fathom.run("check", "--expect", own, option, output),
                                           USAGE, "would replace that run file: give")

    def test_a_machine_without_a_gpu(self):
        if pathlib.Path("/dev/nvidia0").exists() or pathlib.Path("/dev/dri").exists():
            self.skipTest("there is a GPU")
        self.assert_one_line_error(fathom.run("check"), NO_DEVICE)


class Cpu(Checks):
    def setUp(self):
        super().setUp()
        devices = json.loads(fathom.run("devices", "--json").out)["devices"]
        self.cpus = [one["id"] for one in devices if one["kind"] == "cpu"]
        self.cpu = next(iter(self.cpus), None)
        if not self.cpu:
            self.skipTest("no CPU stands in for a GPU")

    def test_a_cpu_has_no_expectation(self):
        (check,), _ = self.check(UNKNOWN, "--quick", "-d", self.cpu)
        # There is one lock file, under which links are measured one after another.
        self.assertEqual(1, len(list(self.folder.glob("fathom-check-link-*"))))
        # A busy machine may leave no time for any figure.
        self.assertEqual("no-expectation" if check["figures"] else "not-measured", check["code"])
        self.assertLessEqual({figure["metric"] for figure in check["figures"]},
                             {"dram_read", "latency_dram", "fp32", "matrix_fp16", "host_to_device",
                              "device_to_host"})

    def test_a_card_is_not_checked_through_two_apis_at_once(self):
        apis = {cpu.partition(":")[0]: cpu for cpu in self.cpus}
        if len(apis) < 2:
            self.skipTest("the CPU has one API")
        first, second = list(apis.values())[:2]
        self.assert_one_line_error(fathom.run("check", "-d", first, "-d", second), USAGE,
                                   "are one card")

    def answer(self, host, share):
        """Answers each reading of /proc/stat: since the one before, all processors were busy. The
        family used this share of their time. Its file already has the time of the next reading."""
        ticks = 0
        while (host / "proc/stat").exists():
            with contextlib.suppress(OSError), \
                    open(host / "proc/stat", "w", encoding="ascii") as stat:
                ticks += 100
                (host / "proc/new").write_text(
                    "1 (fathom) S" + " 0" * 10 + f" {int(share * (ticks + 100))} 0 0 0\n")
                (host / "proc/new").rename(host / "proc/family/stat")
                stat.write(f"cpu  {ticks} 0 0 0 0 0 0 0 0 0\n")

    def reports_other_work(self, share):
        """True if a check says that other work uses the device. All processors are busy; `fathom
        check` with its children uses this share of their time."""
        host, path = self.folder / f"host-{share}", self.path(f"check-{share}.json")
        shutil.copytree(fathom.ROOT / "tests/fakes/quiet_host", host)
        (host / "proc/stat").unlink()
        os.mkfifo(host / "proc/stat")
        (host / "proc/family").mkdir()
        (host / "proc/family/stat").write_text("1 (fathom) S" + " 0" * 14 + "\n")
        threading.Thread(target=self.answer, args=(host, share), daemon=True).start()
        name_family = 'ln -s family "$FATHOM_HOST_ROOT/proc/$$" && exec "$@"'
        subprocess.run(["sh", "-c", name_family, "sh", fathom.BINARY, "check", "--quick", "-d",
                        self.cpu, "-o", path], env=fathom.environment(FATHOM_HOST_ROOT=str(host)),
                       capture_output=True, timeout=fathom.TIMEOUT_S, check=False)
        return "shared-device" in [one["code"] for one in self.read_run(path)["findings"]]

    def test_the_processes_of_other_devices_are_no_other_work(self):
        self.assertTrue(self.reports_other_work(0))
        self.assertFalse(self.reports_other_work(1))


if __name__ == "__main__":
    fathom.main()
