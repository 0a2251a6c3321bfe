// SPDX-License-Identifier: MIT
#include "cli/help.h"

#include "report/screen.h"

#include <stdarg.h>
#include <string.h>

enum {
    WIDTH = 80,
    HELP_COLUMN = 26,
    PAIR_COLUMN = 6
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

void help_text(FILE *out, const char *text)
{
    help_entry(out, 0, text, "%s", "");
}

void help_entry(FILE *out, size_t indent, const char *text, const char *label, ...)
{
    struct screen screen;
    va_list args;
    screen_init(&screen, false, WIDTH);
    va_start(args, label);
    const char *shown = arena_vprintf(screen.arena, label, args);
    va_end(args);
    screen_left(&screen, shown, indent);
    if (indent > 0 && screen_width(shown) >= indent)
        fprintf(screen.stream, "\n%*s", (int)indent, "");
    do {
        size_t bytes = strcspn(text, "\n");
        screen_wrap(&screen, arena_printf(screen.arena, "%.*s", (int)bytes, text), indent, indent);
        text += bytes + (text[bytes] == '\n');
        fprintf(screen.stream, "%*s", *text ? (int)indent : 0, "");
    } while (*text);
    screen_finish(&screen, out);
}

// Prints an option, for example "-d, --device DEVICE" or "--markdown[=FILE]", and its help.
static void write_option(FILE *out, const struct option_info *option)
{
    const char *argument = option->argument ? option->argument : "";
    const char *before = option->optional ? "[=" : *argument ? " " : "";
    char letter[] = "-x, ";
    letter[1] = option->letter;
    help_entry(out, HELP_COLUMN, option->help, "  %s--%s%s%s%s", option->letter ? letter : "",
               option->name, before, argument, option->optional ? "]" : "");
}

static void write_options(FILE *out, enum command_id command)
{
    fprintf(out, "\nOptions:\n");
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (!option_table[i].hidden && option_table[i].commands & 1u << command)
            write_option(out, &option_table[i]);
}

// Prints a text of the form "LABEL\tTEXT": the label, and the text beside it.
static void write_pair(FILE *out, const char *pair)
{
    int bytes = (int)strcspn(pair, "\t");
    help_entry(out, PAIR_COLUMN, pair + bytes + 1, "  %.*s", bytes, pair);
}

static void write_examples(FILE *out, const struct command_info *command)
{
    if (command->examples[0])
        fprintf(out, "\nExamples:\n");
    for (const char *const *example = command->examples; *example; example++)
        write_pair(out, *example);
}

static void write_program(FILE *out)
{
    help_text(out, PROGRAM_SUMMARY);
    fprintf(out, "\nUsage: fathom COMMAND [OPTION…]\n\nCommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const struct command_info *command = &command_table[i];
        if (!command->hidden)
            help_entry(out, 12, command->summary, "  %s", command->name);
    }
    write_options(out, COMMAND_COUNT);
    fprintf(out, "\nExit status:\n");
    for (size_t i = 0; help_exit_statuses[i]; i++)
        write_pair(out, help_exit_statuses[i]);
    fprintf(out, "\n`fathom COMMAND --help` explains a command.\n");
}

void help_write(FILE *out, enum command_id id)
{
    if (id == COMMAND_COUNT) {
        write_program(out);
        return;
    }
    const struct command_info *command = &command_table[id];
    fprintf(out, "Usage: fathom %s%s%s [OPTION…]\n\n", command->name, command->operands ? " " : "",
            command->operands ? command->operands : "");
    help_text(out, command->detail);
    write_options(out, id);
    write_examples(out, command);
}
