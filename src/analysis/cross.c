// SPDX-License-Identifier: MIT
#include "analysis/cross.h"
#include "analysis/pairing.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- finding chips

static bool chip_holds(const struct cross_chip *chip, const struct run_device *device)
{
    for (size_t i = 0; i < chip->device_count; i++)
        if (chip->devices[i] == device)
            return true;
    return false;
}

// Returns true if two devices of one run are the same chip. APIs may report different UUIDs for the
// same PCI address. All CPU devices are one chip, the host's processors.
static bool same_chip_here(const struct run_device *a, const struct run_device *b)
{
    bool cpus = a->kind && b->kind && strcmp(a->kind, "cpu") == 0 && strcmp(b->kind, "cpu") == 0;
    return cpus || device_same_chip(a, b) || (a->pci && text_same(a->pci, b->pci));
}

static bool belongs(const struct cross_chip *chip, const struct run_device *device)
{
    bool same = false;
    for (size_t i = 0; i < chip->device_count; i++) {
        if (device_same_api(chip->devices[i], device))
            return false;
        same = same || same_chip_here(chip->devices[i], device);
    }
    return same;
}

static size_t reference_of(const struct cross_chip *chip)
{
    static const char *const order[] = {"cuda:", "opencl:"};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (size_t j = 0; j < chip->device_count; j++)
            if (strncmp(chip->devices[j]->id, order[i], strlen(order[i])) == 0)
                return j;
    return chip->device_count - 1;
}

static void chips_find(struct arena *arena, const struct run *run, struct cross *cross)
{
    cross->chips = ARENA_ARRAY(arena, run->device_count, struct cross_chip);
    for (size_t i = 0; i < run->device_count; i++) {
        bool taken = false;
        for (size_t j = 0; j < cross->chip_count; j++)
            taken = taken || chip_holds(&cross->chips[j], &run->devices[i]);
        if (taken)
            continue;
        struct cross_chip *chip = &cross->chips[cross->chip_count];
        chip->devices = ARENA_ARRAY(arena, run->device_count, const struct run_device *);
        chip->devices[0] = &run->devices[i];
        chip->device_count = 1;
        for (size_t j = i + 1; j < run->device_count; j++)
            if (belongs(chip, &run->devices[j]))
                chip->devices[chip->device_count++] = &run->devices[j];
        chip->reference = reference_of(chip);
        if (chip->device_count > 1)
            cross->chip_count++;
    }
}

// ---------------------------------------------------------------- rows of a chip

static bool intervals_overlap(const struct metric *a, const struct metric *b)
{
    // A metric without an interval (NaN) counts as overlapping: both comparisons are false.
    return !(a->ci95[1] < b->ci95[0] || b->ci95[1] < a->ci95[0]);
}

static void cells_relate(struct arena *arena, const struct cross_chip *chip, struct cross_row *row)
{
    const struct cross_cell *reference = &row->cells[chip->reference];
    for (size_t i = 0; i < chip->device_count; i++) {
        struct cross_cell *cell = &row->cells[i];
        cell->ratio = (struct ratio){NAN, NAN, NAN};
        if (i == chip->reference || !cell->metric || !reference->metric ||
            result_mismatch(arena, cell->result, reference->result))
            continue;
        cell->ratio = ratio_of(reference->metric, cell->metric);
        bool far = cell->ratio.value < CROSS_RATIO_LOW || cell->ratio.value > CROSS_RATIO_HIGH;
        cell->apart = far && !intervals_overlap(cell->metric, reference->metric);
        row->apart = row->apart || cell->apart;
    }
}

static void row_add(struct arena *arena, struct cross_chip *chip, const struct result_index *index,
                    const struct result *first, const struct metric *metric)
{
    struct cross_row row = {.first = first,
                            .metric = metric,
                            .cells = ARENA_ARRAY(arena, chip->device_count, struct cross_cell)};
    size_t measured = 0;
    for (size_t i = 0; i < chip->device_count; i++) {
        const struct result *result = result_index_find(index, chip->devices[i]->id, first->key);
        const struct metric *other = result ? result_metric(result, metric->name) : NULL;
        if (!other || !isfinite(other->median) || other->unit != metric->unit)
            continue;
        row.cells[i].result = result;
        row.cells[i].metric = other;
        measured++;
    }
    if (measured < 2)
        return;
    cells_relate(arena, chip, &row);
    chip->rows =
        arena_grow(arena, chip->rows, chip->row_count, &chip->row_capacity, sizeof *chip->rows);
    chip->rows[chip->row_count++] = row;
}

// Returns true if the row was already considered for an earlier device of the chip.
static bool has_row(const struct cross_chip *chip, size_t device, const struct result_index *index,
                    const struct result *result, const char *metric)
{
    for (size_t i = 0; i < device; i++) {
        const struct result *other = result_index_find(index, chip->devices[i]->id, result->key);
        const struct metric *same = other ? result_metric(other, metric) : NULL;
        if (same && isfinite(same->median))
            return true;
    }
    return false;
}

static void rows_find(struct arena *arena, const struct run *run, const struct result_index *index,
                      struct cross_chip *chip)
{
    for (size_t device = 0; device < chip->device_count; device++) {
        const char *id = chip->devices[device]->id;
        for (size_t i = 0; i < run->result_count; i++) {
            const struct result *result = run->results[i];
            if (strcmp(result->device, id) != 0 ||
                result_index_find(index, id, result->key) != result)
                continue;
            const struct benchmark_info *info = run_benchmark(run, result->benchmark);
            for (size_t j = 0; j < result->metric_count; j++) {
                const struct metric *metric = &result->metrics[j];
                if (isfinite(metric->median) && !metric_is_twin(info, result, metric) &&
                    !has_row(chip, device, index, result, metric->name))
                    row_add(arena, chip, index, result, metric);
            }
        }
    }
}

