// SPDX-License-Identifier: MIT
#include "serve/serve.h"

#include "base/child.h"
#include "cli/cli.h"
#include "report/export.h"

#include <stdlib.h>
#include <unistd.h>

struct serving {
    struct cli *cli;
    // `file` is the page that leads the browser to the server, and `folder` was made for this page.
    // Both are NULL before the page is written.
    const char *folder, *file;
};

// Adds to the list every device of the system that the list does not have.
static void add_others(struct arena *arena, const struct gpu_system *system,
                       struct device_list *list)
{
    for (size_t i = 0; i < gpu_system_device_count(system); i++) {
        const struct gpu_info *info = gpu_system_info(system, i);
        size_t k = 0;
        while (k < list->count && list->devices[k] != info)
            k++;
        if (k < list->count)
            continue;
        list->devices =
            arena_grow(arena, list->devices, list->count, &list->capacity, sizeof *list->devices);
        list->devices[list->count++] = info;
    }
}

// Fills `list` with the devices of -d. Without -d, fills it with all devices, the best one first.
static bool choose_devices(struct cli *cli, const struct gpu_system *system,
                           struct device_list *list, struct error *err)
{
    const struct select_request request = cli_select_request(cli, system);
    if (!select_devices(cli->arena, &request, list, err))
        return false;
    if (request.name_count == 0)
        add_others(cli->arena, system, list);
    return true;
}

// ---------------------------------------------------------------- opening the browser

// Writes a page that sends the browser to the server's address, which has a secret token. Only this
// user can read the page, but every user can read the arguments of the browser's process.
static bool write_page(struct serving *s, const char *url)
{
    const char *base = getenv("XDG_RUNTIME_DIR");
    char *folder = arena_printf(s->cli->arena, "%s/fathom-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder))
        return false;
    s->folder = folder;
    s->file = arena_printf(s->cli->arena, "%s/live.html", folder);
    FILE *page = fopen(s->file, "w");
    if (!page)
        return false;
    fprintf(page, "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=%s\">\n", url);
    return fclose(page) == 0;
}

static void remove_page(const struct serving *s)
{
    if (s->file)
        unlink(s->file);
    if (s->folder)
        rmdir(s->folder);
}

static void open_browser(struct serving *s, const char *url)
{
    struct error err = {.message = "no page can be written for it"};
    // Starts xdg-open as a child, which may become the browser. So fathom never ends it.
    bool opened =
        write_page(s, url) &&
        child_create(&(struct child_desc){.argv = (const char *const[]){"/usr/bin/env", "xdg-open",
                                                                        s->file, NULL},
                                          .environment = s->cli->environment,
                                          .outlives = true},
                     &err);
    if (!opened)
        fprintf(s->cli->err, "fathom: note: no browser was opened: %s\n", err.message);
}

static bool tell_ready(void *context, const char *url, struct error *err)
{
    struct serving *s = context;
    fprintf(s->cli->out, "%s\n", url);
    if (!export_end(s->cli->out, "to the standard output", err))
        return false;
    if (options_has(s->cli->options, OPTION_OPEN))
        open_browser(s, url);
    return true;
}

// ---------------------------------------------------------------- the command `serve`

static bool serve(struct cli *cli, struct serve_desc *desc, struct error *err)
{
    static const char *const worker[] = {"/proc/self/exe", "__worker", NULL};
    struct serving serving = {.cli = cli};
    struct device_list devices;
    struct gpu_system *system = cli_system_create(cli, err);
    interrupt_watch(desc->runner.interrupt);
    bool served = system && choose_devices(cli, system, &devices, err);
    if (served) {
        desc->runner.devices = &devices;
        desc->runner.choices = (struct choice_request){.system = system, .preset = "quick"};
        desc->runner.worker_argv = worker;
        desc->runner.worker_environment = cli->environment;
        desc->argc = cli->argc;
        desc->argv = options_recorded(cli->arena, cli->argc, cli->argv, cli->options);
        desc->ready = tell_ready;
        desc->context = &serving;
        served = serve_run(desc, err);
        remove_page(&serving);
    }
    cli_system_destroy(cli, system);
    return served;
}

bool command_serve(struct cli *cli, struct error *err)
{
    struct interrupt interrupt;
    struct serve_desc desc = {.runner.interrupt = &interrupt};
    uint64_t port = 0;
    if (!options_number(cli->options, OPTION_PORT, 0, 65535, &port, err) ||
        !options_seconds(cli->options, OPTION_SILENCE, &desc.runner.silence_ns, err) ||
        !interrupt_init(&interrupt, err))
        return false;
    desc.port = (unsigned)port;
    bool served = serve(cli, &desc, err);
    interrupt_fini(&interrupt);
    return served;
}
