// SPDX-License-Identifier: MIT
// The table of all commands and options. The parser, --help, the manual page and the shell
// completions use it. A new option needs an id here, an entry in cli/table_options.c, and code that
// reads its value.
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum command_id {
    COMMAND_DEVICES,
    COMMAND_LIST,
    COMMAND_RUN,
    COMMAND_MAP,
    COMMAND_SHOW,
    COMMAND_REPORT,
    COMMAND_COMPARE,
    COMMAND_SHARE,
    COMMAND_CHECK,
    COMMAND_FLEET,
    COMMAND_SERVE,
    COMMAND_HELP,
    COMMAND_ENUMERATE,
    COMMAND_WORKER,
    COMMAND_BESIDE,
    COMMAND_GUARD,
    COMMAND_COUNTERS,
    COMMAND_CHECK_DEVICE,
    COMMAND_COUNT
};

// The kind of a word on the command line. It decides which words the shell completions offer.
enum word_kind {
    WORD_ANY, // any word, or no word: the completions offer nothing
    WORD_FILE,
    WORD_BENCHMARK,
    WORD_DEVICE,
    WORD_API,
    WORD_PRESET,
    WORD_COMMAND,
    WORD_SETTING, // a setting for --set: [BENCHMARK.]KEY=VALUES
};

struct command_info {
    const char *name;
    const char *operands; // operands as the help shows them, "[BENCHMARK…]"; NULL if the command
                          // takes no operands
    enum word_kind operand_kind;
    size_t operand_max;  // maximum number of operands; SIZE_MAX if there is no limit
    const char *summary; // one line that describes the command in `fathom --help`
    const char *detail;  // paragraphs for `fathom COMMAND --help` and the man page
    // examples, each a command, a tab and what the command does; the list ends with NULL
    const char *examples[5];
    bool hidden; // true if only fathom itself and tests use the command; the help then omits it
};

enum option_id {
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_GENERATE,
    OPTION_JSON,
    OPTION_DEVICE,
    OPTION_API,
    OPTION_PRESET,
    OPTION_SET,
    OPTION_OUTPUT,
    OPTION_REPORT_OUTPUT, // option --output of the command `report`
    OPTION_SHARE_OUTPUT,  // option --output of the command `share`
    OPTION_CHECK_OUTPUT,  // option --output of the command `check`
    OPTION_QUICK,
    OPTION_EXPECT,
    OPTION_EXPECT_COUNT,
    OPTION_PROMETHEUS,
    OPTION_SOAK,
    OPTION_TOGETHER,
    OPTION_LOCAL_RANK,
    OPTION_GROUP,
    OPTION_CSV,
    OPTION_HTML,
    OPTION_TRACE,
    OPTION_SVG,
    OPTION_TABLES,
    OPTION_STRICT,
    OPTION_QUIET,
    OPTION_NO_ISOLATE,
    OPTION_WAIT_IDLE,
    OPTION_COUNTERS,
    OPTION_NATIVE,
    OPTION_REFERENCE,
    OPTION_THRESHOLD,
    OPTION_ACROSS,
    OPTION_ALL,
    OPTION_MARKDOWN,
    OPTION_CARD_MARKDOWN, // option --markdown of the commands `show` and `report`
    OPTION_SEED,
    OPTION_PORT,
    OPTION_OPEN,
    OPTION_SILENCE,
    OPTION_COUNT
};

// A set of commands is the sum of COMMAND_BIT for each of its commands. COMMAND_PROGRAM is the bit
// of a command line without a command.
#define COMMAND_BIT(name) (1u << COMMAND_##name)
#define COMMAND_PROGRAM   (1u << COMMAND_COUNT) // bit of a command line without a command

struct option_info {
    char letter;      // letter of the option: 'd' for "-d"; 0 if it has no letter
    const char *name; // long name of the option, without dashes
    // name of the option's argument in the help: "DEVICE"; NULL if the option takes no argument
    const char *argument;
    enum word_kind kind;
    // True if the option's value is optional. --NAME alone has the value "-"; any other value must
    // be typed as --NAME=VALUE.
    bool optional;
    // endings of the names of the files that the option writes: "json,gz"; NULL if it writes no
    // file
    const char *endings;
    const char *help;  // help text of the option: one sentence
    unsigned commands; // set of the commands that take this option
    bool repeated;     // true if the option may be given more than once
    bool hidden;       // true if the help, the man page and the completions omit the option
};

// all commands, indexed by enum command_id
extern const struct command_info command_table[COMMAND_COUNT];
// all options, indexed by enum option_id
extern const struct option_info option_table[OPTION_COUNT];

#endif