struct cross cross_of(struct arena *arena, const struct run *run)
{
    struct cross cross = {0};
    chips_find(arena, run, &cross);
    struct result_index index = result_index_of(arena, run);
    for (size_t i = 0; i < cross.chip_count; i++)
        rows_find(arena, run, &index, &cross.chips[i]);
    return cross;
}

// ---------------------------------------------------------------- findings "api-gap"

bool cross_same_group(const struct cross_row *a, const struct cross_row *b)
{
    return strcmp(a->first->benchmark, b->first->benchmark) == 0 &&
           strcmp(a->metric->name, b->metric->name) == 0;
}

bool cross_opens_group(const struct cross_chip *chip, size_t row)
{
    size_t earlier = 0;
    while (!cross_same_group(&chip->rows[earlier], &chip->rows[row]))
        earlier++;
    return earlier == row;
}

// Compares a device with its chip's reference device, in the rows of one benchmark and metric.
struct gap {
    const struct cross_chip *chip;
    size_t device;
    // Any row of the group; it gives the name of the benchmark and the metric.
    const struct cross_row *group;
    // Number of rows with a ratio (`equal`), number of rows whose ratio is a finding (`apart`), and
    // number of these of which a result is suspect.
    size_t equal, apart, suspect;
    // Row with the finding whose ratio is farthest from 1. Rows with a suspect result count only if
    // there are no others. NULL if there is no row.
    const struct cross_row *worst;
};

static bool is_suspect(const struct gap *gap, const struct cross_row *row)
{
    return row->cells[gap->device].result->verdict == VERDICT_SUSPECT ||
           row->cells[gap->chip->reference].result->verdict == VERDICT_SUSPECT;
}

static double distance(const struct gap *gap, const struct cross_row *row)
{
    return fabs(log(row->cells[gap->device].ratio.value));
}

// Returns true if gap->worst should be `row` instead.
static bool is_worse(const struct gap *gap, const struct cross_row *row)
{
    if (!gap->worst || is_suspect(gap, row) != is_suspect(gap, gap->worst))
        return !gap->worst || is_suspect(gap, gap->worst);
    return distance(gap, row) > distance(gap, gap->worst);
}

static void gap_measure(struct gap *gap)
{
    for (size_t i = 0; i < gap->chip->row_count; i++) {
        const struct cross_row *row = &gap->chip->rows[i];
        const struct cross_cell *cell = &row->cells[gap->device];
        if (!cross_same_group(gap->group, row))
            continue;
        gap->equal += isfinite(cell->ratio.value) ? 1 : 0;
        if (!cell->apart)
            continue;
        gap->apart++;
        gap->suspect += is_suspect(gap, row);
        if (is_worse(gap, row))
            gap->worst = row;
    }
}

// Says how many of the cases that differ are suspect, and which case the text names next.
static const char *suspect_text(struct arena *arena, const struct gap *gap)
{
    if (gap->suspect == 0)
        return "the most";
    if (gap->suspect < gap->apart)
        return arena_printf(arena, "%zu of them suspect, the most of the others", gap->suspect);
    return gap->apart == 1 ? "which is suspect," : "all of them suspect, the most";
}

static void gap_report(struct run *run, const struct gap *gap)
{
    const struct cross_chip *chip = gap->chip;
    const struct ratio *worst = &gap->worst->cells[gap->device].ratio;
    const char **keys = ARENA_ARRAY(run->arena, gap->apart, const char *);
    size_t count = 0;
    for (size_t i = 0; i < chip->row_count; i++)
        if (cross_same_group(gap->group, &chip->rows[i]) && chip->rows[i].cells[gap->device].apart)
            keys[count++] = chip->rows[i].first->key;
    const char *interval = isfinite(worst->low)
                               ? arena_printf(run->arena, " (%.3f … %.3f)", worst->low, worst->high)
                               : "";
    *run_add_finding(run) = (struct finding){
        .code = "api-gap",
        .text = arena_printf(run->arena,
                             "%s ÷ %s: the %s of %s differs by more than 3 %% in %zu of %zu equal "
                             "cases, %s by the ratio %.3f%s in %s",
                             chip->devices[gap->device]->id, chip->devices[chip->reference]->id,
                             gap->group->metric->name, gap->group->first->benchmark, gap->apart,
                             gap->equal, suspect_text(run->arena, gap), worst->value, interval,
                             gap->worst->first->key),
        .value = worst->value,
        .keys = keys,
        .key_count = count};
}

void cross_add_findings(struct run *run)
{
    struct arena *arena = arena_create();
    struct cross cross = cross_of(arena, run);
    for (size_t i = 0; i < cross.chip_count; i++) {
        const struct cross_chip *chip = &cross.chips[i];
        for (size_t row = 0; row < chip->row_count; row++) {
            if (!cross_opens_group(chip, row))
                continue;
            for (size_t device = 0; device < chip->device_count; device++) {
                struct gap gap = {.chip = chip, .device = device, .group = &chip->rows[row]};
                gap_measure(&gap);
                if (gap.apart)
                    gap_report(run, &gap);
            }
        }
    }
    arena_destroy(arena);
}
