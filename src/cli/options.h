// SPDX-License-Identifier: MIT
// Parses command lines according to the table of commands and options (cli/table.h). -d X, -dX,
// --device X and --device=X mean the same. Options and operands may be mixed. All words after --
// are operands.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/arena.h"
#include "cli/table.h"

struct option_use {
    enum option_id option;
    const char *value; // value; "": the option takes none; "-": an optional value was not given
};

struct options {
    enum command_id command; // the command; COMMAND_COUNT if none was given
    struct option_use *uses; // uses of options, in the order of the command line
    size_t use_count, use_capacity;
    const char **operands;
    size_t operand_count, operand_capacity;
};

// Parses argv, which must live as long as `options`. Fails with ERROR_USAGE for an unknown command
// or option (the message suggests the nearest one), a missing or unexpected value, or too many
// operands.
MUST_CHECK bool options_parse(struct arena *arena, int argc, char **argv, struct options *options,
                              struct error *err);

bool options_has(const struct options *options, enum option_id option);

// Returns the value of the first use of an option: "" if the option takes no value, NULL if the
// option was not given.
const char *options_value(const struct options *options, enum option_id option);

// Sets *values to the values of all uses of an option, in the order of the command line, in
// `arena`. Returns their number.
size_t options_values(struct arena *arena, const struct options *options, enum option_id option,
                      const char ***values);

// Returns the words of the command line as a run file records them. File names lose their folders,
// which may be private: the program's name, values of options of kind WORD_FILE, the file of a
// device model:FILE, and values of --set that end in ".json". The words live in `arena` or in argv,
// which must be the argv that was parsed.
char **options_recorded(struct arena *arena, int argc, char **argv, const struct options *options);

#endif
