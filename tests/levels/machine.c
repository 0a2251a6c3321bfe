// SPDX-License-Identifier: MIT
#include "machine.h"

#include "map/lines.h"
#include "math/stats.h"

#include <math.h>
#include <stdbool.h>

static double uniform(struct random *random, double low, double high)
{
    return low + (high - low) * random_unit(random);
}

static double normal(struct random *random)
{
    double u = 1 - random_unit(random), v = random_unit(random);
    return sqrt(-2 * log(u)) * cos(2 * acos(-1.0) * v);
}

static double power_of_two(struct random *random, double low, double high)
{
    unsigned choices = (unsigned)lround(log2(high / low)) + 1;
    return low * exp2((double)random_below(random, choices));
}

// ---------------------------------------------------------------- making one

static void draw_capacities(struct random *random, struct machine *machine)
{
    double sizes[MACHINE_LEVELS_MAX], line = 32;
    for (size_t k = 0; k < machine->levels; k++)
        sizes[k] = 4096 * exp2(uniform(random, 0, 16));
    stats_sort(sizes, machine->levels);
    bool one_line = random_below(random, 2) == 0;
    for (size_t k = 0; k < machine->levels; k++) {
        struct machine_level *level = &machine->level[k];
        line = k && one_line ? line : power_of_two(random, line, 256);
        level->capacity = sizes[k];
        level->line = line;
        level->sector = power_of_two(random, 32, line);
    }
}

static bool is_within_bounds(const struct machine *machine)
{
    for (size_t k = 1; k < machine->levels; k++) {
        const struct machine_level *inner = &machine->level[k - 1], *outer = &machine->level[k];
        if (outer->capacity < 2 * inner->capacity ||
            outer->capacity / outer->line < 2 * inner->capacity / inner->line)
            return false;
    }
    return true;
}

void machine_make(struct random *random, struct machine *machine)
{
    machine->levels = 1 + random_below(random, MACHINE_LEVELS_MAX);
    do
        draw_capacities(random, machine);
    while (!is_within_bounds(machine));
    machine->level[0].latency = uniform(random, 20, 130);
    for (size_t k = 1; k <= machine->levels; k++)
        machine->level[k].latency =
            machine->level[k - 1].latency * 1.2 * exp2(uniform(random, 0, 2.5));
    for (size_t k = 0; k < machine->levels; k++) {
        // Sets of W ways overflow one after the other. With 1/W more lines, all have overflowed.
        double ways = power_of_two(random, 4, 16);
        machine->level[k].ramp = uniform(random, log2(1 + 1 / ways), 0.5);
    }
    machine->noise = uniform(random, 0, 0.05);
    machine->correlation = uniform(random, 0, 0.9);
}

// ---------------------------------------------------------------- what a chain sees

// Returns the share of loads that miss. The sets overflow one by one from the capacity to the end
// of the ramp. In a set that overflows, map/lines.h gives the share for LRU
// (tests/unit/test_level_lines.c simulates that).
static double miss_share(const struct machine_level *level, double region, double stride)
{
    const struct lines_cache alone[] = {{0, level->capacity, level->line, level->sector, 0, false},
                                        {1, (double)INFINITY, 32, 32, 0, false}};
    double x = region / fmax(stride, level->line) * level->line / level->capacity;
    double overflow = x > 1 ? fmin(log2(x) / level->ramp, 1) : 0;
    return overflow * lines_expected(alone, 2, &(struct lines_chain){region, stride});
}

static double true_latency(const struct machine *machine, double region, double stride)
{
    double latency = machine->level[0].latency, beyond = 1;
    for (size_t k = 0; k < machine->levels; k++) {
        beyond = fmin(beyond, miss_share(&machine->level[k], region, stride));
        latency += beyond * (machine->level[k + 1].latency - machine->level[k].latency);
    }
    return latency;
}

double machine_sample(struct machine_view *view, double region, double stride)
{
    const struct machine *machine = view->machine;
    double rho = machine->correlation;
    view->disturbance = rho * view->disturbance + sqrt(1 - rho * rho) * normal(&view->random);
    double latency = view->slope > 0 ? 20 * pow(region / 1024, view->slope)
                                     : true_latency(machine, region, stride);
    latency *= 1 + machine->noise * view->disturbance;
    if (random_unit(&view->random) < 0.01)
        latency *= uniform(&view->random, 2, 10);
    return latency;
}
