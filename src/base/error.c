// SPDX-License-Identifier: MIT
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const code_names[ERROR_CODE_COUNT] = {
#define X(name, text) [ERROR_##name] = text,
    ERROR_CODES(X)
#undef X
};

static void mark_if_cut(char *message, int wanted)
{
    static const char ellipsis[] = "…";
    size_t at = ERROR_MESSAGE_BYTES - sizeof ellipsis;
    if (wanted < ERROR_MESSAGE_BYTES)
        return;
    // goes back to the first byte of the UTF-8 character, which is at most 3 bytes earlier
    for (int i = 0; i < 3 && ((unsigned char)message[at] & 0xC0) == 0x80; i++)
        at--;
    memcpy(message + at, ellipsis, sizeof ellipsis);
}

#undef error_set
bool error_set(struct error *err, enum error_code code, const char *format, ...)
{
    if (!err)
        return false;
    va_list args;
    va_start(args, format);
    err->code = code;
    int wanted = vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    mark_if_cut(err->message, wanted);
    return false;
}

bool error_prefix(struct error *err, const char *format, ...)
{
    if (!err)
        return false;
    char old[ERROR_MESSAGE_BYTES];
    memcpy(old, err->message, sizeof old);
    va_list args;
    va_start(args, format);
    int used = vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    if (used >= 0 && used < ERROR_MESSAGE_BYTES) {
        size_t at = (size_t)used;
        used += snprintf(err->message + at, sizeof err->message - at, ": %s", old);
    }
    mark_if_cut(err->message, used);
    return false;
}

void error_add(struct error *all, const struct error *one)
{
    if (one->code == ERROR_NONE)
        return;
    if (all->code == ERROR_NONE) {
        *all = *one;
        return;
    }
    struct error first = *all;
    error_set(all, first.code, "%s; and %s", first.message, one->message);
}

void error_clean(struct error *err)
{
    for (unsigned char *c = err ? (unsigned char *)err->message : NULL; c && *c; c++) {
        // true if `c` is at a control character from U+0080 to U+009F, which is two bytes in UTF-8
        bool c1 = c[0] == 0xC2 && c[1] >= 0x80 && c[1] <= 0x9F;
        if (c1 || *c < 0x20 || *c == 0x7F)
            *c = '?';
        if (c1)
            *++c = '?';
    }
}

const char *error_code_name(enum error_code code)
{
    return (unsigned)code < ERROR_CODE_COUNT ? code_names[code] : "internal";
}

enum error_code error_code_from_name(const char *name)
{
    for (unsigned code = 0; code < ERROR_CODE_COUNT; code++)
        if (strcmp(code_names[code], name) == 0)
            return (enum error_code)code;
    return ERROR_INTERNAL;
}
