// SPDX-License-Identifier: MIT
#include "gpu/model/members.h"

#include <string.h>

bool member_refuse(const struct member_place *place, const char *key, const char *reason)
{
    size_t path = strlen(place->path);
    if (!*key && path > 0)
        path--; // the dot before a member
    return error_set(place->err, ERROR_USAGE, "%s: %.*s%s%s%s", place->file, (int)path, place->path,
                     key, path > 0 || *key ? ": " : "", reason);
}

bool members_check(const struct member_place *place, const char *const *known)
{
    const char *key;
    json_t *value;
    if (!json_is_object(place->object))
        return member_refuse(place, "", "expected an object");
    json_object_foreach(place->object, key, value)
    {
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0)
            i++;
        if (!known[i])
            return member_refuse(place, key, "no such member");
    }
    return true;
}

bool member_number(const struct member_place *place, const char *key,
                   const struct member_range *range, double *value)
{
    const json_t *member = json_object_get(place->object, key);
    if (!member)
        return range->optional || member_refuse(place, key, "missing");
    if (!json_is_number(member))
        return member_refuse(place, key, "expected a number");
    double number = json_number_value(member);
    if (number < range->least || number > range->most)
        return member_refuse(
            place, key,
            arena_printf(place->arena, "expected %.15g to %.15g", range->least, range->most));
    *value = number;
    return true;
}

bool member_whole(const struct member_place *place, const char *key,
                  const struct member_range *range, uint64_t *value)
{
    double number = (double)*value;
    if (!member_number(place, key, range, &number))
        return false;
    *value = (uint64_t)number;
    return (double)*value >= number || member_refuse(place, key, "expected a whole number");
}

bool member_u32(const struct member_place *place, const char *key, const struct member_range *range,
                uint32_t *value)
{
    uint64_t whole = *value;
    bool good = member_whole(place, key, range, &whole);
    *value = (uint32_t)whole;
    return good;
}

bool member_is_power(uint64_t value)
{
    return value && (value & (value - 1)) == 0;
}

bool member_power(const struct member_place *place, const char *key,
                  const struct member_range *range, uint32_t *value)
{
    return member_u32(place, key, range, value) &&
           (member_is_power(*value) || member_refuse(place, key, "expected a power of two"));
}

bool member_word(const struct member_place *place, const char *key, const char *const *words,
                 unsigned *which)
{
    const json_t *member = json_object_get(place->object, key);
    const char *text = member ? json_string_value(member) : words[0];
    for (*which = 0; text && words[*which]; ++*which)
        if (strcmp(text, words[*which]) == 0)
            return true;
    const char *all = words[0];
    for (size_t i = 1; words[i]; i++)
        all = arena_printf(place->arena, "%s, %s", all, words[i]);
    return member_refuse(place, key, arena_printf(place->arena, "expected one of %s", all));
}

struct member_place member_inside(const struct member_place *place, json_t *object,
                                  const char *path)
{
    struct member_place inner = *place;
    inner.object = object;
    inner.path = path;
    return inner;
}
