// SPDX-License-Identifier: MIT
// --set: the first byte chooses the type of the parameter, the rest is the user's text.
#include "bench/choices.h"
#include "bench/values.h"

#include <assert.h>
#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_values(const struct param_info *param, const struct value_list *list)
{
    assert(list->count > 0 && list->count <= VALUES_MAX);
    for (size_t i = 0; i < list->count; i++) {
        const struct case_value *value = &list->values[i];
        assert(value->key == param->key && value->type == param->type);
        if (param->type == PARAM_REAL)
            assert(isfinite(value->real));
        if (param->type == PARAM_TEXT)
            assert(strstr(param->choices, value->text));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const struct param_info params[] = {
        {.key = "count", .type = PARAM_UINT},
        {.key = "bytes", .type = PARAM_BYTES},
        {.key = "ratio", .type = PARAM_REAL},
        {.key = "path", .type = PARAM_TEXT, .choices = "vector|scalar|shared"},
    };
    if (bytes == 0)
        return 0;
    struct arena *arena = arena_create();
    char *text = arena_alloc(arena, bytes);
    memcpy(text, data + 1, bytes - 1);

    struct error err = {.code = ERROR_NONE};
    struct setting setting;
    if (setting_parse(arena, text, &setting, &err))
        assert(*setting.values && strcmp(setting.text, text) == 0);
    else
        assert(err.code == ERROR_USAGE);

    const struct param_info *param = &params[data[0] % 4];
    struct value_list list;
    err.code = ERROR_NONE;
    if (values_parse(arena, param, text, &list, &err))
        check_values(param, &list);
    else
        assert(err.code == ERROR_USAGE && *err.message);
    arena_destroy(arena);
    return 0;
}
