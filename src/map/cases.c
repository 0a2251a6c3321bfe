// SPDX-License-Identifier: MIT
#include "map/cases.h"

#include "bench/choices.h"

#include <inttypes.h>

void map_cases_make(const struct map_cases *asked, struct bench_case_list *list)
{
    struct error err = {.code = ERROR_NONE};
    struct setting settings[MAP_CASES_TEXTS];
    for (size_t i = 0; i < asked->count; i++)
        if (!setting_parse(asked->arena, asked->texts[i], &settings[i], &err))
            return;
    const struct choice_request request = {.benchmarks = &asked->benchmark,
                                           .benchmark_count = 1,
                                           .preset = "standard",
                                           .settings = settings,
                                           .setting_count = asked->count};
    struct bench_choice *choices;
    if (!choices_make(asked->arena, &request, asked->benchmark, &choices, &err))
        return;
    const struct bench_request wanted = {.arena = asked->arena,
                                         .device = asked->device,
                                         .preset = request.preset,
                                         .choices = choices,
                                         .choice_count = asked->benchmark->info.param_count};
    if (!asked->benchmark->plan(&wanted, list, &err))
        list->count = 0;
}

uint64_t map_cases_largest(const struct map_cases *asked, const char *key)
{
    struct bench_case_list list = {0};
    uint64_t largest = 0;
    map_cases_make(asked, &list);
    for (size_t i = 0; i < list.count; i++)
        if (case_uint(&list.cases[i], key) > largest)
            largest = case_uint(&list.cases[i], key);
    return largest;
}

const char *map_cases_coarse(struct arena *arena, uint64_t last_cache_bytes, uint64_t most)
{
    const uint64_t last = last_cache_bytes / 1024 * 1024, parts[] = {1024, 2 * last, 6 * last};
    const char *sizes = "";
    for (unsigned i = 0; i < 3 && parts[i] < most; i++) {
        uint64_t to = i < 2 && parts[i + 1] < most ? parts[i + 1] : most;
        sizes = arena_printf(arena, "%s%s%" PRIu64 "..%" PRIu64 "/%u", sizes, *sizes ? "," : "",
                             parts[i], to, i == 2 ? 1 : 4 - i);
    }
    return sizes;
}
