#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""fathom check: each exit status, and a cause for each verdict."""

import contextlib
import copy
import json
import os
import pathlib
import signal
import time
import unittest
import unittest.mock

import fathom

HEALTHY, SLOW, USAGE, NO_DEVICE, BROKEN, UNKNOWN, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130

MODEL = {
    "name": "a model to check", "cores": 8, "core_clock_hz": 1.5e9, "memory_bytes": 1 << 27,
    "last_cache_bytes": 1 << 22,
    "levels": [
        {"capacity_bytes": 1 << 15, "line_bytes": 128, "ways": 4, "latency_cycles": 32,
         "shared": "core", "bandwidth": {"core_bytes_per_cycle": 64, "chip_bytes_per_cycle": 512}},
        {"capacity_bytes": 1 << 22, "line_bytes": 128, "ways": 16, "latency_cycles": 200,
         "shared": "chip", "bandwidth": {"core_bytes_per_cycle": 32, "chip_bytes_per_cycle": 256}}],
    "memory": {"latency_cycles": 600,
               "bandwidth": {"core_bytes_per_cycle": 20, "chip_bytes_per_cycle": 64}},
    "clock_step_ns": 32, "noise": {"relative": 0.003, "seed": 1}}


def children(process, command=b"__check"):
    """The processes that measure the devices."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text(encoding="utf-8").rpartition(")")[2].split()[1])
            words = (stat.parent / "cmdline").read_bytes().split(b"\0")
        except OSError:  # it has ended
            continue
        if parent == process.pid and command in words:
            found.append(int(stat.parent.name))
    return found


def wait_until(condition):
    """What the condition returns once it is true."""
    deadline = time.monotonic() + fathom.TIMEOUT_S
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.005)
    raise AssertionError("waited in vain")


def wait_for_child(process, command=b"__check"):
    return wait_until(lambda: children(process, command))[0]


def holds_lock_file(process):
    """Whether the process has opened the file of the lock: it holds the lock or waits for it."""
    for link in pathlib.Path(f"/proc/{process.pid}/fd").glob("*"):
        try:
            if "fathom-check-" in os.readlink(link):
                return True
        except OSError:  # it was closed
            continue
    return False


class Checks(fathom.Case):
    healthy = b""  # the file of a check of the healthy model, once one was measured

    def setUp(self):
        super().setUp()
        # The lock of a host's checks: no other test holds this one.
        self.enterContext(unittest.mock.patch.dict(os.environ, TMPDIR=str(self.folder)))

    def model(self, name, **changes):
        path = self.path(name)
        model = copy.deepcopy(MODEL)
        model.update(changes)
        pathlib.Path(path).write_text(json.dumps(model), encoding="utf-8")
        return "model:" + path

    def slower_memory(self, share):
        memory = copy.deepcopy(MODEL["memory"])
        memory["bandwidth"]["chip_bytes_per_cycle"] *= share
        return self.model("slower.json", memory=memory, noise={"relative": 0.003, "seed": 2})

    def check(self, status, *arguments, **variables):
        """The checks of the file that the command writes, and what it prints."""
        path = self.path("check.json")
        done = fathom.run("check", "-o", path, *arguments, **variables)
        self.assertEqual(status, done.status, done.out + done.err)
        self.run_file = self.read_run(path)
        return self.run_file["checks"], done

    def expectation(self):
        """The file of a check of the healthy model: measured once, for all tests."""
        if not Checks.healthy:
            self.check(UNKNOWN, "-d", self.model("healthy.json"))
            Checks.healthy = pathlib.Path(self.path("check.json")).read_bytes()
            os.remove(self.path("check.json"))
        pathlib.Path(self.path("own.json")).write_bytes(Checks.healthy)
        return self.path("own.json")


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
        self.assertRegex(check["cause"], r"^DRAM 92\.\d+ of 95\.\d+ GB/s: 3 % below")
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
        # A kernel of latency, which this double does not run, is waited for until the limit.
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

    def test_host_and_rank_name_the_file(self):
        for name, rank in (("SLURM_PROCID", "7"), ("OMPI_COMM_WORLD_RANK", "3"), ("PMI_RANK", "1")):
            fathom.run("check", "-d", self.model("healthy.json"), "-o", self.path("%h-%r-%%.json"),
                       **{name: rank})
            self.assertTrue((self.folder / f"{os.uname().nodename}-{rank}-%.json").exists())

    def test_soaking_comes_before_the_check(self):
        before = time.monotonic()
        (check,), _ = self.check(UNKNOWN, "--soak", "3", "-d", self.model("healthy.json"))
        self.assertGreater(time.monotonic() - before, 3)
        self.assertEqual(5, len(check["figures"]))  # of one check, not of all rounds

    def test_wrong_results_end_the_soaking(self):
        # given a card that computes wrong results, when it is heated for longer than a test may take
        (check,), _ = self.check(BROKEN, "--soak", "86400", "-d", "cuda",
                                 LD_LIBRARY_PATH=os.environ["CUDA_DOUBLE"],
                                 FAKE_CUDA_KERNELS="measure bandwidth")
        # then it is not heated until the wrong results are forgotten
        self.assertEqual(("broken", "wrong-results"), (check["verdict"], check["code"]))

    def test_quiet_prints_nothing_and_says_the_verdict_by_the_exit_status(self):
        _, done = self.check(UNKNOWN, "-q", "-d", self.model("healthy.json"))
        self.assertEqual(("", ""), (done.out, done.err))

    def test_json_is_the_run_file(self):
        done = fathom.run("check", "--json", "-d", self.model("healthy.json"))
        self.assertEqual("fathom-run/1", json.loads(done.out)["schema"])


class Ranks(Checks):
    def start(self, rank, *arguments, **variables):
        return fathom.start("check", *arguments, "-o", self.path("rank-%r.json"),
                            variables={"SLURM_PROCID": str(rank), **variables})

    def checks_of(self, processes, status):
        for process in processes:
            self.assertEqual(status, process.wait(timeout=fathom.TIMEOUT_S))
            process.communicate()
        return [self.read_run(self.path(f"rank-{rank}.json"))["checks"][0]
                for rank in range(len(processes))]

    def test_ranks_of_a_host_share_one_check(self):
        model = self.model("healthy.json")
        first = self.start(0, "-d", model)
        child = wait_for_child(first)
        os.kill(child, signal.SIGSTOP)
        others = [self.start(rank, "-d", model) for rank in (1, 2)]
        for other in others:
            wait_until(lambda other=other: holds_lock_file(other))
        os.kill(child, signal.SIGCONT)
        checks = self.checks_of([first, *others], UNKNOWN)
        self.assertEqual([None, True, True], [check.get("shared_check") for check in checks])
        self.assertEqual(checks[0]["figures"], checks[1]["figures"])
        self.assertEqual(checks[0]["figures"], checks[2]["figures"])

    def test_a_rank_that_comes_later_or_asks_for_more_measures_itself(self):
        model = self.model("healthy.json")
        first = self.checks_of([self.start(0, "-d", model)], UNKNOWN)[0]
        second = self.checks_of([self.start(0, "-d", model)], UNKNOWN)[0]
        self.assertNotIn("shared_check", second)
        self.assertEqual(len(first["figures"]), len(second["figures"]))

    def test_a_rank_that_was_given_other_cards_measures_itself(self):
        model = self.model("healthy.json")
        first = self.start(0, "-d", model, CUDA_VISIBLE_DEVICES="0")
        child = wait_for_child(first)
        os.kill(child, signal.SIGSTOP)
        second = self.start(1, "-d", model, CUDA_VISIBLE_DEVICES="1")
        wait_until(lambda: holds_lock_file(second))
        os.kill(child, signal.SIGCONT)
        for check in self.checks_of([first, second], UNKNOWN):
            self.assertNotIn("shared_check", check)

    def test_a_rank_whose_holder_was_killed_measures_itself(self):
        model = self.model("healthy.json")
        first = self.start(0, "-d", model)
        os.kill(wait_for_child(first), signal.SIGSTOP)
        second = self.start(1, "-d", model)
        wait_until(lambda: holds_lock_file(second))
        first.kill()
        first.communicate()
        self.assertEqual(UNKNOWN, second.wait(timeout=fathom.TIMEOUT_S))
        second.communicate()
        (check,) = self.read_run(self.path("rank-1.json"))["checks"]
        self.assertNotIn("shared_check", check)
        self.assertEqual("no-expectation", check["code"])

    def test_with_local_rank_each_takes_its_own_card(self):
        models = ["-d", self.model("a.json"), "-d", self.model("b.json"), "--local-rank",
                  "--expect-count", "2"]  # the cards of other ranks are not missing
        processes = [self.start(rank, *models, SLURM_LOCALID=str(rank)) for rank in (0, 1)]
        checks = self.checks_of(processes, UNKNOWN)
        self.assertEqual(["model:0", "model:1"], [check["device"] for check in checks])
        self.assertTrue(all("shared_check" not in check for check in checks))

    def test_a_local_rank_without_a_card(self):
        arguments = ("check", "-d", self.model("a.json"), "--local-rank")
        self.assert_one_line_error(fathom.run(*arguments), USAGE, "SLURM_LOCALID")
        self.assert_one_line_error(fathom.run(*arguments, SLURM_LOCALID="1"), NO_DEVICE,
                                   "rank 1, but 1 GPU")

    def test_a_rank_that_was_given_one_card_takes_that(self):
        process = self.start(0, "-d", self.model("a.json"), "--local-rank", SLURM_LOCALID="1",
                             CUDA_VISIBLE_DEVICES="1")
        (check,) = self.checks_of([process], UNKNOWN)
        self.assertEqual("model:0", check["device"])


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
        os.kill(wait_for_child(process), signal.SIGSTOP)  # so that the check cannot end before
        process.send_signal(signal.SIGINT)
        status, _, err = self.outcome(process)
        self.assertEqual((INTERRUPTED, "fathom: interrupted\n"), (status, err))
        document = self.read_run(self.path("check.json"))
        self.assertEqual("interrupted", document["status"])
        self.assertEqual("not-measured", document["checks"][0]["code"])

    def test_wrong_usage(self):
        for arguments in (("--expect-count", "0"), ("--soak", "soon"), ("--expect", "nowhere.json"),
                          ("-o", "no/such/folder.json"), ("-d", "nosuchdevice"), ("operand",),
                          ("-o", self.path("a"), "--prometheus", self.path("a")),
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


class SeveralDevices(Checks):
    """Two or three devices of the double of libcuda, of which only transfer can be measured."""

    def variables(self, count=2, **more):
        return {"LD_LIBRARY_PATH": os.environ["CUDA_DOUBLE"], "FAKE_CUDA_DEVICES": str(count),
                "FAKE_CUDA_KERNELS": "transfer", "FAKE_CUDA_MEMORY_MIB": "24", **more}

    def devices(self, count=2):
        return [word for i in range(count) for word in ("-d", f"cuda:{i}")]

    def figures(self, check):
        return {(figure["metric"], figure.get("peer")): figure for figure in check["figures"]}

    def test_each_link_is_measured_alone_and_all_at_once(self):
        checks, done = self.check(UNKNOWN, *self.devices(3), **self.variables(3))
        measured = [one for one in self.run_file["results"]
                    if one["benchmark"] == "transfer" and "bandwidth" in str(one["metrics"])]
        self.assertEqual({f"{part}/from=cuda:{a}/to=cuda:{b}" for a in range(3) for b in range(3)
                          for part, is_planned in (("direction=peer", a != b),
                                                   ("direction=peer/engine=target", a != b),
                                                   ("direction=peer/ways=both", a < b))
                          if is_planned} | {"direction=peer/ways=all"},
                         {one["key"].partition("/")[2].rpartition("/")[0]
                          for one in self.run_file["results"] if "direction=peer" in one["key"]})
        # A busy machine may have no time for some of them.
        for index, check in enumerate(checks):
            figures = self.figures(check)
            own = [one for one in measured if one["device"] == check["device"] and
                   one["case"]["direction"] != "peer"]
            pairs = [one for one in measured if one["case"].get("from") != one["case"].get("to")
                     and check["device"] in (one["case"]["to"] if one["case"].get("engine") else
                                             one["case"]["from"], one["case"]["to"]
                                             if one["case"].get("ways") else "")]
            every = [one for one in measured if one["case"].get("ways") == "all"]
            self.assertEqual(len(own) + len(pairs) + len(every), len(figures))
            self.assertTrue(all(figure["value"] > 0 for figure in figures.values()))
            self.assertTrue(all(("peer" in figure) == (figure["metric"] in (
                "peer", "peer_read", "peer_both")) and figure.get("peer") != index
                for figure in figures.values()))
        self.assertIn("Host to device ", done.out)
        together = [one for one in self.run_file["results"] if one["case"].get("together")]
        self.assertEqual(["cuda:1,cuda:2", "cuda:0,cuda:2", "cuda:0,cuda:1"],
                         [one["case"]["with"] for one in together])

    def test_some_devices_of_more_are_measured_among_themselves(self):
        checks, _ = self.check(UNKNOWN, "-d", "cuda:1", "-d", "cuda:2", **self.variables(3))
        for check, other in zip(checks, (2, 1)):
            self.assertEqual({other}, {figure["peer"] for figure in check["figures"]
                                       if "peer" in figure})
            self.assertNotIn("peer_all", [figure["metric"] for figure in check["figures"]])

    def test_one_device_and_a_quick_check_have_no_pairs(self):
        for arguments in (("-d", "cuda:0"), ("--quick", *self.devices())):
            self.check(UNKNOWN, *arguments, **self.variables())
            # What a busy machine has no time for is planned all the same, and is among the results.
            cases = [one["case"] for one in self.run_file["results"]
                     if one["benchmark"] == "transfer"]
            self.assertEqual({"h2d", "d2h"} | (set() if "--quick" in arguments else {"both"}),
                             {case["direction"] for case in cases})
            self.assertFalse(any(case.get("together") for case in cases))

    def test_a_slow_link_between_devices_is_named(self):
        self.check(UNKNOWN, *self.devices(), **self.variables())
        document = json.loads(pathlib.Path(self.path("check.json")).read_text(encoding="utf-8"))
        for result in document["results"]:
            fast = result["key"].startswith("transfer/direction=peer/from=cuda:0/to=cuda:1/")
            for metric in result["metrics"]:
                if metric["name"] == "bandwidth":  # of all else a thousandth is expected
                    metric["median"] *= 1000 if fast else 0.001
        own = self.path("own.json")
        pathlib.Path(own).write_text(json.dumps(document), encoding="utf-8")
        checks, _ = self.check(SLOW, *self.devices(), "--expect", own, **self.variables())
        self.assertEqual([("slow", "below-expectation"), ("healthy", "ok")],
                         [(check["verdict"], check["code"]) for check in checks])
        self.assertRegex(checks[0]["cause"], r"^Copy to GPU 1: [0-9.]+ of [0-9.]+ TB/s: ")
        slow = self.figures(checks[0])["peer", 1]
        self.assertEqual(("own", "slow"), (slow["basis"], slow["verdict"]))

    def test_data_lost_between_devices_are_wrong_results(self):
        checks, _ = self.check(BROKEN, *self.devices(), **self.variables(FAKE_CUDA_PEERS_LOSE="0"))
        self.assertEqual({("broken", "wrong-results")},
                         {(check["verdict"], check["code"]) for check in checks})
        self.assertIn("transfer/direction=peer/", checks[0]["cause"])

    def at_once(self, signal_number):
        """What a check says whose workers get a signal, each as soon as it is seen: the first one may
        still look for other work on its device, and what it measures counts."""
        process = fathom.start("check", *self.devices(), "--silence-limit", "5", "-o",
                               self.path("check.json"), variables=self.variables())
        hit = set()
        while process.poll() is None:
            for worker in set(children(process, b"__worker")) - hit:
                hit.add(worker)
                with contextlib.suppress(ProcessLookupError):  # it has ended
                    os.kill(worker, signal_number)
            time.sleep(0.005)
        process.communicate()
        return process.returncode, self.read_run(self.path("check.json"))["checks"]

    def test_a_device_that_hangs_among_others_is_broken(self):
        status, checks = self.at_once(signal.SIGSTOP)
        self.assertEqual(BROKEN, status)
        self.assertIn(("broken", "hung"), [(one["verdict"], one["code"]) for one in checks])

    def test_a_worker_that_dies_among_others_is_broken(self):
        status, checks = self.at_once(signal.SIGKILL)
        self.assertEqual(BROKEN, status)
        self.assertIn(("broken", "lost"), [(one["verdict"], one["code"]) for one in checks])

    def test_a_signal_ends_the_measurement_of_all(self):
        process = fathom.start("check", *self.devices(), variables=self.variables())
        os.kill(wait_for_child(process, b"__worker"), signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=fathom.TIMEOUT_S)
        self.assertEqual(INTERRUPTED, process.returncode)
        self.assertEqual([], children(process) + children(process, b"__worker"))


class States(Checks):
    """A device of the double of libcuda, whose state the double of NVML makes up."""

    def variables(self, wrong):
        return {"FAKE_CUDA_KERNELS": "transfer", "FAKE_CUDA_MEMORY_MIB": "24",
                "NVML_DOUBLE_ANY": "1", "NVML_DOUBLE": wrong, "LD_LIBRARY_PATH":
                f"{os.environ['CUDA_DOUBLE']}:{os.environ['NVML_DOUBLE_FOLDER']}"}

    def test_half_of_a_link_is_slow_and_the_state_of_the_card_is_kept(self):
        (check,), _ = self.check(SLOW, "--quick", "-d", "cuda", **self.variables("half"))
        self.assertEqual(("slow", "link-width", "PCIe x8 instead of x16"),
                         (check["verdict"], check["code"], check["cause"]))
        state = check["state"]
        self.assertEqual((8, 16, 5, 5), tuple(state["link_" + name] for name in (
            "width", "width_max", "generation", "generation_max")))
        self.assertEqual((312.5, 700, 41), (state["power_w"], state["power_limit_w"],
                                            state["temperature_c"]))
        self.assertEqual([0] * 5, [state[name] for name in (
            "ecc_corrected", "ecc_uncorrected", "link_replays", "nvlink_replays",
            "nvlink_recoveries")])
        self.assertEqual((4, 4, 1, 3, 0, 0), tuple(state[name] for name in (
            "nvlinks", "nvlinks_active", "ecc_enabled", "remapped_rows", "remap_pending",
            "remap_failed")))
        self.assertEqual("96.00.74.00.01", state["vbios"])

    def test_errors_that_the_driver_counts_are_broken(self):
        for wrong, cause in (("rows", "no spare row is left"),
                             ("uncorrected", r"[1-9]\d* uncorrected ECC error"),
                             ("recovers", r"[1-9]\d* NVLink retraining")):
            with self.subTest(wrong=wrong):
                (check,), _ = self.check(BROKEN, "--quick", "-d", "cuda", **self.variables(wrong))
                self.assertEqual(("broken", "errors"), (check["verdict"], check["code"]))
                self.assertRegex(check["cause"], cause)

    def test_an_error_while_the_card_is_heated_is_broken(self):
        (check,), _ = self.check(BROKEN, "--quick", "--soak", "1", "-d", "cuda",
                                 **self.variables("once"))
        self.assertEqual("1 uncorrected ECC error during the check", check["cause"])


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
        # The lock under which links are measured one after the other.
        self.assertEqual(1, len(list(self.folder.glob("fathom-check-link-*"))))
        # A busy machine may have no time for any figure.
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


if __name__ == "__main__":
    fathom.main()
