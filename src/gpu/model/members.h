// SPDX-License-Identifier: MIT
// Members of a JSON object, read with their bounds. What is not as expected is refused: the error
// is ERROR_USAGE with the file, the JSON path and the reason, without control characters.
#ifndef GPU_MODEL_MEMBERS_H
#define GPU_MODEL_MEMBERS_H

#include "base/arena.h"
#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

// Where in the file one is: members are named from its root.
struct member_place {
    json_t *object;
    const char *path; // "levels[1]."; "" at the root
    const char *file;
    struct arena *arena;
    struct error *err;
};

struct member_range {
    double least, most;
    bool optional; // then the value stays as it was
};

// Returns false. The key may be "": the object itself.
bool member_refuse(const struct member_place *place, const char *key, const char *reason);

// The place of an object within; `path` with a dot at its end.
struct member_place member_inside(const struct member_place *place, json_t *object,
                                  const char *path);

// Whether the place is an object that has none but these members (ends with NULL): a misspelt one
// must not pass for one that was left out.
bool members_check(const struct member_place *place, const char *const *known);

bool member_number(const struct member_place *place, const char *key,
                   const struct member_range *range, double *value);
bool member_whole(const struct member_place *place, const char *key,
                  const struct member_range *range, uint64_t *value);
bool member_u32(const struct member_place *place, const char *key, const struct member_range *range,
                uint32_t *value);
bool member_power(const struct member_place *place, const char *key,
                  const struct member_range *range, uint32_t *value); // of two

// Which of the words (ends with NULL) it is; the first where the member is missing.
bool member_word(const struct member_place *place, const char *key, const char *const *words,
                 unsigned *which);

bool member_is_power(uint64_t value); // of two

#endif
