// SPDX-License-Identifier: MIT
// Command lines, parsed by the table. -d X, -dX, --device X and --device=X are the same; options
// and operands mix; after -- there are only operands.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/arena.h"
#include "cli/table.h"

struct option_use {
    enum option_id option;
    const char *value; // "" for a flag
};

struct options {
    enum command_id command; // COMMAND_COUNT: none was given
    struct option_use *uses; // in the order given
    size_t use_count, use_capacity;
    const char **operands;
    size_t operand_count, operand_capacity;
};

// argv as main() gets it; strings stay argv's. ERROR_USAGE where it is not of the table's grammar,
// with the nearest right word.
MUST_CHECK bool options_parse(struct arena *arena, int argc, char **argv, struct options *options,
                              struct error *err);

bool options_has(const struct options *options, enum option_id option);

// The value of an option, NULL where it was not given.
const char *options_value(const struct options *options, enum option_id option);

// All values of a repeated option, in order, in `arena`.
size_t options_values(struct arena *arena, const struct options *options, enum option_id option,
                      const char ***values);

#endif
