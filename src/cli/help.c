// SPDX-License-Identifier: MIT
#include "cli/help.h"

#include <string.h>

enum {
    WIDTH = 80,
    HELP_COLUMN = 26,
    EXAMPLE_COLUMN = 6
};

const char *const help_exit_statuses[] = {
    "0\tmeasured; the summary counts suspect and skipped cases",
    "1\ta case failed (with --strict also: is suspect or was skipped), or a case or card is slow",
    "2\tbad usage, a bad input file, or an output that cannot be written",
    "3\tno usable device, or no case was measured",
    "4\tcheck found a broken card",
    "5\tcheck cannot judge a card, and found none slow or broken",
    "130\tinterrupted; the run file holds all results so far",
    NULL,
};

// Returns the number of characters in `bytes` bytes of UTF-8. Counts all bytes except the
// continuation bytes of a character.
static size_t columns(const char *text, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

static void new_line(FILE *out, size_t indent, size_t *column)
{
    fprintf(out, "\n%*s", (int)indent, "");
    *column = indent;
}

void help_wrap(FILE *out, const char *text, size_t indent, size_t column)
{
    if (column < indent) {
        fprintf(out, "%*s", (int)(indent - column), "");
        column = indent;
    } else if (column > 0 && column >= indent) {
        new_line(out, indent, &column);
    }
    while (*text) {
        size_t bytes = strcspn(text, " \n");
        size_t wide = columns(text, bytes);
        if (column > indent && column + 1 + wide > WIDTH)
            new_line(out, indent, &column);
        fprintf(out, "%s%.*s", column > indent ? " " : "", (int)bytes, text);
        column += wide + (column > indent);
        text += bytes;
        if (*text == '\n')
            new_line(out, indent, &column);
        text += *text != '\0';
    }
    fputc('\n', out);
}

// Prints the names of an option and its argument, for example "-d, --device DEVICE" or
// "--markdown[=FILE]".
static void write_option_name(FILE *out, const struct option_info *option)
{
    if (option->letter)
        fprintf(out, "-%c, ", option->letter);
    fprintf(out, "--%s", option->name);
    if (option->argument)
        fprintf(out, option->optional ? "[=%s]" : " %s", option->argument);
}

static size_t option_columns(const struct option_info *option)
{
    size_t wide = (option->letter ? 6u : 2u) + strlen(option->name);
    // "[=]" around an optional argument has 3 columns; the blank before another argument has 1
    size_t around = option->optional ? 3 : 1;
    return option->argument ? wide + around + columns(option->argument, strlen(option->argument))
                            : wide;
}

static void write_options(FILE *out, enum command_id command)
{
    fprintf(out, "\nOptions:\n");
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_info *option = &option_table[i];
        if (option->hidden || !(option->commands & 1u << command))
            continue;
        fprintf(out, "  ");
        write_option_name(out, option);
        help_wrap(out, option->help, HELP_COLUMN, 2 + option_columns(option));
    }
}

static void write_examples(FILE *out, const struct command_info *command)
{
    if (command->examples[0])
        fprintf(out, "\nExamples:\n");
    for (const char *const *example = command->examples; *example; example++) {
        int bytes = (int)strcspn(*example, "\t");
        fprintf(out, "  %.*s", bytes, *example);
        help_wrap(out, *example + bytes + 1, EXAMPLE_COLUMN, 2 + (size_t)bytes);
    }
}

static void write_program(FILE *out)
{
    help_wrap(out, PROGRAM_SUMMARY, 0, 0);
    fprintf(out, "\nUsage: fathom COMMAND [OPTION…]\n\nCommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const struct command_info *command = &command_table[i];
        if (command->hidden)
            continue;
        fprintf(out, "  %s", command->name);
        help_wrap(out, command->summary, 12, 2 + strlen(command->name));
    }
    write_options(out, COMMAND_COUNT);
    fprintf(out, "\nExit status:\n");
    for (size_t i = 0; help_exit_statuses[i]; i++) {
        int digits = (int)strcspn(help_exit_statuses[i], "\t");
        fprintf(out, "  %.*s", digits, help_exit_statuses[i]);
        help_wrap(out, help_exit_statuses[i] + digits + 1, 6, 2 + (size_t)digits);
    }
    fprintf(out, "\n`fathom COMMAND --help` explains a command.\n");
}

void help_write(FILE *out, enum command_id id)
{
    if (id == COMMAND_COUNT) {
        write_program(out);
        return;
    }
    const struct command_info *command = &command_table[id];
    fprintf(out, "Usage: fathom %s%s%s [OPTION…]\n\n", command->name, *command->operands ? " " : "",
            command->operands);
    help_wrap(out, command->detail, 0, 0);
    write_options(out, id);
    write_examples(out, command);
}
