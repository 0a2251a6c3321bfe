// SPDX-License-Identifier: MIT
// Tests gzipped run files, and gzipped files that are damaged.
#include "golden/rich_run.h"
#include "golden/same_run.h"
#include "results/json.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

struct place {
    char folder[32], path[64];
};

static struct place place_make(void)
{
    struct place place = {.folder = "/tmp/fathom-json-XXXXXX"};
    assert_non_null(mkdtemp(place.folder));
    snprintf(place.path, sizeof place.path, "%s/run.json.gz", place.folder);
    return place;
}

static void place_drop(const struct place *place)
{
    unlink(place->path);
    rmdir(place->folder);
}

static void bytes_save(const char *path, const void *bytes, size_t count, size_t times)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < times; i++)
        assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

// Reads a file that must be refused with one line of message, and returns this line.
static const char *refused(const char *path)
{
    static struct error err;
    err = (struct error){0};
    assert_null(run_read(path, &err));
    assert_int_equal(err.code, ERROR_USAGE);
    assert_null(strchr(err.message, '\n'));
    return err.message;
}

static void reads_back(const char *path, const struct run *run)
{
    struct error err = {0};
    struct run *copy = run_read(path, &err);
    assert_string_equal(err.message, "");
    same_run(run, copy);
    run_destroy(copy);
}

static void a_path_that_ends_in_gz_is_written_and_read_gzipped(void **state)
{
    (void)state;
    struct place place = place_make();
    struct run *run = rich_run();
    struct error err = {0};
    assert_true(run_save(run, place.path, &err));
    FILE *file = fopen(place.path, "r");
    assert_int_equal(fgetc(file), 0x1f);
    assert_int_equal(fgetc(file), 0x8b);
    fclose(file);
    reads_back(place.path, run);
    run_destroy(run);
    place_drop(&place);
}

static void a_file_is_gzipped_by_its_bytes_and_not_by_its_name(void **state)
{
    (void)state;
    struct place place = place_make();
    struct run *run = rich_run();
    struct error err = {0};
    assert_true(run_save_as(run, run_write, place.path, &err));
    reads_back(place.path, run);
    run_destroy(run);
    place_drop(&place);
}

static void a_gzipped_file_that_is_cut_or_changed_is_refused_in_one_line(void **state)
{
    (void)state;
    struct place place = place_make();
    struct run *run = rich_run();
    struct error err = {0};
    unsigned char bytes[16384];
    assert_true(run_save(run, place.path, &err));
    run_destroy(run);
    FILE *file = fopen(place.path, "r");
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(count > 100 && count < sizeof bytes);
    // Each of the last bytes matters: they are the check sum and the length.
    for (size_t kept = 2; kept < count; kept += kept < count - 10 ? 1 + count / 64 : 1) {
        bytes_save(place.path, bytes, kept, 1);
        refused(place.path);
    }
    assert_non_null(strstr(refused(place.path), "run.json.gz: the gzipped file is damaged "
                                                "(unexpected end of file); restore it"));
    // Changes bytes between the header, where some carry no information, and the last byte of the
    // packed text, which has unused bits.
    for (size_t at = 10; at < count; at += at < count - 20 ? 1 + count / 64 : 1) {
        if (at == count - 9)
            continue;
        bytes[at] ^= 0x10;
        bytes_save(place.path, bytes, count, 1);
        refused(place.path);
        bytes[at] ^= 0x10;
    }
    place_drop(&place);
}

// The members of a gzipped file follow one another. Each of these members holds 1 MiB of blanks.
static void a_gzipped_file_that_holds_too_much_is_refused(void **state)
{
    (void)state;
    struct place place = place_make();
    char *blanks = malloc(1 << 20);
    memset(blanks, ' ', 1 << 20);
    unsigned char member[4096];
    z_stream packer = {.next_in = (unsigned char *)blanks,
                       .avail_in = 1 << 20,
                       .next_out = member,
                       .avail_out = sizeof member};
    assert_int_equal(deflateInit2(&packer, 9, Z_DEFLATED, MAX_WBITS + 16, 8, 0), Z_OK);
    assert_int_equal(deflate(&packer, Z_FINISH), Z_STREAM_END);
    bytes_save(place.path, member, sizeof member - packer.avail_out, 257);
    assert_non_null(strstr(refused(place.path), "holds more than 256 MiB"));
    deflateEnd(&packer);
    free(blanks);
    place_drop(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_that_ends_in_gz_is_written_and_read_gzipped),
        cmocka_unit_test(a_file_is_gzipped_by_its_bytes_and_not_by_its_name),
        cmocka_unit_test(a_gzipped_file_that_is_cut_or_changed_is_refused_in_one_line),
        cmocka_unit_test(a_gzipped_file_that_holds_too_much_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
