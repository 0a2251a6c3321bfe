// SPDX-License-Identifier: MIT
#include "cli/options.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/bench.h"

#include <string.h>

struct parser {
    struct arena *arena;
    char **argv;
    int argc, at;
    struct options *options;
    struct error *err;
};

static unsigned command_bit(const struct options *options)
{
    return 1u << options->command; // command bit; COMMAND_PROGRAM if there is no command
}

bool options_has(const struct options *options, enum option_id option)
{
    return options_value(options, option) != NULL;
}

const char *options_value(const struct options *options, enum option_id option)
{
    for (size_t i = 0; i < options->use_count; i++)
        if (options->uses[i].option == option)
            return options->uses[i].value;
    return NULL;
}

size_t options_values(struct arena *arena, const struct options *options, enum option_id option,
                      const char ***values)
{
    size_t count = 0;
    *values = ARENA_ARRAY(arena, options->use_count, const char *);
    for (size_t i = 0; i < options->use_count; i++)
        if (options->uses[i].option == option)
            (*values)[count++] = options->uses[i].value;
    return count;
}

bool options_number(const struct options *options, enum option_id option, uint64_t least,
                    uint64_t most, uint64_t *value, struct error *err)
{
    const char *text = options_value(options, option);
    if (!text || (text_parse_uint(text, value) && *value >= least && *value <= most))
        return true;
    return error_set(err, ERROR_USAGE, "--%s %s: expected a whole number from %llu to %llu",
                     option_table[option].name, text, (unsigned long long)least,
                     (unsigned long long)most);
}

bool options_seconds(const struct options *options, enum option_id option, uint64_t *ns,
                     struct error *err)
{
    uint64_t seconds = 0;
    bool right = options_number(options, option, 1, 86400, &seconds, err);
    *ns = seconds * NS_PER_S;
    return right;
}

// ---------------------------------------------------------------- parsing options

// Fails because of an unknown option: `dashes` ("-" or "--") and `typed`. Suggests the nearest one.
static bool refuse_option(struct parser *p, const char *dashes, const char *typed)
{
    struct text_guess guess = {.typed = typed};
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (!option_table[i].hidden && option_table[i].commands & command_bit(p->options))
            text_guess_offer(&guess, option_table[i].name);
    const char *hint =
        guess.best ? arena_printf(p->arena, "; did you mean '--%s'?", guess.best) : "";
    if (p->options->command == COMMAND_COUNT)
        return error_set(p->err, ERROR_USAGE,
                         "no option '%s%s' before a command%s (--help shows all)", dashes, typed,
                         hint);
    return error_set(p->err, ERROR_USAGE, "%s: no option '%s%s'%s (--help shows all)",
                     command_table[p->options->command].name, dashes, typed, hint);
}

static bool use(struct parser *p, enum option_id id, const char *value)
{
    struct options *o = p->options;
    if (!option_table[id].repeated && options_has(o, id))
        return error_set(p->err, ERROR_USAGE, "--%s: given twice: give it once",
                         option_table[id].name);
    o->uses = arena_grow(p->arena, o->uses, o->use_count, &o->use_capacity, sizeof *o->uses);
    o->uses[o->use_count++] = (struct option_use){.option = id, .value = value};
    return true;
}

// Adds a use of the option. Its value is `attached`, the value in the same word (--NAME=VALUE,
// -dVALUE). If `attached` is NULL, an optional value is "-"; any other value is the next word,
// unless that word begins with "--".
static bool use_with_argument(struct parser *p, enum option_id id, const char *attached)
{
    const struct option_info *option = &option_table[id];
    if (!option->argument) {
        if (attached)
            return error_set(p->err, ERROR_USAGE, "--%s takes no value: remove '%s'", option->name,
                             attached);
        return use(p, id, "");
    }
    if (!attached && option->optional)
        attached = "-";
    if (!attached && p->at + 1 < p->argc && strncmp(p->argv[p->at + 1], "--", 2) != 0)
        attached = p->argv[++p->at];
    if (!attached || !*attached)
        return error_set(p->err, ERROR_USAGE, "--%s: the value is missing: --%s %s", option->name,
                         option->name, option->argument);
    return use(p, id, attached);
}

static bool parse_long(struct parser *p, const char *word)
{
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    for (unsigned id = 0; id < OPTION_COUNT; id++) {
        const struct option_info *option = &option_table[id];
        if (strlen(option->name) == length && strncmp(option->name, word, length) == 0 &&
            option->commands & command_bit(p->options))
            return use_with_argument(p, (enum option_id)id, equals ? equals + 1 : NULL);
    }
    char *name = arena_strdup(p->arena, word);
    name[length] = '\0';
    return refuse_option(p, "--", name);
}

