// SPDX-License-Identifier: MIT
#include "bench/bench.h"
#include "cli/generate.h"
#include "cli/table.h"
#include "gpu/backend.h"

#include <string.h>

// ---------------------------------------------------------------- words, one after another

static void write_word(FILE *out, const char *before, const char *word)
{
    fprintf(out, "%s%s", before, word);
}

// Writes the names of the APIs and "all". For --api the model is left out: its devices exist only
// as -d model:FILE.
static void write_apis(FILE *out, enum word_kind kind)
{
    for (size_t i = 0; gpu_backends[i]; i++)
        if (kind == WORD_DEVICE || strcmp(gpu_backends[i]->name, "model") != 0)
            fprintf(out, "%s ", gpu_backends[i]->name);
    fputs("all", out);
}

static void write_choices(FILE *out, const char *choices)
{
    for (; *choices; choices++)
        fputc(*choices == '|' ? ' ' : *choices, out);
}

static void write_commands(FILE *out)
{
    for (size_t i = 0, shown = 0; i < COMMAND_COUNT; i++)
        if (!command_table[i].hidden)
            write_word(out, shown++ ? " " : "", command_table[i].name);
}

// Writes the words that an argument of this kind may be; `shown` is the text that the help shows
// for it. Files are not listed: the shell completes them itself.
static void write_words(FILE *out, enum word_kind kind, const char *shown)
{
    switch (kind) {
    case WORD_BENCHMARK:
        for (size_t i = 0; benchmarks[i]; i++)
            write_word(out, i ? " " : "", benchmarks[i]->info.name);
        break;
    case WORD_DEVICE:
    case WORD_API:
        write_apis(out, kind);
        break;
    case WORD_PRESET:
        write_choices(out, shown);
        break;
    case WORD_COMMAND:
        write_commands(out);
        break;
    case WORD_NONE:
    case WORD_ANY:
    case WORD_FILE:
        break;
    }
}

static bool is_offered(const struct option_info *option, unsigned command)
{
    return !option->hidden && option->commands & 1u << command;
}

static void write_flags(FILE *out, unsigned command)
{
    for (size_t i = 0, shown = 0; i < OPTION_COUNT; i++)
        if (is_offered(&option_table[i], command))
            fprintf(out, "%s--%s", shown++ ? " " : "", option_table[i].name);
}

// ---------------------------------------------------------------- bash

// True if the table has an earlier option of the same name: bash cannot tell the two apart.
static bool is_named_before(const struct option_info *option)
{
    for (const struct option_info *other = option_table; other < option; other++)
        if (strcmp(other->name, option->name) == 0)
            return true;
    return false;
}

static void write_bash_argument(FILE *out, const struct option_info *option)
{
    if (!option->argument || option->hidden || is_named_before(option))
        return;
    fputs("    ", out);
    if (option->letter)
        fprintf(out, "-%c|", option->letter);
    fprintf(out, "--%s) ", option->name);
    if (option->kind == WORD_FILE) {
        fputs("COMPREPLY=($(compgen -f -- \"$word\"))", out);
    } else {
        fputs("COMPREPLY=($(compgen -W '", out);
        write_words(out, option->kind, option->argument);
        fputs("' -- \"$word\"))", out);
    }
    fputs("; return ;;\n", out);
}

void generate_bash(FILE *out)
{
    fputs("# bash completion of fathom, made by `fathom --generate bash`\n_fathom()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words "
          "files\n"
          "    COMPREPLY=()\n    case $before in\n",
          out);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        write_bash_argument(out, &option_table[i]);
    fputs("    esac\n    case ${COMP_WORDS[1]} in\n", out);
    for (unsigned id = 0; id < COMMAND_COUNT; id++) {
        if (command_table[id].hidden)
            continue;
        fprintf(out, "    %s) words='", command_table[id].name);
        write_flags(out, id);
        fputc(' ', out);
        write_words(out, command_table[id].operand_kind, "");
        fprintf(out, "'%s ;;\n", command_table[id].operand_kind == WORD_FILE ? " files=-f" : "");
    }
    fputs("    *) words='", out);
    write_commands(out);
    fputc(' ', out);
    write_flags(out, COMMAND_COUNT);
    fputs("' ;;\n    esac\n    COMPREPLY=($(compgen $files -W \"$words\" -- \"$word\"))\n}\n"
          "complete -F _fathom fathom\n",
          out);
}

// ---------------------------------------------------------------- zsh

