#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`--counters`. On models the simulation counts, and the counts match what benchmarks claim. On
Vulkan with the layer of tests/vulkan the driver's counters are read in passes. Without counters a
run says so once and goes on."""

import json
import os
import re
import unittest

import fathom

REAL = os.environ["FATHOM_REAL"]
LAYERS = os.environ["FATHOM_LAYERS"]
MODELS = sorted(path.stem for path in (fathom.ROOT / "models").glob("*.json"))


def counters_of(result):
    return {counter["name"]: counter for counter in result.get("counters", [])}


class Case(fathom.Case):
    def run_model(self, name, *arguments, latency="bytes=16KiB", op="read"):
        """Runs latency and bandwidth on a model: its name, or the path of its file. Returns the run
        file and the outcome."""
        model = name if os.path.isabs(name) else f"{fathom.ROOT}/models/{name}.json"
        done = fathom.run("run", "latency", "bandwidth", "--preset", "quick", "-d",
                          f"model:{model}", "-o", self.path("run.json"),
                          "--seed", "5",
                          "--set", "latency.path=vector", "--set", "latency." + latency,
                          "--set", "bandwidth.op=" + op, *arguments, binary=REAL)
        self.assertEqual(done.status, 0, done.err)
        with open(self.path("run.json"), encoding="utf-8") as file:
            return json.load(file), done


class Models(Case):
    def test_what_is_claimed_is_counted_on_every_model(self):
        # With a sanitizer two models are enough: the others are other numbers for the same code.
        for name in ("rx6900xt", "v100") if fathom.is_sanitized() else MODELS:
            with self.subTest(model=name):
                run, _ = self.run_model(name, "--counters",
                                        op="read,copy" if name == "v100" else "read")
                measured = [result for result in run["results"] if result["verdict"] != "skipped"]
                self.assertTrue(measured)
                for result in measured:
                    counters = counters_of(result)
                    self.assertTrue(counters, result["key"])
                    for counter in counters.values():
                        if "claimed" in counter:
                            self.assertAlmostEqual(counter["counted"], counter["claimed"],
                                                   delta=0.001 * counter["claimed"],
                                                   msg=f"{counter['name']} of {result['key']}")
                    # Then a chain of 16 KiB claims no reads of memory, if that is sure.
                    if name != "rx6900xt" and result["benchmark"] == "latency":
                        self.assertEqual(counters["dram_read"]["claimed"], 0)
                self.assertIn("counted", [finding["code"] for finding in run["findings"]])
                self.assertNotIn("claim-differs", [finding["code"] for finding in run["findings"]])

    def test_hits_end_where_the_caches_end(self):
        run, _ = self.run_model("v100", "--counters", latency="bytes=16KiB,64MiB")
        small, large = [counters_of(result) for result in run["results"]
                        if result["benchmark"] == "latency"]
        self.assertEqual(small["l1_read_hit"]["counted"], small["l1_read"]["counted"])
        self.assertEqual(small["l2_read"]["counted"], 0)
        self.assertLess(large["l1_read_hit"]["counted"], 0.01 * large["l1_read"]["counted"])
        self.assertLess(large["l2_read_hit"]["counted"], 0.01 * large["l2_read"]["counted"])
        self.assertGreaterEqual(large["dram_read"]["counted"], 0.999 * 32)  # a sector a hop

    def test_hits_end_where_the_latency_says_that_the_levels_end(self):
        if fathom.is_sanitized():
            self.skipTest("an H200's L2 takes a minute with a sanitizer, which sees the same lines in "
                          "the map")
        # Given a model whose L2 has two halves, an eighth of an H200's, and four sizes per octave
        # near the ends of its levels.
        model = json.loads((fathom.ROOT / "models/h200.json").read_text(encoding="utf-8"))
        for level in model["levels"][1:]:
            level["capacity_bytes"] //= 8
        model["last_cache_bytes"] //= 8
        path = self.folder / "model.json"
        path.write_text(json.dumps(model), encoding="utf-8")
        sizes = [round(2 ** (octave / 4)) // 1024 * 1024 for octave in range(4 * 15, 4 * 24 + 1)]
        run, _ = self.run_model(str(path), "--counters", latency="bytes=" + ",".join(map(str, sizes)))
        ends = [finding for finding in run["findings"] if finding["code"] == "hits-end"]
        self.assertEqual([finding["value"] for finding in ends], [1, 1])
        for finding, cache, capacity in zip(ends, ("L1", "L2"), (216 * 1024, 60 * 1024 ** 2 // 8)):
            self.assertIn(f"hits of the {cache} end between ", finding["text"])
            self.assertIn(f"by latency the {cache} ends at ", finding["text"])
            held, missed = (int(re.search(r"/bytes=(\d+)", key)[1]) for key in finding["keys"])
            self.assertLessEqual(held, capacity)
            self.assertGreaterEqual(missed, 0.8 * capacity)
        self.assertTrue(all(counter["passes"] == 1 for result in run["results"]
                            for counter in result.get("counters", [])))

    def test_cases_of_several_blocks_are_counted_when_their_benchmark_ends(self):
        sizes = ",".join(str(1024 * (8 + i)) for i in range(70))  # a block has at most 64 cases
        run, _ = self.run_model("v100", "--counters", latency="bytes=" + sizes)
        chains = [result for result in run["results"] if result["benchmark"] == "latency"]
        self.assertEqual(len(chains), 70)
        for result in chains:
            self.assertEqual(counters_of(result)["l1_requests"]["counted"], 1, result["key"])

    def test_a_map_is_counted_too(self):
        # Given a machine of two levels, or with a sanitizer a smaller one of one level.
        path, machine = self.path("map.json"), self.folder / "machine.json"
        given = fathom.SMALL_CARD if fathom.is_sampled() else fathom.smaller_machine()
        machine.write_text(json.dumps(given), encoding="utf-8")
        done = fathom.run("map", "-d", f"model:{machine}", "--seed", "1", "--counters", "-o", path,
                          binary=REAL)
        self.assertEqual(done.status, 0, done.err)
        run = self.read_run(path)
        self.assertEqual(run["status"], "complete")
        for result in run["results"]:
            if result["verdict"] == "ok":
                self.assertEqual("counters" in result, result["benchmark"] != "map", result["key"])
        # Then the hits of each cache end where the map says that the cache ends.
        codes = [finding["code"] for finding in run["findings"]]
        self.assertNotIn("claim-differs", codes)
        self.assertEqual([finding["value"] for finding in run["findings"]
                          if finding["code"] == "hits-end"], [1] * len(given["levels"]))

    def test_a_counted_visit_gives_no_time(self):
        plain, _ = self.run_model("v100")
        counted, _ = self.run_model("v100", "--counters")
        for one, other in zip(plain["results"], counted["results"]):
            self.assertEqual(one["key"], other["key"])
            # A case may end after another number of rounds, but no round has a sample more.
            for metric, same in zip(one["metrics"], other["metrics"]):
                self.assertEqual(metric["n"] / len(metric["rounds"]),
                                 same["n"] / len(same["rounds"]))
            self.assertNotIn("counters", one)

    def test_tables_show_what_was_counted_beside_the_claim(self):
        _, done = self.run_model("v100", "--counters", "--tables")
        self.assertRegex(done.out, r"hardware counters\n.*l1_requests +L1\n")
        self.assertIn("% claimed", done.out)

    def test_a_native_counter_is_counted_by_its_name(self):
        run, _ = self.run_model("v100", "--counters", "--native", "l2_read")
        for result in run["results"]:
            counters = counters_of(result)
            if counters:
                self.assertEqual(counters["native:l2_read"]["counted"],
                                 counters["l2_read"]["counted"])


class Without(Case):
    def test_an_api_without_counters_is_measured_with_a_remark(self):
        path = self.path("run.json")
        done = fathom.run("run", "latency", "--preset", "quick", "-d", "vulkan:0", "--set",
                          "path=vector", "--set", "bytes=16KiB", "--counters", "-o", path,
                          binary=REAL)
        if done.status == 3:
            self.skipTest("no Vulkan device here")
        self.assertEqual(done.status, 0, done.err)
        self.assertEqual(done.err.count("counters were not read"), 1)
        self.assertIn("VK_KHR_performance_query", done.err)
        with open(path, encoding="utf-8") as file:
            run = json.load(file)
        self.assertEqual([finding["code"] for finding in run["findings"]].count("uncounted"), 1)
        self.assertNotIn("counters", run["results"][0])

    def test_a_native_counter_that_the_device_lacks_is_named(self):
        run, done = self.run_model("v100", "--counters", "--native", "no_such")
        self.assertIn("no counter no_such", done.err)
        self.assertTrue(all("counters" not in result for result in run["results"]))

    def test_devices_says_why_there_are_none(self):
        done = fathom.run("devices", "--counters")
        self.assertEqual(done.status, 0, done.err)
        self.assertEqual(done.out.count("no counters: fathom reads hardware counters through CUDA"),
                         len(json.loads(fathom.run("devices", "--json").out)["devices"]))
        devices = json.loads(fathom.run("devices", "--counters", "--json").out)["devices"]
        for device in devices:
            self.assertEqual(device["counters"], {})
            self.assertIn("through CUDA", device["no_counters"])

    def test_native_counters_need_the_option(self):
        done = fathom.run("run", "latency", "--native", "l2_read")
        self.assertEqual(done.status, 2)
        self.assertIn("--native needs --counters", done.err)


class Vulkan(Case):
    """The first Vulkan device (here a CPU) with VK_KHR_performance_query from a layer, whose
    counters are multiples of the workgroups of a dispatch."""

    def setUp(self):
        super().setUp()
        self.variables = {"VK_LAYER_PATH": LAYERS, "VK_INSTANCE_LAYERS": "VK_LAYER_FATHOM_counters",
                          "FATHOM_LAYER_LOG": self.path("complaints")}
        devices = json.loads(fathom.run("devices", "--json", binary=REAL, **self.variables).out)
        if not any(device["api"] == "vulkan" for device in devices["devices"]):
            self.skipTest("no Vulkan device here")

    def tearDown(self):
        # The layer writes to this file whatever the specification forbids.
        if os.path.exists(self.path("complaints")):
            with open(self.path("complaints"), encoding="utf-8") as file:
                self.fail(file.read())

    def run_vulkan(self, *arguments, **variables):
        path = self.path("run.json")
        done = fathom.run("run", "bandwidth", "--preset", "quick", "-d", "vulkan:0", "--seed", "5",
                          "--set", "op=read", "--set", "path=shared", "-o", path, *arguments,
                          binary=REAL, **self.variables, **variables)
        self.assertEqual(done.status, 0, done.err)
        run = self.read_run(path)
        self.assertTrue(run["results"])
        return run, done

    def test_devices_lists_what_the_driver_offers(self):
        done = fathom.run("devices", "--counters", "--json", binary=REAL, **self.variables)
        vulkan, = (device for device in json.loads(done.out)["devices"]
                   if device["id"] == "vulkan:0")
        self.assertEqual(vulkan["counters"]["dram_read"], "VRAM read size")
        self.assertEqual(vulkan["counters"]["l1_requests"], "VMEM Load Instructions")
        self.assertIn("L2 cache hit ratio", vulkan["native_counters"])
        self.assertNotIn("GPU Time Elapsed", vulkan["native_counters"])  # a time is no count
        self.assertIsNone(vulkan["no_counters"])

    def test_the_names_are_those_that_radv_has(self):
        # RADV lists its counters even without hardware.
        icd = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json"
        if not os.path.exists(icd):
            self.skipTest("no RADV here")
        done = fathom.run("devices", "--counters", "--json", binary=REAL, VK_ICD_FILENAMES=icd,
                          RADV_FORCE_FAMILY="NAVI21")
        device, = (device for device in json.loads(done.out)["devices"]
                   if device["api"] == "vulkan")
        self.assertEqual(device["counters"], {"dram_read": "VRAM read size",
                                              "dram_written": "VRAM write size",
                                              "l1_requests": "VMEM Load Instructions",
                                              "instructions": "Instructions"})

    def test_a_run_counts_in_as_many_passes_as_the_driver_needs(self):
        run, _ = self.run_vulkan("--counters", "--native", "Groups", "--native",
                                 "L2 cache hit ratio")
        for result in run["results"]:
            counters = counters_of(result)
            groups = counters["native:Groups"]["counted"]
            self.assertGreater(groups, 0)
            # Each counter comes in another storage type.
            self.assertEqual(counters["dram_read"]["counted"], 1000 * groups)
            self.assertEqual(counters["dram_written"]["counted"], 500 * groups)
            self.assertEqual(counters["instructions"]["counted"], 100 * groups)
            self.assertEqual(counters["l1_requests"]["counted"], 10 * groups)
            self.assertEqual(counters["native:L2 cache hit ratio"]["counted"], 87.5)
            self.assertEqual({counter["passes"] for counter in counters.values()}, {2})
            self.assertEqual(counters["dram_read"]["unit"], "B")

    def test_a_benchmark_whose_work_is_not_counted_is_named(self):
        path = self.path("run.json")
        # Given several cases of launch, but not one-way, which a run on a busy host skips.
        done = fathom.run("run", "launch", "latency", "--preset", "quick", "-d", "vulkan:0", "--seed",
                          "5", "--set", "launch.work=empty", "--set", "launch.mode=batch,submit",
                          "--set", "latency.path=vector", "--set", "latency.bytes=16KiB",
                          "--counters", "-o", path, binary=REAL, **self.variables)
        self.assertEqual(done.status, 0, done.err)
        why = "vulkan:0: fathom reads no counters of benchmarks: launch"
        self.assertIn(why + "\n", done.err)
        run = self.read_run(path)
        self.assertEqual([why], [finding["text"] for finding in run["findings"]
                                 if finding["code"] == "uncounted"])
        self.assertEqual({"latency"}, {result["benchmark"] for result in run["results"]
                                       if "counters" in result})

    def test_a_refused_lock_is_a_remark_with_the_remedy(self):
        listed = fathom.run("devices", "--counters", binary=REAL, FATHOM_LAYER_LOCK="no",
                            **self.variables)
        self.assertIn("no counters: the driver refuses the profiling lock: end the other program",
                      listed.out)
        run, done = self.run_vulkan("--counters", FATHOM_LAYER_LOCK="no")
        self.assertEqual(done.err.count("counters were not read"), 1)
        self.assertEqual([finding["code"] for finding in run["findings"]].count("uncounted"), 1)
        self.assertTrue(all("counters" not in result for result in run["results"]))

    def test_a_call_that_fails_leaves_the_times(self):
        for call in ("vkCreateQueryPool", "vkGetQueryPoolResults",
                     "vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR"):
            with self.subTest(call=call):
                run, _ = self.run_vulkan("--counters", FATHOM_LAYER_FAIL=call)
                for result in run["results"]:
                    self.assertNotIn("counters", result)
                    self.assertNotIn(result["verdict"], ("failed", "skipped"))
                    self.assertTrue(any(call in reason["text"] for reason in result["reasons"]))


class Documented(unittest.TestCase):
    def test_the_table_of_names_is_that_of_the_source(self):
        source = (fathom.ROOT / "src/gpu/counters.h").read_text(encoding="utf-8")
        names = re.findall(r'X\([A-Z0-9_]+, "(\w+)"', source)
        self.assertGreater(len(names), 20)
        table = (fathom.ROOT / "docs/COUNTERS.md").read_text(encoding="utf-8")
        self.assertEqual(names, re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))


if __name__ == "__main__":
    unittest.main()
