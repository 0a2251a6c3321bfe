// SPDX-License-Identifier: MIT
#include "analysis/reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// Writes `text` to a file and reads it as an index.
static bool index_of(struct arena *arena, const char *text, struct run_index *index,
                     struct error *err)
{
    char path[] = "/tmp/fathom-index-XXXXXX";
    int file = mkstemp(path);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    bool fine = run_index_read(arena, path, index, err);
    unlink(path);
    return fine;
}

#define ENTRY(file, match, api, preset)                                                            \
    "{\"file\":\"" file "\",\"match\":\"" match "\",\"api\":\"" api "\",\"preset\":\"" preset "\""

static const char index_text[] = "{\"schema\":\"fathom-reference/1\",\"runs\":[" //
    ENTRY("q.json", "NVIDIA H200", "vulkan", "quick") "}," ENTRY("s.json", "NVIDIA H200", "vulkan",
                                                                 "standard") "}," //
    ENTRY("c.json", "NVIDIA H200", "cuda", "standard") "},"                       //
    ENTRY("n.json", "NVIDIA H200 NVL", "vulkan", "quick") "},"                    //
    ENTRY("p.json", "A100", "cuda", "standard") ",\"published\":true}]}";

static const char *chosen(const char *id, const char *name, const char *preset, struct error *err)
{
    static char path[256];
    struct arena *arena = arena_create();
    struct run_index index;
    assert_true(index_of(arena, index_text, &index, err));
    struct run *run = run_create();
    run->preset = preset;
    *run_add_device(run) = (struct run_device){.id = id, .name = name};
    const struct index_entry *entry;
    const char *found = NULL;
    if (reference_choose(arena, &index, run, &entry, err)) {
        snprintf(path, sizeof path, "%s", entry->path);
        found = path;
    }
    run_destroy(run);
    arena_destroy(arena);
    return found;
}

static void the_device_its_api_and_its_preset_choose(void **state)
{
    (void)state;
    struct error err = {0};
    assert_string_equal(chosen("vulkan:0", "NVIDIA H200", "standard", &err), "/tmp/s.json");
    assert_string_equal(chosen("vulkan:1", "NVIDIA H200", "quick", &err), "/tmp/q.json");
    assert_string_equal(chosen("vulkan:0", "nvidia h200", "full", &err), "/tmp/s.json");
    assert_string_equal(chosen("cuda:0", "NVIDIA H200", NULL, &err), "/tmp/c.json");
    assert_string_equal(chosen("vulkan:0", "NVIDIA H200 NVL", "standard", &err), "/tmp/n.json");
}

static void a_device_without_a_reference_is_told_which_there_are(void **state)
{
    (void)state;
    struct error err = {0};
    assert_null(chosen("opencl:0", "NVIDIA H200", "standard", &err));
    assert_int_equal(err.code, ERROR_USAGE);
    assert_string_equal(err.message, "no reference run for NVIDIA H200 (opencl:0); there are: "
                                     "NVIDIA H200 (vulkan), NVIDIA H200 (cuda), NVIDIA H200 NVL "
                                     "(vulkan)");
}

static void published_tables_never_judge(void **state)
{
    (void)state;
    struct error err = {0};
    assert_null(chosen("cuda:0", "NVIDIA A100-SXM4", "standard", &err));
}

static void a_bad_index_is_refused_with_the_place(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"{\"runs\":[]}", "schema: missing"},
        {"{\"schema\":\"fathom-run/1\"}", "schema: expected fathom-reference/1"},
        {"{\"schema\":\"fathom-reference/1\",\"runs\":[{\"file\":1}]}",
         "runs[0].file: expected a string"},
        {"{\"schema\":\"fathom-reference/1\",\"runs\":[{\"file\":\"a\"}]}",
         "runs[0].match: missing"},
        {"{\"schema\"", "cut short"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct arena *arena = arena_create();
        struct run_index index;
        struct error err = {0};
        assert_false(index_of(arena, bad[i][0], &index, &err));
        assert_int_equal(err.code, ERROR_USAGE);
        assert_non_null(strstr(err.message, bad[i][1]));
        arena_destroy(arena);
    }
    struct arena *arena = arena_create();
    struct run_index index;
    struct error err = {0};
    assert_false(run_index_read(arena, "/nonexistent/index.json", &index, &err));
    assert_int_equal(err.code, ERROR_IO);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_its_api_and_its_preset_choose),
        cmocka_unit_test(a_device_without_a_reference_is_told_which_there_are),
        cmocka_unit_test(published_tables_never_judge),
        cmocka_unit_test(a_bad_index_is_refused_with_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
