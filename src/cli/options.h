// SPDX-License-Identifier: MIT
// Parses command lines according to the table of commands and options (cli/table.h). -d X, -dX,
// --device X and --device=X mean the same. Options and operands may be mixed. All words after --
// are operands.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/arena.h"
#include "cli/table.h"

#include <stdint.h>

struct option_use {
    enum option_id option;
    // value; "" if the option takes no value, "-" if an optional value is missing
    const char *value;
};

struct options {
    enum command_id command; // id of the command; COMMAND_COUNT if the command line has none
    struct option_use *uses; // options that were used, in the order of the command line
    size_t use_count, use_capacity;
    const char **operands;
    size_t operand_count, operand_capacity;
};

// Parses argv, which must live as long as `options`. Fails with ERROR_USAGE for an unknown command
// or option (the message suggests a similar name, if there is one), an option that may be given
// only once but is given twice, a missing or forbidden value, or too many operands.
MUST_CHECK bool options_parse(struct arena *arena, int argc, char **argv, struct options *options,
                              struct error *err);

bool options_has(const struct options *options, enum option_id option);

// Returns the value of an option, the first one if the option was given several times. Returns ""
// if the option takes no value, and NULL if the option was not given.
const char *options_value(const struct options *options, enum option_id option);

// Sets *values to an array of all values that were given for an option, in the order of the command
// line. The array lives in `arena`. Returns the number of values.
size_t options_values(struct arena *arena, const struct options *options, enum option_id option,
                      const char ***values);

// Sets *value to the option's value, a whole number from `least` to `most`. If the option was not
// given, leaves *value unchanged. Fails with ERROR_USAGE if the value is wrong.
MUST_CHECK bool options_number(const struct options *options, enum option_id option, uint64_t least,
                               uint64_t most, uint64_t *value, struct error *err);

// Sets *ns to the option's value in ns. The user gives it in seconds, from one second to a day.
// Sets *ns to 0 if the option was not given. Fails with ERROR_USAGE if the value is wrong.
MUST_CHECK bool options_seconds(const struct options *options, enum option_id option, uint64_t *ns,
                                struct error *err);

// Returns the start of the file name in the value of a used option, as in "model:FILE"; NULL if the
// value names no file.
const char *options_file(const struct option_use *use);

// Returns the words of the command line for the run file, in `arena` or in argv. Folders are
// removed from file names, because their names may be private: the program's name, values of
// options of kind WORD_FILE, FILE in model:FILE, and values of --set that end in ".json". `argv`
// must be the array that options_parse parsed.
char **options_recorded(struct arena *arena, int argc, char **argv, const struct options *options);

#endif
