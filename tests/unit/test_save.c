// SPDX-License-Identifier: MIT
#include "golden/rich_run.h"
#include "results/json.h"
#include "results/save.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

// A folder of its own for each test.
struct place {
    char folder[64];
    char path[128];
};

static int place_make(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    snprintf(place->folder, sizeof place->folder, "/tmp/fathom-save-XXXXXX");
    if (!mkdtemp(place->folder))
        return -1;
    snprintf(place->path, sizeof place->path, "%s/run.json", place->folder);
    *state = place;
    return 0;
}

static int place_remove(void **state)
{
    struct place *place = *state;
    DIR *folder = opendir(place->folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", place->folder, entry->d_name);
        unlink(path);
    }
    closedir(folder);
    rmdir(place->folder);
    free(place);
    return 0;
}

static size_t files_in(const char *path)
{
    size_t count = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void content_is(const char *path, const char *wanted)
{
    char text[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t bytes = fread(text, 1, sizeof text - 1, file);
    text[bytes] = '\0';
    fclose(file);
    assert_string_equal(text, wanted);
}

static bool write_text(void *context, FILE *stream, struct error *err)
{
    (void)err;
    fputs(context, stream);
    return true;
}

static void a_run_is_saved_and_read(void **state)
{
    struct place *place = *state;
    struct error err = {0};
    struct run *run = rich_run();
    assert_true(run_save(run, place->path, &err));
    assert_true(run_save(run, place->path, &err));
    struct run *copy = run_read(place->path, &err);
    assert_non_null(copy);
    assert_int_equal(copy->result_count, run->result_count);
    assert_int_equal(files_in(place->folder), 1);
    run_destroy(copy);
    run_destroy(run);
}

static bool write_then_fail(void *context, FILE *stream, struct error *err)
{
    fputs(context, stream);
    return error_set(err, ERROR_INTERNAL, "half-way");
}

static void a_writer_that_fails_leaves_the_former_file(void **state)
{
    struct place *place = *state;
    struct error err = {0};
    assert_true(file_save(place->path, write_text, "former", &err));
    assert_false(file_save(place->path, write_then_fail, "new", &err));
    assert_string_equal(err.message, "half-way");
    content_is(place->path, "former");
    assert_int_equal(files_in(place->folder), 1);
}

// A limit on the file size acts like a disk that is full after that many bytes, and needs no mount.
static void a_full_disk_is_said_and_leaves_the_former_file(void **state)
{
    struct place *place = *state;
    struct error err = {0};
    struct run *run = rich_run();
    assert_true(file_save(place->path, write_text, "former", &err));
    struct rlimit before, small = {.rlim_cur = 512};
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    bool saved = run_save(run, place->path, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_false(saved);
    assert_int_equal(err.code, ERROR_IO);
    assert_non_null(strstr(err.message, place->path));
    assert_non_null(strstr(err.message, "File too large"));
    content_is(place->path, "former");
    assert_int_equal(files_in(place->folder), 1);
    run_destroy(run);
}

static void a_full_device_is_said_with_the_remedy(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    struct error err = {0};
    struct run *run = rich_run();
    assert_false(run_save(run, "/dev/full", &err));
    assert_int_equal(err.code, ERROR_IO);
    assert_string_equal(err.message, "cannot write /dev/full: No space left on device; free space "
                                     "or choose another place");
    assert_false(file_save_check("/dev/full", &err));
    run_destroy(run);
}

static void devices_are_written_straight(void **state)
{
    (void)state;
    struct error err = {0};
    assert_true(file_save_check("/dev/null", &err));
    assert_true(file_save("/dev/null", write_text, "x", &err));
    struct stat info;
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

static void links_and_modes_stay(void **state)
{
    struct place *place = *state;
    struct error err = {0};
    char link[256];
    snprintf(link, sizeof link, "%s/link", place->folder);
    assert_true(file_save(place->path, write_text, "one", &err));
    assert_int_equal(chmod(place->path, 04640), 0); // file_save drops the set-user-id bit
    assert_int_equal(symlink("run.json", link), 0);

    assert_true(file_save(link, write_text, "two", &err));
    content_is(place->path, "two");
    struct stat info;
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(place->path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
}

static void a_link_to_no_file_yet_makes_that_file(void **state)
{
    struct place *place = *state;
    struct error err = {0};
    char link[256], second[256];
    snprintf(link, sizeof link, "%s/link", place->folder);
    snprintf(second, sizeof second, "%s/second", place->folder);
    assert_int_equal(symlink("run.json", link), 0);
    assert_int_equal(symlink(link, second), 0);

    assert_true(file_save_same(second, place->path));
    assert_false(file_save_same(second, place->folder));
    assert_true(file_save(second, write_text, "new", &err));
    content_is(place->path, "new");
    struct stat info;
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
}

// Given two links that lead to each other, then nothing is saved, and both links stay.
static void links_without_an_end_are_refused(void **state)
{
    const struct place *place = *state;
    struct error err = {0};
    struct stat info;
    char link[256], second[256];
    snprintf(link, sizeof link, "%s/link", place->folder);
    snprintf(second, sizeof second, "%s/second", place->folder);
    assert_int_equal(symlink("second", link), 0);
    assert_int_equal(symlink("link", second), 0);
    assert_false(file_save_check(link, &err));
    assert_false(file_save(link, write_text, "one", &err));
    assert_int_equal(err.code, ERROR_IO);
    assert_non_null(strstr(err.message, strerror(ELOOP)));
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(unlink(link) + unlink(second), 0);
}

static void a_closed_standard_output_is_no_file(void **state)
{
    const struct place *place = *state;
    int saved = dup(STDOUT_FILENO);
    close(STDOUT_FILENO);
    bool same = file_save_same("-", place->path), reversed = file_save_same(place->path, "-");
    dup2(saved, STDOUT_FILENO);
    close(saved);
    assert_false(same);
    assert_false(reversed);
}

static void the_longest_name_is_written(void **state)
{
    struct place *place = *state;
    struct error err = {0};
    char path[512], name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    snprintf(path, sizeof path, "%s/%s", place->folder, name);
    assert_true(file_save_check(path, &err));
    assert_true(file_save(path, write_text, "long", &err));
    content_is(path, "long");
    assert_int_equal(files_in(place->folder), 1);
    // One byte more is refused before the measurement, not after it.
    snprintf(path, sizeof path, "%s/%sn", place->folder, name);
    assert_false(file_save_check(path, &err));
    assert_non_null(strstr(err.message, "File name too long; choose another place"));
    assert_int_equal(files_in(place->folder), 1);
}

static void a_pipe_without_a_reader_is_an_error_at_once(void **state)
{
    struct place *place = *state;
    struct error err = {0};
    assert_int_equal(mkfifo(place->path, 0600), 0);
    assert_false(file_save_replaces(place->path));
    assert_false(file_save_check(place->path, &err));
    assert_non_null(strstr(err.message, "no program reads this pipe; start its reader first"));

    int reader = open(place->path, O_RDONLY | O_NONBLOCK);
    assert_true(file_save_check(place->path, &err));
    assert_true(file_save(place->path, write_text, "through", &err));
    char text[16] = "";
    assert_int_equal(read(reader, text, sizeof text), 7);
    assert_string_equal(text, "through");
    close(reader);
}

// Returns the id of a process that has ended.
static long dead_process(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return child;
}

static void what_a_killed_process_left_is_removed(void **state)
{
    struct place *place = *state;
    struct error err = {0};
    const struct {
        long process;
        const char *end;
        bool stays;
    } left[] = {
        {dead_process(), "tmp", false}, {getppid(), "tmp", true}, {dead_process(), "bak", true}};
    char paths[3][256];
    for (size_t i = 0; i < 3; i++) {
        snprintf(paths[i], sizeof paths[i], "%s.%ld.%s", place->path, left[i].process, left[i].end);
        assert_true(file_save(paths[i], write_text, "half", &err));
    }
    assert_true(file_save_check(place->path, &err));
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(access(paths[i], F_OK) == 0, left[i].stays);
}

static void a_file_of_another_user_in_a_folder_like_tmp_is_refused_before(void **state)
{
    struct place *place = *state;
    struct error err = {0};
    if (geteuid() != 0)
        skip(); // only root can act as two users
    assert_true(file_save(place->path, write_text, "theirs", &err));
    assert_int_equal(chmod(place->path, 0666), 0);
    assert_int_equal(chmod(place->folder, 01777), 0);
    assert_int_equal(seteuid(65534), 0);
    bool possible = file_save_check(place->path, &err);
    assert_int_equal(seteuid(0), 0);
    assert_false(possible);
    assert_non_null(strstr(err.message, "Operation not permitted"));
}

static void places_that_cannot_be_written_are_told_before(void **state)
{
    struct place *place = *state;
    struct error err = {0};
    char inside[256];
    snprintf(inside, sizeof inside, "%s/missing/run.json", place->folder);
    assert_false(file_save_check(inside, &err));
    assert_int_equal(err.code, ERROR_IO);
    assert_non_null(strstr(err.message, "create its folder first"));
    assert_false(file_save_check(place->folder, &err));
    assert_non_null(strstr(err.message, "Is a directory"));
    assert_false(file_save_check("", &err));

    assert_true(file_save_check(place->path, &err));
    assert_int_equal(files_in(place->folder), 0);
}

static void a_check_does_not_touch_the_file(void **state)
{
    struct place *place = *state;
    struct error err = {0};
    assert_true(file_save(place->path, write_text, "former", &err));
    assert_true(file_save_check(place->path, &err));
    content_is(place->path, "former");
    assert_int_equal(files_in(place->folder), 1);
}

#define WITH_PLACE(test) cmocka_unit_test_setup_teardown(test, place_make, place_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_PLACE(a_run_is_saved_and_read),
        WITH_PLACE(a_writer_that_fails_leaves_the_former_file),
        WITH_PLACE(a_full_disk_is_said_and_leaves_the_former_file),
        cmocka_unit_test(a_full_device_is_said_with_the_remedy),
        cmocka_unit_test(devices_are_written_straight),
        WITH_PLACE(links_and_modes_stay),
        WITH_PLACE(a_link_to_no_file_yet_makes_that_file),
        WITH_PLACE(links_without_an_end_are_refused),
        WITH_PLACE(a_closed_standard_output_is_no_file),
        WITH_PLACE(the_longest_name_is_written),
        WITH_PLACE(a_pipe_without_a_reader_is_an_error_at_once),
        WITH_PLACE(what_a_killed_process_left_is_removed),
        WITH_PLACE(a_file_of_another_user_in_a_folder_like_tmp_is_refused_before),
        WITH_PLACE(places_that_cannot_be_written_are_told_before),
        WITH_PLACE(a_check_does_not_touch_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
