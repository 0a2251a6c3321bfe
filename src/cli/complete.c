// SPDX-License-Identifier: MIT
#include "bench/bench.h"
#include "cli/help.h"
#include "gpu/backend.h"

#include <string.h>

// ---------------------------------------------------------------- words of the command line

// Writes the names of the APIs, then "all". Leaves out "model", because only -d model:FILE chooses
// it.
static void write_apis(FILE *out)
{
    for (size_t i = 0; gpu_backends[i]; i++)
        if (strcmp(gpu_backends[i]->name, "model") != 0)
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
            fprintf(out, "%s%s", shown++ ? " " : "", command_table[i].name);
}

// Writes the words that the shell offers for an argument of this kind. `shown` is the list of
// presets. The shell itself completes file names.
static void write_words(FILE *out, enum word_kind kind, const char *shown)
{
    switch (kind) {
    case WORD_BENCHMARK:
        for (size_t i = 0; benchmarks[i]; i++)
            fprintf(out, "%s%s", i ? " " : "", benchmarks[i]->info.name);
        break;
    case WORD_DEVICE:
    case WORD_API:
        write_apis(out);
        break;
    case WORD_PRESET:
        write_choices(out, shown);
        break;
    case WORD_COMMAND:
        write_commands(out);
        break;
    case WORD_ANY:
    case WORD_FILE:
    case WORD_SETTING: // no words here: functions such as bash_functions complete settings
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

// ---------------------------------------------------------------- keys and values of --set

// Writes each word of a list such as "a|b|c" in single quotes, but not FILE (any file name).
static void write_quoted(FILE *out, const char *list)
{
    while (*list) {
        size_t length = strcspn(list, "|");
        if (length != 4 || strncmp(list, "FILE", 4) != 0)
            fprintf(out, " '%.*s'", (int)length, list);
        list += length + (list[length] == '|');
    }
}

// Parts of a shell function that prints the words for its first argument, in one shell's syntax.
struct switch_form {
    const char *function, *begin, *choice, *end_choice, *end;
};

static const struct switch_form posix_switch = {.function = "",
                                                .begin = "()\n{\n    case $1 in\n",
                                                .choice = "    %s%s%s) printf '%%s\\n'",
                                                .end_choice = " ;;\n",
                                                .end = "    esac\n}\n"};
static const struct switch_form fish_switch = {.function = "function ",
                                               .begin = "\n    switch \"$argv[1]\"\n",
                                               .choice =
                                                   "    case '%s%s%s'\n        printf '%%s\\n'",
                                               .end_choice = "\n",
                                               .end = "    end\nend\n"};

// Returns true if --set accepts the parameter. If the benchmark has its own command, --set accepts
// only `clock`.
static bool is_settable(const struct benchmark *benchmark, const struct param_info *param)
{
    return !benchmark->command || strcmp(param->key, "clock") == 0;
}

// Writes the shell functions NAME_keys, which prints the parameters of a benchmark ("path=" …), and
// NAME_values, which prints the choices of a parameter such as "latency.path".
static void write_settings(FILE *out, const char *name, const struct switch_form *form)
{
    fprintf(out, "%s%s_keys%s", form->function, name, form->begin);
    for (size_t i = 0; benchmarks[i]; i++) {
        const struct benchmark_info *info = &benchmarks[i]->info;
        fprintf(out, form->choice, info->name, "", "");
        for (size_t k = 0; k < info->param_count; k++)
            if (is_settable(benchmarks[i], &info->params[k]))
                fprintf(out, " '%s='", info->params[k].key);
        fputs(form->end_choice, out);
    }
    fprintf(out, "%s%s%s_values%s", form->end, form->function, name, form->begin);
    for (size_t i = 0; benchmarks[i]; i++) {
        const struct benchmark_info *info = &benchmarks[i]->info;
        for (size_t k = 0; k < info->param_count; k++) {
            if (!info->params[k].choices || !is_settable(benchmarks[i], &info->params[k]))
                continue;
            fprintf(out, form->choice, info->name, ".", info->params[k].key);
            write_quoted(out, info->params[k].choices);
            fputs(form->end_choice, out);
        }
    }
    fputs(form->end, out);
}

// ---------------------------------------------------------------- completion for bash

// bash functions that complete settings (--set) and the files of -d model:FILE. bash splits
// `path=scalar` into three words. _fathom_offer adds completions after what the user typed before
// the value, such as "vector,".
static const char bash_functions[] =
    "_fathom_offer()\n"
    "{\n"
    "    local line\n"
    "    while read -r line; do\n"
    "        [[ $line == \"$word\"* ]] && COMPREPLY+=(\"$before$(printf %q \"$line\")\")\n"
    "    done\n"
    "}\n"
    "_fathom_set()\n"
    "{\n"
    "    local i=$((COMP_CWORD - 1)) one chosen= key=\n"
    "    [[ $word == = ]] && word= key=${COMP_WORDS[i]} i=$((i - 1))\n"
    "    [[ ${COMP_WORDS[i]} == = ]] && key=${COMP_WORDS[i - 1]} i=$((i - 2))\n"
    "    [[ ${COMP_WORDS[i]} == --set ]] || return 1\n"
    "    for one in \"${COMP_WORDS[@]}\"; do\n"
    "        [[ -n $(_fathom_keys \"$one\") ]] && chosen+=\" $one\"\n"
    "    done\n"
    "    if [[ $word == *,* ]]; then\n"
    "        before=${word%,*},\n"
    "        word=${word##*,}\n"
    "    elif [[ -z $key && $word == *.* ]]; then\n"
    "        before=${word%%.*}. chosen=${word%%.*}\n"
    "        word=${word#*.}\n"
    "    fi\n"
    "    if [[ $key == *.* ]]; then\n"
    "        _fathom_offer < <(_fathom_values \"$key\")\n"
    "        return 0\n"
    "    fi\n"
    "    for one in ${chosen:-$fathom_benchmarks}; do\n"
    "        [[ -n $key ]] && _fathom_offer < <(_fathom_values \"$one.$key\")\n"
    "        [[ -n $key ]] || _fathom_offer < <(_fathom_keys \"$one\")\n"
    "    done\n"
    "    [[ -n $key ]] || compopt -o nospace 2> /dev/null\n"
    "    return 0\n"
    "}\n"
    "_fathom_model()\n"
    "{\n"
    "    local i=$((COMP_CWORD - 1))\n"
    "    [[ $word == : ]] && word= i=$((i + 1))\n"
    "    [[ ${COMP_WORDS[i]} == : && ${COMP_WORDS[i - 1]} == model ]] || return 1\n"
    "    compopt -o filenames 2> /dev/null\n"
    "    COMPREPLY=($(compgen -d -- \"$word\") $(compgen -f -X '!*.json' -- \"$word\"))\n"
    "}\n";

// Returns true if an earlier option has the same name. Then bash needs no further entry.
static bool is_named_before(const struct option_info *option)
{
    for (const struct option_info *other = option_table; other < option; other++)
        if (strcmp(other->name, option->name) == 0)
            return true;
    return false;
}

static void write_bash_argument(FILE *out, const struct option_info *option)
{
    if (!option->argument || option->optional || option->hidden || option->kind == WORD_SETTING ||
        is_named_before(option))
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
        fputs(option->kind == WORD_DEVICE ? " model:' -- \"$word\"))" : "' -- \"$word\"))", out);
    }
    fputs("; return ;;\n", out);
}

static void generate_bash(FILE *out)
{
    fputs("# bash completion of fathom, made by `fathom --generate bash`\n", out);
    write_settings(out, "_fathom", &posix_switch);
    fprintf(out, "%s_fathom()\n{\n    local fathom_benchmarks='", bash_functions);
    write_words(out, WORD_BENCHMARK, "");
    fputs("'\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before= words files\n"
          "    COMPREPLY=()\n    _fathom_set || _fathom_model && return\n"
          "    case ${COMP_WORDS[COMP_CWORD-1]} in\n",
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

// ---------------------------------------------------------------- completion for zsh

// Writes text inside single quotes for zsh, with a backslash before the syntax of _arguments.
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

// zsh functions that complete settings and model files. zsh splits words only at blanks.
static const char zsh_functions[] =
    "_fathom_set()\n"
    "{\n"
    "    local one key; local -a chosen\n"
    "    for one in $words; do [[ -n $(_fathom_keys $one) ]] && chosen+=($one); done\n"
    "    (( $#chosen )) || chosen=($fathom_benchmarks)\n"
    "    if compset -P 1 '*='; then\n"
    "        key=${${IPREFIX%=}##*=}\n"
    "        compset -P '*,'\n"
    "        [[ $key == *.* ]] && chosen=(${key%%.*}) key=${key#*.}\n"
    "        for one in $chosen; do compadd -- ${(f)\"$(_fathom_values $one.$key)\"}; done\n"
    "    else\n"
    "        if compset -P 1 '*.'; then chosen=(${${IPREFIX%.}##*=})\n"
    "        else compadd -S . -- $chosen; fi\n"
    "        for one in $chosen; do compadd -S '' -- $(_fathom_keys $one); done\n"
    "    fi\n"
    "}\n"
    "_fathom_device()\n"
    "{\n"
    "    if compset -P 'model:'; then _files -g '*.json'; else\n"
    "        compadd -S '' -- model:\n"
    "        compadd \"$@\"\n"
    "    fi\n"
    "}\n";

static void write_zsh_action(FILE *out, enum word_kind kind, const char *shown)
{
    if (kind == WORD_FILE || kind == WORD_SETTING) {
        fputs(kind == WORD_FILE ? "_files" : "_fathom_set", out);
        return;
    }
    if (kind == WORD_DEVICE) {
        fputs("_fathom_device ", out);
        write_words(out, kind, shown);
        return;
    }
    fputc('(', out);
    write_words(out, kind, shown);
    fputc(')', out);
}

// Writes the zsh completion of an option's letter ("-d") or of its long name ("--device").
static void write_zsh_option(FILE *out, const struct option_info *option, bool letter)
{
    fprintf(out, " \\\n            '%s", option->repeated ? "*" : "");
    if (letter)
        fprintf(out, "-%c%s[", option->letter, option->argument ? "+" : "");
    else
        fprintf(out, "--%s%s[", option->name,
                option->optional   ? "=-"
                : option->argument ? "="
                                   : "");
    zsh_quoted(out, option->help);
    fputc(']', out);
    if (option->argument) {
        fputs(option->optional ? "::" : ":", out);
        zsh_quoted(out, option->argument);
        fputc(':', out);
        write_zsh_action(out, option->kind, option->argument);
    }
    fputc('\'', out);
}

static void write_zsh_command(FILE *out, unsigned id)
{
    const struct command_info *command = &command_table[id];
    fprintf(out, "    %s)\n        shift words; (( CURRENT-- ))\n        _arguments",
            command->name);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (!is_offered(&option_table[i], id))
            continue;
        write_zsh_option(out, &option_table[i], false);
        if (option_table[i].letter)
            write_zsh_option(out, &option_table[i], true);
    }
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

static void generate_zsh(FILE *out)
{
    fputs("#compdef fathom\n# zsh completion of fathom, made by `fathom --generate zsh`\n", out);
    write_settings(out, "_fathom", &posix_switch);
    fprintf(out, "%s_fathom()\n{\n    local -a fathom_benchmarks=(", zsh_functions);
    write_words(out, WORD_BENCHMARK, "");
    fputs(")\n    if (( CURRENT == 2 )); then\n        compadd -- ", out);
    write_commands(out);
    fputc(' ', out);
    write_flags(out, COMMAND_COUNT);
    fputs("\n        return\n    fi\n    case $words[2] in\n", out);
    for (unsigned id = 0; id < COMMAND_COUNT; id++)
        if (!command_table[id].hidden)
            write_zsh_command(out, id);
    fputs("    esac\n}\n_fathom \"$@\"\n", out);
}

// ---------------------------------------------------------------- completion for fish

static void fish_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++)
        fprintf(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('\'', out);
}

// fish functions that complete settings and model files. For fish, "path=scalar" is one word.
static const char fish_functions[] =
    "function __fathom_set\n"
    "    set -l token (commandline -ct)\n"
    "    set -l chosen\n"
    "    for one in (commandline -opc)\n"
    "        test -n \"$(__fathom_keys $one)\"; and set -a chosen $one\n"
    "    end\n"
    "    test -n \"$chosen\"; or set chosen $argv\n"
    "    set -l key (string match -r '^[^=]*(?==)' -- $token)\n"
    "    set -l before (string match -r '^.*[=,]' -- $token)\n"
    "    if string match -q '*.*' -- $key[1]\n"
    "        printf '%s\\n' $before(__fathom_values $key)\n"
    "    else if set -q key[1]\n"
    "        for one in $chosen; printf '%s\\n' $before(__fathom_values $one.$key); end\n"
    "    else\n"
    "        for one in $chosen; __fathom_keys $one; printf '%s\\n' $one.(__fathom_keys $one); "
    "end\n"
    "    end\n"
    "end\n"
    "function __fathom_model\n"
    "    set -l start (string match -r '^model:(.*)' -- (commandline -ct))[2]\n"
    "    printf '%s\\n' model: model:(__fish_complete_suffix \"$start\" .json | string match -r "
    "'.*(?:\\.json|/)$')\n"
    "end\n";

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
        fputs(option->optional ? "" : " -r -F", out);
    } else if (option->argument) {
        fputs(" -x -a '", out);
        if (option->kind == WORD_SETTING) {
            fputs("(__fathom_set ", out);
            write_words(out, WORD_BENCHMARK, "");
            fputc(')', out);
        }
        write_words(out, option->kind, option->argument);
        fputs(option->kind == WORD_DEVICE ? " (__fathom_model)'" : "'", out);
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

// Writes the fish completions of a command's options; COMMAND_COUNT means `fathom` alone.
static void write_fish_options(FILE *out, unsigned command)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (is_offered(&option_table[i], command))
            write_fish_option(out, command, &option_table[i]);
}

static void generate_fish(FILE *out)
{
    fputs("# fish completion of fathom, made by `fathom --generate fish`\n", out);
    write_settings(out, "__fathom", &fish_switch);
    fprintf(out, "%scomplete -c fathom -f\n", fish_functions);
    for (unsigned id = 0; id < COMMAND_COUNT; id++) {
        const struct command_info *command = &command_table[id];
        if (command->hidden)
            continue;
        fprintf(out, "complete -c fathom -n __fish_use_subcommand -a %s -d ", command->name);
        fish_quoted(out, command->summary);
        fputc('\n', out);
        write_fish_options(out, id);
        write_fish_operands(out, command);
    }
    write_fish_options(out, COMMAND_COUNT);
}

// ---------------------------------------------------------------- choosing what to generate

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
