// SPDX-License-Identifier: MIT
#include "cli/table.h"

#include "bench/choices.h"

#define EVERY (~0u) // the set of all commands, for options that every command takes

const struct option_info option_table[OPTION_COUNT] = {
    [OPTION_HELP] =
        {
            .letter = 'h',
            .name = "help",
            .help = "Show this help",
            .commands = EVERY,
        },
    [OPTION_VERSION] =
        {
            .letter = 'V',
            .name = "version",
            .help = "Show which fathom this is",
            .commands = COMMAND_PROGRAM,
        },
    [OPTION_GENERATE] =
        {
            .name = "generate",
            .argument = "WHAT",
            .help = "Write the man page (man) or a completion (bash, zsh, fish)",
            .commands = COMMAND_PROGRAM,
            .hidden = true,
        },
    [OPTION_JSON] =
        {
            .name = "json",
            .help = "Write JSON instead of tables; of run, map and check: the run file; of show: "
                    "the cards",
            .commands = COMMAND_BIT(DEVICES) | COMMAND_BIT(LIST) | COMMAND_BIT(RUN) |
                        COMMAND_BIT(MAP) | COMMAND_BIT(SHOW) | COMMAND_BIT(COMPARE) |
                        COMMAND_BIT(CHECK) | COMMAND_BIT(FLEET),
        },
    [OPTION_DEVICE] =
        {
            .letter = 'd',
            .name = "device",
            .argument = "DEVICE",
            .kind = WORD_DEVICE,
            .help = "Measure on this device; repeat it for several. model:FILE is simulated",
            .commands = COMMAND_BIT(RUN) | COMMAND_BIT(MAP) | COMMAND_BIT(WORKER) |
                        COMMAND_BIT(BESIDE) | COMMAND_BIT(CHECK) | COMMAND_BIT(CHECK_DEVICE) |
                        COMMAND_BIT(SERVE) | COMMAND_BIT(COUNTERS),
            .repeated = true,
        },
    [OPTION_API] =
        {
            .name = "api",
            .argument = "API",
            .kind = WORD_API,
            .help = "Use only this API; all: each device through every API that reaches it",
            .commands = COMMAND_BIT(RUN) | COMMAND_BIT(MAP) | COMMAND_BIT(CHECK),
        },
    [OPTION_PRESET] =
        {
            .name = "preset",
            .argument = PRESET_NAMES,
            .kind = WORD_PRESET,
            .help = "How thorough: seconds, minutes, or as long as it takes (" PRESET_DEFAULT
                    " by default)",
            .commands = COMMAND_BIT(RUN),
        },
    [OPTION_SET] =
        {
            .name = "set",
            .argument = "[BENCHMARK.]KEY=VALUE[,VALUE…]",
            .kind = WORD_SETTING,
            .help = "Choose values of a parameter instead of the preset's (map: clock alone)",
            .commands = COMMAND_BIT(RUN) | COMMAND_BIT(MAP),
            .repeated = true,
        },
    [OPTION_OUTPUT] =
        {
            .letter = 'o',
            .name = "output",
            .argument = "RUN.json",
            .kind = WORD_FILE,
            .endings = "json,gz",
            .help = "Write the run file, all along the run; gzipped if it is named RUN.json.gz",
            .commands = COMMAND_BIT(RUN) | COMMAND_BIT(MAP),
        },
    [OPTION_REPORT_OUTPUT] =
        {
            .letter = 'o',
            .name = "output",
            .argument = "REPORT.html",
            .kind = WORD_FILE,
            .endings = "html,htm",
            .help = "Write the page to this file",
            .commands = COMMAND_BIT(REPORT),
        },
    [OPTION_SHARE_OUTPUT] =
        {
            .letter = 'o',
            .name = "output",
            .argument = "FILE",
            .kind = WORD_FILE,
            .endings = "json,gz",
            .help = "Write the run file here; gzipped if it is named FILE.gz",
            .commands = COMMAND_BIT(SHARE),
        },
    [OPTION_CHECK_OUTPUT] =
        {
            .letter = 'o',
            .name = "output",
            .argument = "FILE",
            .kind = WORD_FILE,
            .endings = "json,gz",
            .help = "Write the run file here; %h becomes the host, %r the rank",
            .commands = COMMAND_BIT(CHECK),
        },
    [OPTION_QUICK] =
        {
            .name = "quick",
            .help = "Take 5 seconds: fewer figures",
            .commands = COMMAND_BIT(CHECK) | COMMAND_BIT(CHECK_DEVICE),
        },
    [OPTION_EXPECT] =
        {
            .name = "expect",
            .argument = "RUN.json",
            .kind = WORD_FILE,
            .help = "Compare with this check or run instead of the references; repeat it for "
                    "several cards",
            .commands = COMMAND_BIT(CHECK),
            .repeated = true,
        },
    [OPTION_EXPECT_COUNT] =
        {
            .name = "expect-count",
            .argument = "NUMBER",
            .help = "So many devices must be there: those missing are broken",
            .commands = COMMAND_BIT(CHECK),
        },
    [OPTION_PROMETHEUS] =
        {
            .name = "prometheus",
            .argument = "FILE",
            .kind = WORD_FILE,
            .endings = "prom",
            .help = "Write metrics for a textfile collector",
            .commands = COMMAND_BIT(CHECK),
        },
    [OPTION_SOAK] =
        {
            .name = "soak",
            .argument = "SECONDS",
            .help = "Measure for so long before the check, so that the cards are hot",
            .commands = COMMAND_BIT(CHECK) | COMMAND_BIT(CHECK_DEVICE),
        },
    [OPTION_TOGETHER] =
        {
            .name = "together",
            .help = "Measure as one of several devices of a check",
            .commands = COMMAND_BIT(CHECK_DEVICE) | COMMAND_BIT(WORKER),
            .hidden = true,
        },
    [OPTION_LOCAL_RANK] =
        {
            .name = "local-rank",
            .help = "Check only the card of this process's local rank",
            .commands = COMMAND_BIT(CHECK),
        },
    [OPTION_GROUP] =
        {
            .name = "group",
            .argument = "PATTERN",
            .help = "Group machines by this part of their names (an extended regular expression; "
                    "its first parentheses) instead of by racks",
            .commands = COMMAND_BIT(FLEET),
        },
    [OPTION_CSV] =
        {
            .name = "csv",
            .argument = "FILE",
            .kind = WORD_FILE,
            .endings = "csv",
            .help = "Write one line for each metric of each case (of fleet: of each card)",
            .commands = COMMAND_BIT(RUN) | COMMAND_BIT(MAP) | COMMAND_BIT(SHOW) |
                        COMMAND_BIT(REPORT) | COMMAND_BIT(FLEET),
        },
    [OPTION_HTML] =
        {
            .name = "html",
            .argument = "FILE",
            .kind = WORD_FILE,
            .endings = "html,htm",
            .help = "Draw the run as an HTML page (see report), or the fleet",
            .commands =
                COMMAND_BIT(RUN) | COMMAND_BIT(MAP) | COMMAND_BIT(SHOW) | COMMAND_BIT(FLEET),
        },
    [OPTION_TRACE] =
        {
            .name = "trace",
            .argument = "FILE",
            .kind = WORD_FILE,
            .endings = "json",
            .help = "Write the time lines as a trace for Perfetto (ui.perfetto.dev)",
            .commands = COMMAND_BIT(RUN) | COMMAND_BIT(SHOW) | COMMAND_BIT(REPORT),
        },
    [OPTION_SVG] =
        {
            .name = "svg",
            .argument = "FILE",
            .kind = WORD_FILE,
            .endings = "svg",
            .help = "Draw the key figures, a chart of each benchmark and the time lines as an SVG",
            .commands = COMMAND_BIT(RUN) | COMMAND_BIT(SHOW) | COMMAND_BIT(REPORT),
        },
    [OPTION_TABLES] =
        {
            .name = "tables",
            .help = "Print every table of a benchmark as soon as it is measured, and all findings",
            .commands = COMMAND_BIT(RUN),
        },
    [OPTION_STRICT] =
        {
            .name = "strict",
            .help = "Suspect and skipped cases make the exit status 1; of compare: slower cases "
                    "that are suspect",
            .commands = COMMAND_BIT(RUN) | COMMAND_BIT(MAP) | COMMAND_BIT(COMPARE),
        },
    [OPTION_QUIET] =
        {
            .letter = 'q',
            .name = "quiet",
            .help = "Print neither tables nor progress: only errors, and the files asked for",
            .commands =
                COMMAND_BIT(RUN) | COMMAND_BIT(MAP) | COMMAND_BIT(SHOW) | COMMAND_BIT(CHECK),
        },
    [OPTION_NO_ISOLATE] =
        {
            .name = "no-isolate",
            .help = "Measure in this process, for debuggers and sanitizers",
            .commands = COMMAND_BIT(RUN) | COMMAND_BIT(MAP),
        },
    [OPTION_WAIT_IDLE] =
        {
            .name = "wait-idle",
            .argument = "SECONDS",
            .help = "Wait at most so long until no other work runs on the device, then measure",
            .commands = COMMAND_BIT(RUN) | COMMAND_BIT(MAP),
        },
    [OPTION_COUNTERS] =
        {
            .name = "counters",
            .help = "Hardware counters: `run` and `map` also count what each case moves and "
                    "computes, `devices` lists the counters",
            .commands = COMMAND_BIT(RUN) | COMMAND_BIT(MAP) | COMMAND_BIT(DEVICES),
        },
    [OPTION_NATIVE] =
        {
            .name = "native",
            .argument = "COUNTER",
            .help = "With --counters: count this counter as well: one of fathom's, such as "
                    "stall_memory, or one of the vendor's, as `devices --counters --json` "
                    "names it; repeat it for several",
            .commands = COMMAND_BIT(RUN) | COMMAND_BIT(MAP),
            .repeated = true,
        },
    [OPTION_REFERENCE] =
        {
            .name = "reference",
            .help = "Compare with the committed run of this model of GPU",
            .commands = COMMAND_BIT(COMPARE),
        },
    [OPTION_THRESHOLD] =
        {
            .name = "threshold",
            .argument = "SHARE",
            .help = "Changes below this do not count (2% by default)",
            .commands = COMMAND_BIT(COMPARE),
        },
    [OPTION_ACROSS] =
        {
            .name = "across",
            .help = "Compare other devices, versions and methods as well",
            .commands = COMMAND_BIT(COMPARE),
        },
    [OPTION_ALL] =
        {
            .name = "all",
            .help = "List also what is unsure, added or gone, and every row of long lists",
            .commands = COMMAND_BIT(COMPARE),
        },
    [OPTION_MARKDOWN] =
        {
            .name = "markdown",
            .help = "Write Markdown instead of tables",
            .commands = COMMAND_BIT(COMPARE),
        },
    [OPTION_CARD_MARKDOWN] =
        {
            .name = "markdown",
            .argument = "FILE",
            .kind = WORD_FILE,
            .endings = "md",
            .optional = true,
            .help = "Write the card as a Markdown table, to the standard output or to FILE",
            .commands = COMMAND_BIT(SHOW) | COMMAND_BIT(REPORT),
        },
    [OPTION_SEED] =
        {
            .name = "seed",
            .argument = "NUMBER",
            .help = "Seed of the order of visits",
            .commands = COMMAND_BIT(RUN) | COMMAND_BIT(MAP),
            .hidden = true,
        },
    [OPTION_PORT] =
        {
            .name = "port",
            .argument = "NUMBER",
            .help = "Listen at this port of 127.0.0.1; any free one by default",
            .commands = COMMAND_BIT(SERVE),
        },
    [OPTION_OPEN] =
        {
            .name = "open",
            .help = "Open the page in the browser",
            .commands = COMMAND_BIT(SERVE),
        },
    [OPTION_SILENCE] =
        {
            .name = "silence-limit",
            .argument = "SECONDS",
            .help = "End a process that has been silent for this long",
            .commands = COMMAND_BIT(DEVICES) | COMMAND_BIT(RUN) | COMMAND_BIT(MAP) |
                        COMMAND_BIT(CHECK) | COMMAND_BIT(SERVE),
            .hidden = true,
        },
};
