// SPDX-License-Identifier: MIT
#include "suite/clock_lock.h"

#include "base/text.h"
#include "measure/card.h"
#include "results/units.h"
#include "sensors/guard.h"

#include <string.h>

struct clock_lock {
    struct arena *arena;
    struct clock_lock_desc desc;
    // Guard process, which holds the lock; NULL if the device sets its own clock.
    struct clock_guard *guard;
    // granted_hz[i]: core clock that the device granted for desc.hz[i]; 0 before it is locked.
    double *granted_hz;
    bool ended;
};

// ---------------------------------------------------------------- locking the clock

static bool lock_to(struct clock_lock *lock, double hz, struct error *err)
{
    double granted_hz;
    if (!clock_guard_lock(lock->guard, hz, &granted_hz, err))
        return false;
    for (size_t i = 0; i < lock->desc.count; i++)
        if (lock->desc.hz[i] == hz)
            lock->granted_hz[i] = granted_hz;
    return true;
}

static bool start_guard(struct clock_lock *lock, struct error *err)
{
    const struct clock_guard_desc desc = {
        .argv = lock->desc.guard_argv,
        .environment = lock->desc.environment,
        .card = {.card = measure_card_of(lock->arena, lock->desc.device)},
    };
    lock->guard = clock_guard_create(&desc, err);
    return lock->guard && lock_to(lock, lock->desc.hz[0], err) &&
           clock_guard_restore(lock->guard, err);
}

struct clock_lock *clock_lock_create(struct arena *arena, const struct clock_lock_desc *desc,
                                     struct error *err)
{
    struct clock_lock *lock = ARENA_NEW(arena, struct clock_lock);
    *lock = (struct clock_lock){.arena = arena, .desc = *desc};
    lock->granted_hz = ARENA_ARRAY(arena, desc->count, double);
    if (desc->device->caps & GPU_CAP(CLOCK_CHOICE) || start_guard(lock, err))
        return lock;
    struct error unrestored;
    if (!clock_guard_destroy(lock->guard, &unrestored))
        error_prefix(err, "%s; and before that", unrestored.message);
    // The device is not used without the core clock that the user asked for.
    err->code = ERROR_NO_DEVICE;
    error_prefix(err, "--set clock: the core clock of %s cannot be set", desc->device->id);
    return NULL;
}

bool clock_lock_follow(struct clock_lock *lock, const struct bench_case *bench_case,
                       struct error *err)
{
    if (!lock || !lock->guard)
        return true;
    const struct case_value *clock = case_find(bench_case, "clock");
    double hz = clock ? (double)clock->uint : 0;
    return hz > 0 ? lock_to(lock, hz, err) : clock_guard_restore(lock->guard, err);
}

// ---------------------------------------------------------------- restoring the clock

static const char *list_text(const struct clock_lock *lock, const double *hz)
{
    const char *all = "";
    for (size_t i = 0; i < lock->desc.count; i++)
        all = text_join(lock->arena, all, ", ",
                        hz[i] > 0 ? unit_text(lock->arena, hz[i], UNIT_HZ) : "never");
    return all;
}

static const char *granted_text(const struct clock_lock *lock)
{
    if (!lock->guard)
        return "the device sets its own clock; nothing on this machine was locked";
    const char *before = clock_guard_before(lock->guard);
    return arena_printf(lock->arena, "locked: %s; restored %s", list_text(lock, lock->granted_hz),
                        strcmp(before, "default") == 0
                            ? "by the driver's reset, because the driver does not report the "
                              "state before"
                            : arena_printf(lock->arena, "to the state before, %s", before));
}

void clock_lock_end(struct clock_lock *lock, struct run *run)
{
    struct error err;
    if (!lock || lock->ended)
        return;
    lock->ended = true;
    const char *device = lock->desc.device->id, *granted = granted_text(lock);
    bool restored = clock_guard_destroy(lock->guard, &err);
    if (!run)
        return;
    const char *text =
        restored ? arena_printf(run->arena, "%s: core clocks asked for: %s; %s", device,
                                list_text(lock, lock->desc.hz), granted)
                 : arena_printf(run->arena,
                                "%s: the core clock could not be restored: %s; do it by hand "
                                "(NVIDIA: nvidia-smi -rgc; AMD: auto in "
                                "power_dpm_force_performance_level)",
                                device, err.message);
    run_add_note(run, restored ? "clocks" : CLOCK_STAYS_LOCKED, device, text);
}