// Writes text inside single quotes for zsh, with a backslash before characters that _arguments
// treats as syntax.
static void zsh_quoted(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:", *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

static void write_zsh_action(FILE *out, enum word_kind kind, const char *shown)
{
    if (kind == WORD_FILE) {
        fputs("_files", out);
        return;
    }
    fputc('(', out);
    write_words(out, kind, shown);
    fputc(')', out);
}

static void write_zsh_option(FILE *out, const struct option_info *option)
{
    fprintf(out, " \\\n            '%s--%s%s[", option->repeated ? "*" : "", option->name,
            option->argument ? "=" : "");
    zsh_quoted(out, option->help);
    fputc(']', out);
    if (option->argument) {
        fputc(':', out);
        zsh_quoted(out, option->argument);
        fputc(':', out);
        write_zsh_action(out, option->kind, option->argument);
    }
    fputc('\'', out);
}

void generate_zsh(FILE *out)
{
    fputs(
        "#compdef fathom\n# zsh completion of fathom, made by `fathom --generate zsh`\n_fathom()\n"
        "{\n    if (( CURRENT == 2 )); then\n        compadd -- ",
        out);
    write_commands(out);
    fputc(' ', out);
    write_flags(out, COMMAND_COUNT);
    fputs("\n        return\n    fi\n    case $words[2] in\n", out);
    for (unsigned id = 0; id < COMMAND_COUNT; id++) {
        const struct command_info *command = &command_table[id];
        if (command->hidden)
            continue;
        fprintf(out, "    %s)\n        shift words; (( CURRENT-- ))\n        _arguments",
                command->name);
        for (size_t i = 0; i < OPTION_COUNT; i++)
            if (is_offered(&option_table[i], id))
                write_zsh_option(out, &option_table[i]);
        if (command->operand_max) {
            fprintf(out, " \\\n            '*:%s:",
                    command->operand_kind == WORD_FILE      ? "run file"
                    : command->operand_kind == WORD_COMMAND ? "command"
                                                            : "benchmark");
            write_zsh_action(out, command->operand_kind, "");
            fputc('\'', out);
        }
        fputs(" ;;\n", out);
    }
    fputs("    esac\n}\n_fathom \"$@\"\n", out);
}

// ---------------------------------------------------------------- fish

static void fish_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++)
        fprintf(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('\'', out);
}

static void write_fish_option(FILE *out, unsigned command, const struct option_info *option)
{
    fputs("complete -c fathom -n '", out);
    if (command == COMMAND_COUNT)
        fputs("__fish_use_subcommand", out);
    else
        fprintf(out, "__fish_seen_subcommand_from %s", command_table[command].name);
    fprintf(out, "' -l %s", option->name);
    if (option->letter)
        fprintf(out, " -s %c", option->letter);
    if (option->argument && option->kind == WORD_FILE) {
        fputs(" -r -F", out);
    } else if (option->argument) {
        fputs(" -x -a '", out);
        write_words(out, option->kind, option->argument);
        fputc('\'', out);
    }
    fputs(" -d ", out);
    fish_quoted(out, option->help);
    fputc('\n', out);
}

static void write_fish_operands(FILE *out, const struct command_info *command)
{
    if (!command->operand_max)
        return;
    fprintf(out, "complete -c fathom -n '__fish_seen_subcommand_from %s'", command->name);
    if (command->operand_kind == WORD_FILE) {
        fputs(" -F\n", out);
        return;
    }
    fputs(" -a '", out);
    write_words(out, command->operand_kind, "");
    fputs("'\n", out);
}

void generate_fish(FILE *out)
{
    fputs("# fish completion of fathom, made by `fathom --generate fish`\ncomplete -c fathom -f\n",
          out);
    for (unsigned id = 0; id <= COMMAND_COUNT; id++) {
        if (id < COMMAND_COUNT && command_table[id].hidden)
            continue;
        if (id < COMMAND_COUNT) {
            fprintf(out, "complete -c fathom -n __fish_use_subcommand -a %s -d ",
                    command_table[id].name);
            fish_quoted(out, command_table[id].summary);
            fputc('\n', out);
        }
        for (size_t i = 0; i < OPTION_COUNT; i++)
            if (is_offered(&option_table[i], id))
                write_fish_option(out, id, &option_table[i]);
        if (id < COMMAND_COUNT)
            write_fish_operands(out, &command_table[id]);
    }
}

// ---------------------------------------------------------------- choosing

bool generate_write(FILE *out, const char *what, struct error *err)
{
    static const struct {
        const char *name;
        void (*write)(FILE *);
    } writers[] = {{"man", generate_manual},
                   {"bash", generate_bash},
                   {"zsh", generate_zsh},
                   {"fish", generate_fish}};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        if (strcmp(writers[i].name, what) == 0) {
            writers[i].write(out);
            return true;
        }
    }
    return error_set(err, ERROR_USAGE, "--generate %s: expected man, bash, zsh or fish", what);
}
