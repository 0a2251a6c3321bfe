// SPDX-License-Identifier: MIT
// `fathom fleet` judges the cards of many machines from the files of their checks.
#include "analysis/fleet.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "report/fleet.h"
#include "results/json.h"
#include "results/save.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct path {
    const char *name;
    bool found; // true: the file was found in a folder; false: the user named the file
};

struct paths {
    struct path *list;
    size_t count, capacity;
};

static void add_path(struct arena *arena, struct paths *paths, const char *name, bool found)
{
    paths->list =
        arena_grow(arena, paths->list, paths->count, &paths->capacity, sizeof *paths->list);
    paths->list[paths->count++] = (struct path){name, found};
}

static int compare_paths(const void *left, const void *right)
{
    const struct path *a = left, *b = right;
    return strcmp(a->name, b->name);
}

// Adds the run files of a folder (*.json and *.json.gz) to the paths, sorted by name.
static bool add_folder(struct arena *arena, struct paths *paths, const char *folder,
                       struct error *err)
{
    DIR *stream = opendir(folder);
    if (!stream)
        return error_set(err, ERROR_IO, "cannot read %s: %s", folder, strerror(errno));
    size_t first = paths->count;
    const struct dirent *entry;
    while ((entry = readdir(stream)) != NULL)
        if (entry->d_name[0] != '.' &&
            (text_ends(entry->d_name, ".json") || text_ends(entry->d_name, ".json.gz")))
            add_path(arena, paths, arena_printf(arena, "%s/%s", folder, entry->d_name), true);
    closedir(stream);
    if (paths->count > first)
        qsort(paths->list + first, paths->count - first, sizeof *paths->list, compare_paths);
    return true;
}

static bool find_paths(const struct cli *cli, struct paths *paths, struct error *err)
{
    const struct options *options = cli->options;
    if (options->operand_count == 0)
        return error_set(err, ERROR_USAGE,
                         "fleet: expected check files or folders: fathom fleet FILE|FOLDER…");
    for (size_t i = 0; i < options->operand_count; i++) {
        const char *path = options->operands[i];
        struct stat info;
        bool folder = strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
        if (!folder)
            add_path(cli->arena, paths, path, false);
        else if (!add_folder(cli->arena, paths, path, err))
            return false;
    }
    return paths->count > 0 ||
           error_set(
               err, ERROR_USAGE,
               "fleet: %s has no file named *.json or *.json.gz: name the folder that has them",
               options->operands[0]);
}

// Returns a message about a file without "PATH: " at its beginning.
static const char *without_path(const char *message, const char *path)
{
    size_t length = strlen(path);
    bool begins = text_begins(message, path) && text_begins(message + length, ": ");
    return begins ? message + length + 2 : message;
}

// Adds a file to the fleet. Reads only the head of the file if the head has checks. A file that is
// not regular, such as a pipe, cannot be read twice, so it is always read as a whole. Such a file
// in a folder is left out, because perhaps no process writes to it.
static void read_into(struct fleet *fleet, const struct path *path)
{
    struct error err;
    struct stat info;
    const char *name = path->name;
    bool pipe = strcmp(name, "-") == 0 || (stat(name, &info) == 0 && !S_ISREG(info.st_mode));
    if (pipe && path->found) {
        fleet_leave_out(fleet, name, "it is no regular file");
        return;
    }
    struct run *run = pipe ? cli_read_run(name, &err) : run_read_head(name, &err);
    if (run && !pipe && run->check_count == 0) {
        run_destroy(run);
        run = cli_read_run(name, &err);
    }
    if (run)
        fleet_add_run(fleet, run, name);
    else
        fleet_leave_out(fleet, name, without_path(err.message, name));
    run_destroy(run);
}

// Fails if an output cannot be written, if two outputs are one file, or if an output would replace
// a file that the command reads.
static bool check_outputs(const struct options *options, const struct paths *paths,
                          struct error *err)
{
    if (!cli_check_apart(options, err))
        return false;
    for (size_t i = 0; i < paths->count; i++)
        if (!cli_outputs_spare(options, "fleet", paths->list[i].name, err))
            return false;
    return cli_output_check(options, OPTION_CSV, err) &&
           cli_output_check(options, OPTION_HTML, err);
}

static bool show(struct cli *cli, struct fleet *fleet, struct error *err)
{
    const struct console_desc desc = terminal_console(cli->out);
    const char *csv = options_value(cli->options, OPTION_CSV);
    const char *html = options_value(cli->options, OPTION_HTML);
    if (cli_shows_tables(cli->options))
        fleet_console(fleet, &desc, cli->out);
    cli->status = fleet_failed(fleet) ? EXIT_CASE_FAILED : EXIT_MEASURED;
    struct error one;
    *err = (struct error){.code = ERROR_NONE};
    if (options_has(cli->options, OPTION_JSON) && !fleet_json(fleet, cli->out, &one))
        error_add(err, &one);
    if (csv && !file_save(csv, fleet_csv, fleet, &one))
        error_add(err, &one);
    if (html && !file_save(html, fleet_html, fleet, &one))
        error_add(err, &one);
    return err->code == ERROR_NONE;
}

static bool judge(struct cli *cli, const struct paths *paths, struct fleet *fleet,
                  struct error *err)
{
    for (size_t i = 0; i < paths->count; i++)
        read_into(fleet, &paths->list[i]);
    if (fleet->count == 0)
        return error_set(err, ERROR_USAGE, "fleet: no check in %s; the first, %s: %s",
                         text_count(cli->arena, paths->count, "file"), fleet->left[0].name,
                         fleet->left[0].text);
    fleet_judge(fleet);
    return show(cli, fleet, err);
}

bool command_fleet(struct cli *cli, struct error *err)
{
    struct paths paths = {0};
    if (!find_paths(cli, &paths, err) || !check_outputs(cli->options, &paths, err))
        return false;
    const char *pattern = options_value(cli->options, OPTION_GROUP);
    struct fleet *fleet = fleet_create();
    bool done = (!pattern || fleet_group_by(fleet, pattern, err)) && judge(cli, &paths, fleet, err);
    fleet_destroy(fleet);
    return done;
}
