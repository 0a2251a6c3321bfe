// SPDX-License-Identifier: MIT
#include "bench/bench.h"

#include <string.h>

const struct benchmark *benchmark_find(const char *name)
{
    for (size_t i = 0; benchmarks[i]; i++)
        if (strcmp(benchmarks[i]->info.name, name) == 0)
            return benchmarks[i];
    return NULL;
}

const struct bench_choice *bench_choice_find(const struct bench_request *request, const char *key)
{
    for (size_t i = 0; i < request->choice_count; i++)
        if (strcmp(request->choices[i].param->key, key) == 0)
            return &request->choices[i];
    return NULL;
}

void bench_case_add(struct arena *arena, struct bench_case_list *list, struct bench_case c)
{
    list->cases = arena_grow(arena, list->cases, list->count, &list->capacity, sizeof c);
    list->cases[list->count++] = c;
}

struct bench_session bench_session_begin(struct gpu_system *system, struct gpu_device *device)
{
    struct bench_session session = {.arena = arena_create(),
                                    .system = system,
                                    .device = device,
                                    .info = gpu_device_info(device),
                                    .scope = gpu_scope_open(device)};
    session.programs = (struct measure_programs){.arena = session.arena, .scope = session.scope};
    measure_limits_of(session.info, &session.limits);
    return session;
}

void bench_session_end(struct bench_session *session)
{
    gpu_scope_close(session->scope);
    arena_destroy(session->arena);
}

struct measure_span_desc bench_span_desc(const struct bench_visit *run, measure_record *record,
                                         void *context)
{
    return (struct measure_span_desc){.scope = run->scope,
                                      .record = record,
                                      .context = context,
                                      .clock = &run->session->clock,
                                      .request = run->request,
                                      .warm = run->session->warm};
}
