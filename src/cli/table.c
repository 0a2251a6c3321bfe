// SPDX-License-Identifier: MIT
#include "cli/table.h"

#include "suite/choices.h"

#define EVERY                                                                                      \
    (COMMAND_PROGRAM | COMMAND_BIT(DEVICES) | COMMAND_BIT(LIST) | COMMAND_BIT(RUN) |               \
     COMMAND_BIT(MAP) | COMMAND_BIT(REPORT) | COMMAND_BIT(COMPARE))

const struct command_info command_table[COMMAND_COUNT] = {
    [COMMAND_DEVICES] =
        {
            .name = "devices",
            .operands = "",
            .summary = "Show the devices of every API, and why an API has none",
            .detail = "Lists what Vulkan, CUDA and OpenCL offer here, opening none of it. An API "
                      "without devices is shown with the reason and the remedy, and so is a GPU "
                      "that is in the machine but that no API reaches.",
        },
    [COMMAND_LIST] =
        {
            .name = "list",
            .operands = "[BENCHMARK]",
            .operand_kind = WORD_BENCHMARK,
            .operand_max = 1,
            .summary = "Show the benchmarks, their parameters and presets",
            .detail =
                "Without a name: every benchmark with one line about it. With a name: what it "
                "measures, its metrics, and each parameter with its values in every preset.",
        },
    [COMMAND_RUN] =
        {
            .name = "run",
            .operands = "[BENCHMARK…]",
            .operand_kind = WORD_BENCHMARK,
            .operand_max = 64,
            .summary = "Measure, show the results and write the run file",
            .detail =
                "Runs the benchmarks named, or all of them, on the best device or on those "
                "chosen with -d. Results go to the standard output, progress to the terminal, "
                "and with -o everything, with its provenance, to a file.\n"
                "DEVICE is an id (vulkan:0), an API (cuda), a part of a name, a UUID or all. "
                "By default a discrete GPU comes before an integrated one and that before a "
                "CPU, and Vulkan before CUDA before OpenCL.\n"
                "Values for --set: numbers or words, with commas between them; ranges A..B/N "
                "with N points an octave or A..B+S in steps of S; bytes as 32KiB, 4GiB or max. "
                "--set may be repeated; "
                "without a benchmark it is meant for all that have the key.\n"
                "Each device is measured in a process of its own, so that a crash or a hang "
                "of a driver costs one case and not the run.",
        },
    [COMMAND_MAP] =
        {
            .name = "map",
            .operands = "",
            .summary = "Find the memory hierarchy by measurement",
            .detail =
                "Measures latencies over sizes, coarse first and then where a level ends, and "
                "draws what it finds: how many caches there are, where each ends, its latency, "
                "bandwidth and line, what lies behind them, how far address translation "
                "reaches and how much code the core keeps, beside what the driver or the data "
                "sheet states. What cannot be told is "
                "called unknown, with the reason.\n"
                "The levels are results of a benchmark `map` in the run file, beside the "
                "latencies and bandwidths that they come from: report and compare take it like "
                "any other run.\n"
                "Which clock a level runs by shows where more than one was seen. --set "
                "clock=1200,1500,1980 has each level measured with the core clock locked to so "
                "many MHz, where the machine permits it (NVIDIA through NVML, AMD through sysfs; "
                "mostly for root). It refuses where anybody else uses the card, and gives the "
                "clock "
                "back on every way out. NVIDIA's driver does not tell a lock that was there "
                "before: that one is undone. Without it no clock is ever set.",
        },
    [COMMAND_REPORT] =
        {
            .name = "report",
            .operands = "RUN.json… -o REPORT.html",
            .operand_kind = WORD_FILE,
            .operand_max = 64,
            .summary = "Draw runs as one HTML page that can be mailed",
            .detail = "Writes one file that needs no network: the machine, charts and tables of "
                      "every benchmark, what was doubted and why, and where it all comes from. "
                      "Several runs stand side by side, in the same charts.",
        },
    [COMMAND_COMPARE] =
        {
            .name = "compare",
            .operands = "BASE.json NEW.json",
            .operand_kind = WORD_FILE,
            .operand_max = 2,
            .summary = "Tell what got faster or slower between two runs",
            .detail = "Compares the medians of equal cases and tells apart what changed by more "
                      "than the threshold, what did not, and what the intervals leave open. With "
                      "--reference NEW.json, BASE is the committed run of the same model of GPU.\n"
                      "The exit status is 1 where a case got slower or failed, so that a job can "
                      "stand on it.",
        },
    [COMMAND_BESIDE] =
        {
            .name = "__beside",
            .operands = "BENCHMARK",
            .operand_max = 1,
            .summary = "The second process of a benchmark that has one",
            .detail = "Started by that benchmark; reads orders from a socket, its standard input.",
            .hidden = true,
        },
    [COMMAND_GUARD] =
        {
            .name = "__guard",
            .operands = "",
            .summary = "Hold the lock on a core clock, and give it back",
            .detail = "Started by `fathom map --set clock=LIST`; reads orders from a socket, its "
                      "standard input, and gives the clock back when that closes.",
            .hidden = true,
        },
    [COMMAND_WORKER] =
        {
            .name = "__worker",
            .operands = "",
            .summary = "Measure what the parent process asks for",
            .detail = "Started by `fathom run`; reads requests from a socket, its standard input.",
            .hidden = true,
        },
};