static bool parse_short(struct parser *p, const char *word)
{
    for (unsigned id = 0; id < OPTION_COUNT; id++) {
        const struct option_info *option = &option_table[id];
        // The letter of an option without a value must end the word: "-quiet" is not "-q".
        bool whole = option->argument || word[1] == '\0';
        if (option->letter != *word || !whole || !(option->commands & command_bit(p->options)))
            continue;
        if (word[1] == '=')
            return error_set(p->err, ERROR_USAGE, "-%s: no '=' after a letter: -%c %s or --%s%s",
                             word, *word, word + 2, option->name, word + 1);
        return use_with_argument(p, (enum option_id)id, word[1] ? word + 1 : NULL);
    }
    return refuse_option(p, "-", word);
}

// ---------------------------------------------------------------- parsing words

static bool parse_command(struct parser *p, const char *word)
{
    struct text_guess guess = {.typed = word};
    for (unsigned id = 0; id < COMMAND_COUNT; id++) {
        if (strcmp(command_table[id].name, word) == 0) {
            p->options->command = (enum command_id)id;
            return true;
        }
        if (!command_table[id].hidden)
            text_guess_offer(&guess, command_table[id].name);
    }
    if (benchmark_find(word))
        return error_set(p->err, ERROR_USAGE, "no command '%s': try `fathom run %s`", word, word);
    if (text_ends(word, ".json") || text_ends(word, ".json.gz"))
        return error_set(p->err, ERROR_USAGE, "no command '%s': try `fathom show %s`", word, word);
    return error_set(p->err, ERROR_USAGE, "no command '%s'%s (`fathom --help` shows all)", word,
                     text_guess_hint(p->arena, &guess));
}

static bool parse_operand(struct parser *p, const char *word)
{
    struct options *o = p->options;
    if (o->command == COMMAND_COUNT)
        return parse_command(p, word);
    if (o->operand_count >= command_table[o->command].operand_max)
        return error_set(p->err, ERROR_USAGE,
                         "%s: '%s' is one operand too many (`fathom %s --help` shows the usage)",
                         command_table[o->command].name, word, command_table[o->command].name);
    o->operands = arena_grow(p->arena, o->operands, o->operand_count, &o->operand_capacity,
                             sizeof *o->operands);
    o->operands[o->operand_count++] = word;
    return true;
}

static bool parse_word(struct parser *p, const char *word, bool *only_operands)
{
    if (*only_operands || word[0] != '-' || word[1] == '\0')
        return parse_operand(p, word);
    if (strcmp(word, "--") == 0) {
        *only_operands = true;
        return true;
    }
    return word[1] == '-' ? parse_long(p, word + 2) : parse_short(p, word + 1);
}

bool options_parse(struct arena *arena, int argc, char **argv, struct options *options,
                   struct error *err)
{
    *options = (struct options){.command = COMMAND_COUNT};
    struct parser parser = {
        .arena = arena, .argv = argv, .argc = argc, .options = options, .err = err};
    bool only_operands = false;
    for (parser.at = 1; parser.at < argc; parser.at++)
        if (!parse_word(&parser, argv[parser.at], &only_operands))
            return false;
    return true;
}

// ---------------------------------------------------------------- the command line in run files

const char *options_file(const struct option_use *use)
{
    static const char model[] = "model:";
    const char *equals = strchr(use->value, '=');
    if (option_table[use->option].kind == WORD_FILE)
        return use->value;
    if (option_table[use->option].kind == WORD_DEVICE && text_begins(use->value, model))
        return use->value + strlen(model);
    if (use->option == OPTION_SET && equals && text_ends(equals, ".json"))
        return equals + 1;
    return NULL;
}

// Returns `word` without the folders of the file name at its end, which begins at `file`.
static char *without_folders(struct arena *arena, const char *word, const char *file)
{
    return arena_printf(arena, "%.*s%s", (int)(file - word), word, text_file_name(file));
}

char **options_recorded(struct arena *arena, int argc, char **argv, const struct options *options)
{
    char **words = ARENA_ARRAY(arena, (size_t)argc, char *);
    for (int i = 0; i < argc; i++)
        words[i] = i == 0 ? without_folders(arena, argv[0], argv[0]) : argv[i];
    for (size_t u = 0; u < options->use_count; u++) {
        const char *file = options_file(&options->uses[u]);
        for (int i = 1; i < argc && file; i++)
            // changes only the word that contains this file name
            if (file >= argv[i] && file <= argv[i] + strlen(argv[i]))
                words[i] = without_folders(arena, argv[i], file);
    }
    return words;
}
