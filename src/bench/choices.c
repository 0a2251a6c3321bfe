// SPDX-License-Identifier: MIT
#include "bench/choices.h"

#include "base/text.h"
#include "bench/values.h"

#include <string.h>

enum {
    // Maximum number of combinations of the values that --set chooses for one benchmark.
    COMBINATIONS_MAX = 1 << 16
};

bool setting_parse(struct arena *arena, const char *text, struct setting *setting,
                   struct error *err)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || equals[1] == '\0')
        return error_set(err, ERROR_USAGE,
                         "--set %s: expected [BENCHMARK.]KEY=VALUE[,VALUE…], as in "
                         "latency.bytes=1KiB..1MiB/4",
                         text);
    char *name = arena_strdup(arena, text);
    name[equals - text] = '\0';
    size_t wrong = strcspn(name, ": \t");
    if (name[wrong])
        return error_set(err, ERROR_USAGE,
                         "--set '%s': '%c' after '%.*s': expected BENCHMARK.KEY=VALUE with a dot "
                         "and no blank, as in latency.path=vector",
                         text, name[wrong], (int)wrong, name);
    char *dot = strchr(name, '.');
    if (dot)
        *dot = '\0';
    *setting = (struct setting){
        .benchmark = dot ? name : NULL,
        .key = dot ? dot + 1 : name,
        .values = arena_strdup(arena, equals + 1),
        .text = arena_strdup(arena, text),
    };
    return true;
}

static bool is_meant(const struct setting *setting, const struct benchmark *benchmark)
{
    return !setting->benchmark || strcmp(setting->benchmark, benchmark->info.name) == 0;
}

static bool preset_check(struct arena *arena, const char *preset, struct error *err)
{
    static const char *const names[] = {"quick", "standard", "full"};
    struct text_guess guess = {.typed = preset};
    for (size_t i = 0; i < COUNT(names); i++) {
        if (strcmp(names[i], preset) == 0)
            return true;
        text_guess_offer(&guess, names[i]);
    }
    return error_set(err, ERROR_USAGE,
                     "--preset %s: no such preset; there are quick, standard and "
                     "full%s",
                     preset, text_guess_hint(arena, &guess));
}

static bool benchmark_check(struct arena *arena, const struct choice_request *request,
                            const struct setting *setting, struct error *err)
{
    struct text_guess guess = {.typed = setting->benchmark};
    for (size_t i = 0; i < request->benchmark_count; i++) {
        if (is_meant(setting, request->benchmarks[i]))
            return true;
        text_guess_offer(&guess, request->benchmarks[i]->info.name);
    }
    if (benchmark_find(setting->benchmark))
        return error_set(err, ERROR_USAGE,
                         "--set %s: benchmark '%s' is not in this run: name it "
                         "after `run`",
                         setting->text, setting->benchmark);
    return error_set(err, ERROR_USAGE, "--set %s: no benchmark '%s'%s (`fathom list` shows all)",
                     setting->text, setting->benchmark, text_guess_hint(arena, &guess));
}

static bool key_check(struct arena *arena, const struct choice_request *request,
                      const struct setting *setting, struct error *err)
{
    struct text_guess guess = {.typed = setting->key};
    for (size_t i = 0; i < request->benchmark_count; i++) {
        const struct benchmark *benchmark = request->benchmarks[i];
        if (!is_meant(setting, benchmark))
            continue;
        if (benchmark_param(&benchmark->info, setting->key))
            return true;
        for (size_t k = 0; k < benchmark->info.param_count; k++)
            text_guess_offer(&guess, benchmark->info.params[k].key);
    }
    return error_set(err, ERROR_USAGE,
                     "--set %s: no parameter '%s'%s%s (`fathom list BENCHMARK` "
                     "shows them)",
                     setting->text, setting->key, setting->benchmark ? " in that benchmark" : "",
                     text_guess_hint(arena, &guess));
}

bool choices_check(struct arena *arena, const struct choice_request *request, struct error *err)
{
    if (!preset_check(arena, request->preset, err))
        return false;
    for (size_t i = 0; i < request->setting_count; i++) {
        const struct setting *setting = &request->settings[i];
        if (setting->benchmark && !benchmark_check(arena, request, setting, err))
            return false;
        if (!key_check(arena, request, setting, err))
            return false;
    }
    for (size_t i = 0; i < request->benchmark_count; i++) {
        struct bench_choice *choices;
        if (!choices_make(arena, request, request->benchmarks[i], &choices, err))
            return false;
    }
    return true;
}

const char *choices_preset_values(const struct param_info *param, const char *preset)
{
    const char *values = NULL;
    if (strcmp(preset, "quick") == 0)
        values = param->quick;
    else if (strcmp(preset, "full") == 0)
        values = param->full;
    return values ? values : param->standard;
}

// Returns the values of a parameter as text; NULL if there are none. The last --set that names the
// parameter counts; *from is this --set, or NULL for values of a preset.
static const char *chosen_values(const struct choice_request *request,
                                 const struct benchmark *benchmark, const struct param_info *param,
                                 const struct setting **from)
{
    *from = NULL;
    for (size_t i = 0; i < request->setting_count; i++) {
        const struct setting *setting = &request->settings[i];
        if (is_meant(setting, benchmark) && strcmp(setting->key, param->key) == 0)
            *from = setting;
    }
    return *from ? (*from)->values : choices_preset_values(param, request->preset);
}

bool choices_make(struct arena *arena, const struct choice_request *request,
                  const struct benchmark *benchmark, struct bench_choice **choices,
                  struct error *err)
{
    const struct benchmark_info *info = &benchmark->info;
    *choices = ARENA_ARRAY(arena, info->param_count, struct bench_choice);
    size_t combinations = 1;
    for (size_t i = 0; i < info->param_count; i++) {
        const struct setting *setting;
        const char *text = chosen_values(request, benchmark, &info->params[i], &setting);
        struct value_list list = {0};
        if (text && !values_parse(arena, &info->params[i], text, &list, err))
            return setting ? error_set(err, err->code, "--set %s.%s", info->name,
                                       arena_strdup(arena, err->message))
                           : error_prefix(err, "%s, preset %s", info->name, request->preset);
        (*choices)[i] = (struct bench_choice){.param = &info->params[i],
                                              .values = list.values,
                                              .value_count = list.count,
                                              .from_user = setting != NULL};
        if (setting && list.count)
            // The product does not overflow: it is at most COMBINATIONS_MAX × VALUES_MAX.
            combinations *= list.count;
        if (combinations > COMBINATIONS_MAX)
            return error_set(err, ERROR_USAGE,
                             "--set %s: more than %d combinations with what else is set for %s: "
                             "take fewer values",
                             setting->text, COMBINATIONS_MAX, info->name);
        // Only a PARAM_AXIS is in the case key. With several values of another parameter, several
        // cases would have the same key.
        if (info->params[i].role != PARAM_AXIS && list.count > 1)
            return error_set(err, ERROR_USAGE, "--set %s: %s takes one value, not a list",
                             setting ? setting->text : info->name, info->params[i].key);
    }
    return true;
}