const struct option_info option_table[OPTION_COUNT] = {
    [OPTION_HELP] = {'h', "help", NULL, WORD_NONE, "Show this help", EVERY, false, false},
    [OPTION_VERSION] = {0, "version", NULL, WORD_NONE, "Show which fathom this is", COMMAND_PROGRAM,
                        false, false},
    [OPTION_GENERATE] = {0, "generate", "WHAT", WORD_ANY,
                         "Write the man page (man) or a completion (bash, zsh, fish)",
                         COMMAND_PROGRAM, false, true},
    [OPTION_JSON] = {0, "json", NULL, WORD_NONE, "Write JSON instead of a table",
                     COMMAND_BIT(DEVICES) | COMMAND_BIT(LIST) | COMMAND_BIT(COMPARE), false, false},
    [OPTION_DEVICE] = {'d', "device", "DEVICE", WORD_DEVICE,
                       "Measure on this device; repeat it for several. model:FILE is simulated",
                       COMMAND_BIT(RUN) | COMMAND_BIT(MAP) | COMMAND_BIT(WORKER) |
                           COMMAND_BIT(BESIDE),
                       true, false},
    [OPTION_API] = {0, "api", "API", WORD_API,
                    "Use only this API; all: each device through every API that reaches it",
                    COMMAND_BIT(RUN) | COMMAND_BIT(MAP), false, false},
    [OPTION_PRESET] = {0, "preset", PRESET_NAMES, WORD_PRESET,
                       "How thorough: seconds, minutes, or as long as it takes (" PRESET_DEFAULT
                       " by default)",
                       COMMAND_BIT(RUN), false, false},
    [OPTION_SET] = {0, "set", "[BENCHMARK.]KEY=VALUE[,VALUE…]", WORD_ANY,
                    "Choose values of a parameter instead of the preset's (map: clock alone)",
                    COMMAND_BIT(RUN) | COMMAND_BIT(MAP), true, false},
    [OPTION_OUTPUT] = {'o', "output", "RUN.json", WORD_FILE,
                       "Write the run file, all along the run", COMMAND_BIT(RUN) | COMMAND_BIT(MAP),
                       false, false},
    [OPTION_REPORT_OUTPUT] = {'o', "output", "REPORT.html", WORD_FILE,
                              "Write the page to this file", COMMAND_BIT(REPORT), false, false},
    [OPTION_CSV] = {0, "csv", "FILE", WORD_FILE, "Write one line for each metric of each case",
                    COMMAND_BIT(RUN) | COMMAND_BIT(MAP), false, false},
    [OPTION_HTML] = {0, "html", "FILE", WORD_FILE, "Draw the run as an HTML page (see report)",
                     COMMAND_BIT(RUN) | COMMAND_BIT(MAP), false, false},
    [OPTION_TRACE] = {0, "trace", "FILE", WORD_FILE,
                      "Write the time lines as a trace for Perfetto (ui.perfetto.dev)",
                      COMMAND_BIT(RUN), false, false},
    [OPTION_SVG] = {0, "svg", "FILE", WORD_FILE, "Draw the time lines as an SVG", COMMAND_BIT(RUN),
                    false, false},
    [OPTION_STRICT] = {0, "strict", NULL, WORD_NONE,
                       "Suspect and skipped cases make the exit status 1",
                       COMMAND_BIT(RUN) | COMMAND_BIT(MAP), false, false},
    [OPTION_NO_ISOLATE] = {0, "no-isolate", NULL, WORD_NONE,
                           "Measure in this process, for debuggers and sanitizers",
                           COMMAND_BIT(RUN) | COMMAND_BIT(MAP), false, false},
    [OPTION_REFERENCE] = {0, "reference", NULL, WORD_NONE,
                          "Compare with the committed run of this model of GPU",
                          COMMAND_BIT(COMPARE), false, false},
    [OPTION_THRESHOLD] = {0, "threshold", "SHARE", WORD_ANY,
                          "Changes below this do not count (2% by default)", COMMAND_BIT(COMPARE),
                          false, false},
    [OPTION_ACROSS] = {0, "across", NULL, WORD_NONE,
                       "Compare other devices, versions and methods as well", COMMAND_BIT(COMPARE),
                       false, false},
    [OPTION_MARKDOWN] = {0, "markdown", NULL, WORD_NONE, "Write Markdown instead of tables",
                         COMMAND_BIT(COMPARE), false, false},
    [OPTION_SEED] = {0, "seed", "NUMBER", WORD_ANY, "Seed of the order of visits",
                     COMMAND_BIT(RUN) | COMMAND_BIT(MAP), false, true},
    [OPTION_SILENCE] = {0, "silence-limit", "SECONDS", WORD_ANY,
                        "End a worker that has been silent for this long",
                        COMMAND_BIT(RUN) | COMMAND_BIT(MAP), false, true},
};
