// SPDX-License-Identifier: MIT
#include "suite/together.h"

#include "suite/select.h"

#include <math.h>
#include <string.h>

bool schedule_may_join(const struct bench_case *bench_case, const struct gpu_info *device,
                       const struct gpu_info *other)
{
    const struct case_value *together = case_find(bench_case, "together");
    if (!together || strcmp(together->text, "no") == 0)
        return false;
    return strcmp(together->text, "yes") == 0 || !select_same_chip(device, other);
}

void schedule_add_with(struct arena *arena, struct bench_case *bench_case, const char *with)
{
    struct case_value *values = ARENA_ARRAY(arena, bench_case->value_count + 1, struct case_value);
    memcpy(values, bench_case->values, bench_case->value_count * sizeof *values);
    values[bench_case->value_count] =
        (struct case_value){.key = "with", .type = PARAM_TEXT, .role = PARAM_METHOD, .text = with};
    bench_case->values = values;
    bench_case->value_count++;
}

void schedule_note_common(struct executor_part *parts, size_t count)
{
    uint64_t began_ns = 0, ended_ns = UINT64_MAX;
    size_t timed = 0;
    for (size_t i = 0; i < count; i++)
        if (parts[i].done && parts[i].visit->ended_ns) {
            const struct measure_visit *visit = parts[i].visit;
            began_ns = visit->began_ns > began_ns ? visit->began_ns : began_ns;
            ended_ns = visit->ended_ns < ended_ns ? visit->ended_ns : ended_ns;
            timed++;
        }
    double common_ns = ended_ns > began_ns ? (double)(ended_ns - began_ns) : 0;
    for (size_t i = 0; i < count && timed > 1; i++) {
        struct measure_visit *visit = parts[i].visit;
        if (!parts[i].done || visit->ended_ns <= visit->began_ns)
            continue;
        double share = common_ns / (double)(visit->ended_ns - visit->began_ns);
        visit_sensor(visit, "common_time", UNIT_NONE, share);
        if (share < SCHEDULE_COMMON_LEAST)
            visit_flag(visit, "apart",
                       "the other devices took their samples in %.0f %% of the time of these",
                       100 * share);
    }
}

bool schedule_has_results(const struct run *run, const char *device,
                          const struct benchmark *benchmark)
{
    for (size_t i = 0; i < run->result_count; i++)
        if (strcmp(run->results[i]->device, device) == 0 &&
            strcmp(run->results[i]->benchmark, benchmark->info.name) == 0)
            return true;
    return false;
}
