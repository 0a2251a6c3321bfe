// SPDX-License-Identifier: MIT
#include "map/parts.h"

#include "results/units.h"

#include <math.h>
#include <string.h>

enum {
    LENGTHS_MAX = 64,
    NVIDIA_BYTES = 16,
    BYTES_LEAST = 4, // minimum plausible number of bytes per instruction
    BYTES_MOST = 64, // maximum plausible number of bytes per instruction
    KNEE_POINTS = 6,
    LEAST = 64, // length of the shortest code, in instructions
    PER_OCTAVE = 4
};

// If the interval of an end is narrower than this many octaves (3 %), no more code lengths are
// measured around the end.
static const double knee_octaves = 0.045;

// True if code can show instruction caches on this device; else sets *why, a part of a sentence.
static bool shows_caches(const struct gpu_info *device, const char **why)
{
    *why = "kernels on a CPU share its instruction cache with the driver, and code that they "
           "branch over takes time";
    if (device->kind == GPU_KIND_CPU)
        return false;
    *why = "a model fetches no instructions";
    return !(device->caps & GPU_CAP(VIRTUAL_TIME));
}

// ---------------------------------------------------------------- lengths

static size_t coarse_lengths(uint64_t lengths[LENGTHS_MAX])
{
    size_t count = 0;
    uint64_t most = map_code_length(MAP_CODE_STEPS);
    for (uint64_t length = LEAST, step = LEAST; length <= most; length += step) {
        lengths[count++] = length;
        if (length == step * 2 * PER_OCTAVE)
            step *= 2;
    }
    return count;
}

// Stores at most KNEE_POINTS code lengths, in instructions, in `lengths`; returns their number.
static size_t lengths_between(double from, double to, uint64_t *lengths)
{
    uint32_t first = 1, end, count = 0;
    while (first <= MAP_CODE_STEPS && map_code_length(first) < from)
        first++;
    for (end = first; end <= MAP_CODE_STEPS && map_code_length(end) <= to;)
        end++;
    uint32_t every = (end - first + KNEE_POINTS - 1) / KNEE_POINTS;
    for (uint32_t steps = first; steps < end; steps += every)
        lengths[count++] = map_code_length(steps);
    return count;
}

// Fills `lengths` with code lengths around each end of an instruction cache that is not known to 3
// %. Returns their number.
static size_t knee_lengths(const struct level_curve *curve, uint64_t lengths[LENGTHS_MAX])
{
    const struct plateaus *fit = &curve->fit;
    size_t count = 0, ends = fit->flat < fit->count ? fit->flat : fit->count - 1;
    for (size_t k = 0; fit->count > 0 && k < ends; k++) {
        const struct plateaus_step *step = &fit->steps[k];
        if (step->end_high - step->end_low < knee_octaves)
            continue;
        if (count + KNEE_POINTS <= LENGTHS_MAX)
            count += lengths_between(exp2(step->end_low - 0.03), exp2(step->end_high + 0.03),
                                     lengths + count);
    }
    return count;
}

// ---------------------------------------------------------------- the curve

static bool is_code(const struct result *result, const char *device)
{
    return strcmp(result->benchmark, "map") == 0 && strcmp(result->device, device) == 0 &&
           case_says(&result->bench_case, "what", MAP_CODE);
}

// Returns the instruction curve: time per instruction over log2 of the code's length.
static struct level_curve curve_of(struct arena *arena, const struct run *run, const char *device)
{
    size_t most = run->result_count;
    struct level_curve curve = level_curve_empty(arena, most);
    for (size_t i = 0; i < most; i++) {
        const struct result *result = run->results[i];
        const struct metric *time = is_code(result, device) ? result_metric(result, "fetch") : NULL;
        if (time && result_measured(result) && isfinite(time->median) && time->median > 0)
            level_curve_insert(&curve, result,
                               log2((double)case_uint(&result->bench_case, "instructions")),
                               time->median);
    }
    level_curve_fit(arena, &curve);
    return curve;
}

void map_code_add_cases(const struct map_look *look)
{
    const struct level_curve curve = curve_of(look->scratch, look->run, look->cases->device->id);
    uint64_t lengths[LENGTHS_MAX];
    const char *why;
    if (!shows_caches(look->cases->device, &why))
        return;
    size_t count = curve.count ? knee_lengths(&curve, lengths) : coarse_lengths(lengths);
    for (size_t i = 0; i < count; i++)
        map_cases_add_code(look->cases, lengths[i]);
}

// Returns the mean bytes per instruction by the code size of the driver; 0 if unknown or not
// plausible. In the longest code, instructions outside the lap have the smallest share.
static double driver_bytes(const struct level_curve *curve)
{
    const struct named_number *said =
        curve->count ? result_sensor(curve->results[curve->count - 1], MAP_CODE_SENSOR) : NULL;
    return said && said->value >= BYTES_LEAST && said->value <= BYTES_MOST ? said->value : 0;
}

// Returns the bytes per instruction; 0 if unknown. If the driver reports no code size, the number
// is 16 on the NVIDIA GPUs of fathom's table, which are Volta or later (Jia, Maggioni, Staiger,
// Scarpazza, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking",
// arXiv:1804.06826, 2018).
static double instruction_bytes(const struct map_writer *w, const struct level_curve *curve)
{
    double said = driver_bytes(curve);
    bool encoded = w->device->vendor_id == GPU_VENDOR_NVIDIA && w->limits.architecture;
    return said > 0 ? said : encoded ? NVIDIA_BYTES : 0;
}

