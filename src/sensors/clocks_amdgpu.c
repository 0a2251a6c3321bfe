// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "sensors/clocks_source.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES = 256
};

static const char level_file[] = "power_dpm_force_performance_level";

struct amdgpu {
    const char *folder; // folder of the card in sysfs
    struct arena *arena;
};

static FILE *file_open(const struct amdgpu *card, const char *name, const char *mode)
{
    char path[512];
    int length = snprintf(path, sizeof path, "%s/%s", card->folder, name);
    return length > 0 && (size_t)length < sizeof path ? fopen(path, mode) : NULL;
}

// Writes a text into a file of the card in sysfs. Only fclose reports some write errors.
static bool file_write(const struct amdgpu *card, const char *name, const char *text,
                       struct error *err)
{
    FILE *file = file_open(card, name, "w");
    bool written = file && fputs(text, file) >= 0;
    if (file && fclose(file) != 0)
        written = false;
    if (written)
        return true;
    bool barred = errno == EACCES || errno == EPERM || errno == EROFS;
    return error_set(err, ERROR_UNSUPPORTED, "%s/%s: %s%s", card->folder, name, strerror(errno),
                     barred ? ": start fathom as root, or leave clock out" : "");
}

// Reads lines such as "1: 1200Mhz *": a state and its clock. If there are exactly three states, the
// second is never chosen, because it may be the current clock, and choosing it would set the
// highest clock (Linux, amdgpu/pm/swsmu: smu11/navi10_ppt.c, _print_clk_levels and
// _force_clk_levels).
static void read_choices(const struct amdgpu *card, struct clocks_choices *choices)
{
    FILE *file = file_open(card, "pp_dpm_sclk", "r");
    char line[LINE_BYTES];
    choices->count = 0;
    while (file && fgets(line, sizeof line, file) && choices->count < SENSOR_CLOCKS_MAX) {
        char *after;
        unsigned long state = strtoul(line, &after, 10);
        double mhz = *after == ':' ? strtod(after + 1, NULL) : 0;
        if (state == choices->count && mhz > 0)
            choices->hz[choices->count++] = mhz * 1e6;
    }
    if (file)
        fclose(file);
    if (choices->count == 3)
        choices->hz[1] = (double)INFINITY;
}

static const char *read_level(const struct amdgpu *card)
{
    char line[LINE_BYTES];
    return text_read_line(line, sizeof line, "%s/%s", card->folder, level_file)
               ? arena_strdup(card->arena, line)
               : "";
}

static void *amdgpu_open(struct arena *arena, const struct sensor_clocks_desc *desc,
                         struct clocks_choices *choices, const char **before, bool *knows,
                         struct error *err)
{
    if (!desc->card.pci) {
        error_set(err, ERROR_UNSUPPORTED, "PCI address not known");
        return NULL;
    }
    const char *root = desc->card.sysfs_root ? desc->card.sysfs_root : "/sys";
    struct amdgpu *card = ARENA_NEW(arena, struct amdgpu);
    card->folder = arena_printf(arena, "%s/bus/pci/devices/%s", root, desc->card.pci);
    card->arena = arena;
    read_choices(card, choices);
    *before = desc->undo ? desc->undo : read_level(card);
    if (choices->count == 0 || !**before) {
        error_set(err, ERROR_UNSUPPORTED, "no pp_dpm_sclk and %s in %s", level_file, card->folder);
        return NULL;
    }
    *knows = true;
    if (strcmp(*before, "manual") != 0)
        return card;
    error_set(err, ERROR_UNSUPPORTED,
              "%s/%s is manual already, and what was chosen there could not be given back: write "
              "auto to it, or leave clock out",
              card->folder, level_file);
    return NULL;
}

// ---------------------------------------------------------------- who else uses the card

static bool amdgpu_check(void *handle, const struct sensor_clocks_desc *desc, struct error *err)
{
    (void)handle;
    struct arena *arena = arena_create();
    size_t count;
    bool barred;
    const long *others = clocks_openers(arena, desc, &count, &barred);
    long other = count > 0 ? others[0] : 0;
    arena_destroy(arena);
    if (other)
        return clocks_refuse_other(desc, other, err);
    return !barred || error_set(err, ERROR_UNSUPPORTED,
                                "whether others use the card cannot be seen: start fathom as root, "
                                "or leave clock out");
}

static const char *amdgpu_users(struct arena *arena, const struct sensor_clocks_desc *desc)
{
    size_t count;
    bool barred;
    const long *others = clocks_openers(arena, desc, &count, &barred);
    const char *text = NULL;
    for (size_t i = 0; i < count; i++)
        text = clocks_add_user(arena, desc, others[i], text);
    return text;
}

// ---------------------------------------------------------------- setting the clock

static bool amdgpu_lock(void *handle, const struct clocks_choices *choices, size_t choice,
                        bool *touched, struct error *err)
{
    (void)choices;
    char state[32];
    snprintf(state, sizeof state, "%zu\n", choice);
    *touched = file_write(handle, level_file, "manual\n", err);
    return *touched && file_write(handle, "pp_dpm_sclk", state, err);
}

static bool amdgpu_restore(void *handle, const char *before, struct error *err)
{
    char level[LINE_BYTES];
    snprintf(level, sizeof level, "%s\n", before);
    return file_write(handle, level_file, level, err);
}

const struct clocks_source clocks_amdgpu = {
    .name = "amdgpu",
    .open = amdgpu_open,
    .check = amdgpu_check,
    .users = amdgpu_users,
    .lock = amdgpu_lock,
    .restore = amdgpu_restore,
};
