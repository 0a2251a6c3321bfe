// SPDX-License-Identifier: MIT
// From a file or memory to a JSON document, or a message that says which line is wrong.
#include "results/json_node.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static json_t *not_json(const char *name, const json_error_t *why, struct error *err)
{
    if (json_error_code(why) == json_error_premature_end_of_input)
        error_set(err, ERROR_USAGE,
                  "%s: line %d: the file is cut short (%s); measure again or restore it", name,
                  why->line, why->text);
    else
        error_set(err, ERROR_USAGE, "%s: line %d, column %d: not valid JSON: %s", name, why->line,
                  why->column, why->text);
    json_message_clean(err);
    return NULL;
}

json_t *json_read_memory(const char *text, size_t bytes, const char *name, struct error *err)
{
    json_error_t why;
    json_t *json = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &why);
    return json ? json : not_json(name, &why, err);
}

static json_t *cannot_read(const char *path, int number, struct error *err)
{
    error_set(err, ERROR_IO, "cannot read %s: %s", path, strerror(number));
    return NULL;
}

json_t *json_read_file(const char *path, struct error *err)
{
    bool standard_input = strcmp(path, "-") == 0;
    FILE *stream = standard_input ? stdin : fopen(path, "r");
    if (!stream)
        return cannot_read(path, errno, err);
    json_error_t why;
    errno = 0;
    json_t *json = json_loadf(stream, JSON_REJECT_DUPLICATES, &why);
    int number = ferror(stream) ? errno : 0;
    if (!standard_input)
        fclose(stream);
    if (number) {
        json_decref(json);
        return cannot_read(path, number, err);
    }
    return json ? json : not_json(path, &why, err);
}
