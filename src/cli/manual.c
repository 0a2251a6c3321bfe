// SPDX-License-Identifier: MIT
#include "base/version.h"
#include "cli/help.h"

#include <string.h>

// Writes text for roff, with escapes. Without them, a dot or an apostrophe at the beginning of a
// line would be a request, a backslash an escape, and a minus a hyphen.
static void roff(FILE *out, const char *text)
{
    bool line_begins = true;
    for (; *text; text++) {
        if (line_begins && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\t') // in an example, a tab separates the command from its description
            fputc('\n', out);
        else if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\n')
            fputs("\n.PP\n", out);
        else
            fputc(*text, out);
        line_begins = *text == '\n';
    }
}

static void write_option(FILE *out, const struct option_info *option)
{
    fputs(".TP\n.B ", out);
    if (option->letter)
        fprintf(out, "\\-%c\\fR, \\fB", option->letter);
    fputs("\\-\\-", out);
    roff(out, option->name);
    if (option->argument) {
        fputs(option->optional ? "\\fR[=\\fI" : " \\fI", out);
        roff(out, option->argument);
        fputs(option->optional ? "\\fR]" : "\\fR", out);
    }
    fputc('\n', out);
    roff(out, option->help);
    fputs(".\n", out);
}

static void write_options(FILE *out, unsigned command)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (!option_table[i].hidden && option_table[i].commands & 1u << command &&
            (i != OPTION_HELP || command == COMMAND_COUNT))
            write_option(out, &option_table[i]);
}

static void write_command(FILE *out, unsigned id)
{
    const struct command_info *command = &command_table[id];
    fputs(".SS \"fathom ", out);
    roff(out, command->name);
    if (command->operands)
        fprintf(out, " %s", command->operands);
    fputs(" [OPTION…]\"\n", out);
    roff(out, command->detail);
    fputc('\n', out);
    write_options(out, id);
}

static void write_examples(FILE *out)
{
    for (unsigned id = 0; id < COMMAND_COUNT; id++)
        for (size_t i = 0; !command_table[id].hidden && command_table[id].examples[i]; i++) {
            fputs(".TP\n.B ", out);
            roff(out, command_table[id].examples[i]);
            fputc('\n', out);
        }
}

void generate_manual(FILE *out)
{
    fprintf(out, ".TH FATHOM 1 \"\" \"fathom %s\" \"User Commands\"\n", fathom_version.version);
    fputs(".SH NAME\nfathom \\- measure what a GPU really does\n", out);
    fputs(".SH SYNOPSIS\n.B fathom\n.I COMMAND\n[OPTION…]\n", out);
    fputs(".SH DESCRIPTION\n", out);
    roff(out, PROGRAM_SUMMARY);
    fputs("\n.SH COMMANDS\n", out);
    for (unsigned id = 0; id < COMMAND_COUNT; id++)
        if (!command_table[id].hidden)
            write_command(out, id);
    fputs(".SH OPTIONS\n", out);
    write_options(out, COMMAND_COUNT);
    fputs(".SH EXAMPLES\n", out);
    write_examples(out);
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; help_exit_statuses[i]; i++) {
        const char *tab = strchr(help_exit_statuses[i], '\t');
        fprintf(out, ".TP\n.B %.*s\n", (int)(tab - help_exit_statuses[i]), help_exit_statuses[i]);
        roff(out, tab + 1);
        fputs(".\n", out);
    }
    fputs(".SH ENVIRONMENT\n.TP\n.B FATHOM_VALIDATION\n1 turns the API's own validation on; a "
          "case for which it reports an error fails.\n"
          ".TP\n.B FATHOM_REFERENCE\nA folder of reference runs with its index.json, which "
          "compare \\-\\-reference reads instead of the installed one.\n",
          out);
}