// Returns the size in bytes of code with `instructions` multiply-adds. It includes the instructions
// that test, after each stretch of multiply-adds (map_code_length), if this stretch was the last
// one.
static double bytes_of(double instructions, double each)
{
    uint32_t steps = 0;
    while (steps < MAP_CODE_STEPS && map_code_length(steps + 1) <= instructions)
        steps++;
    return each * (instructions + MAP_CODE_QUESTION * steps);
}

// ---------------------------------------------------------------- results

// Returns the code length at which level k ends: in bytes, or in instructions if `bytes` is 0.
static struct level_height end_of(const struct level_curve *curve, size_t k, double bytes)
{
    const struct plateaus_step *step = &curve->fit.steps[k];
    double ends[] = {exp2(step->end), exp2(step->end_low), exp2(step->end_high)};
    for (size_t i = 0; bytes > 0 && i < sizeof ends / sizeof *ends; i++)
        ends[i] = bytes_of(ends[i], bytes);
    return (struct level_height){ends[0], {ends[1], ends[2]}, curve->count};
}

static void add_level(const struct map_writer *w, const struct level_curve *curve, size_t k)
{
    struct result *result = map_add_result(w, MAP_LEVEL, MAP_PATH_CODE, k + 1);
    struct level_height instructions = end_of(curve, k, 0);
    double bytes = instruction_bytes(w, curve);
    map_add_fetch_heights(w, result, curve, k);
    map_add_metric(w, result, MAP_METRIC_INSTRUCTIONS, &instructions);
    if (bytes > 0) {
        struct level_height size = end_of(curve, k, bytes);
        map_add_metric(w, result, MAP_METRIC_SIZE, &size);
        map_add_detail(result, "instruction",
                       arena_printf(w->run->arena, "%.3g bytes%s", bytes,
                                    driver_bytes(curve) > 0
                                        ? ", by the code size that the driver reports"
                                        : ""));
    } else {
        map_add_unknown(w, result, "size",
                        "the driver does not report how many bytes an instruction has");
    }
}

static void flag_unknown(const struct map_writer *w, struct result *result, const char *beyond,
                         const char *why)
{
    result_flag(w->run->arena, result, VERDICT_SKIPPED, "unknown",
                "could not separate the instruction caches%s: %s", beyond, why);
}

// Adds a result without a size for the last level, which holds even the longest measured code.
static void add_bound(const struct map_writer *w, struct result *hierarchy,
                      const struct level_curve *curve, const char *why)
{
    size_t k = curve->fit.count - 1;
    struct result *result = map_add_result(w, MAP_LEVEL, MAP_PATH_CODE, k + 1);
    map_add_fetch_heights(w, result, curve, k);
    map_add_unknown(w, result, "size",
                    "more than %.0f instructions; longer code was not "
                    "run: %s",
                    exp2(curve->octaves[curve->count - 1]), why);
    map_add_unknown(w, hierarchy, "levels", "at least %zu; the end of the last one was not reached",
                    curve->fit.count);
}

static void add_levels(const struct map_writer *w, struct result *hierarchy,
                       const struct level_curve *curve, const char *cut_short)
{
    const struct plateaus *fit = &curve->fit;
    const char *beyond = "";
    if (fit->flat > 1)
        beyond = arena_printf(w->run->arena, " beyond %.0f instructions",
                              exp2(fit->steps[fit->flat - 2].end));
    if (!fit->decided)
        flag_unknown(w, hierarchy, beyond, fit->reason);
    else if (cut_short)
        add_bound(w, hierarchy, curve, cut_short);
    else if (fit->count < 2)
        map_add_unknown(w, hierarchy, "levels",
                        "code of %.0f instructions is as fast as code of %.0f",
                        exp2(curve->octaves[curve->count - 1]), exp2(curve->octaves[0]));
    else
        map_add_plain(w, hierarchy, MAP_METRIC_LEVELS, (double)(fit->count - 1));
    for (size_t k = 0; k + 1 < fit->flat; k++)
        add_level(w, curve, k);
    if (fit->decided && !cut_short)
        map_add_fetch_heights(w, map_add_result(w, MAP_MEMORY, MAP_PATH_CODE, 0), curve,
                              fit->count - 1);
}

// Returns why no longer code was measured; NULL if the curve has the longest code.
static const char *reason_of(const struct map_writer *w, const struct level_curve *curve)
{
    double longest = curve->count ? exp2(curve->octaves[curve->count - 1]) : 0;
    if (longest > map_code_length(MAP_CODE_STEPS) - 1)
        return NULL;
    for (size_t i = 0; i < w->run->result_count; i++) {
        const struct result *result = w->run->results[i];
        if (is_code(result, w->device->id) && !result_measured(result) &&
            (double)case_uint(&result->bench_case, "instructions") > longest &&
            result->reason_count > 0)
            return result->reasons[0].text;
    }
    return curve->count ? "the run ended before" : "no code was run";
}

void map_add_code(const struct map_writer *w)
{
    const char *why;
    bool shown = shows_caches(w->device, &why);
    const struct level_curve curve = curve_of(w->scratch, w->run, w->device->id);
    const char *reason = reason_of(w, &curve);
    struct result *hierarchy = map_add_result(w, MAP_HIERARCHY, MAP_PATH_CODE, 0);
    if (!shown || curve.count == 0)
        flag_unknown(w, hierarchy, "", shown ? reason : why);
    else
        add_levels(w, hierarchy, &curve, reason);
}
