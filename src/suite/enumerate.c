// SPDX-License-Identifier: MIT
#include "suite/enumerate.h"

#include "base/child.h"
#include "base/child_channel.h"
#include "base/clock.h"
#include "base/text.h"
#include "gpu/backend.h"
#include "results/codec.h"

#include <signal.h>
#include <string.h>

// Default of enumerate_desc.silence_ns. A driver needs up to 20 s to wake eight cards.
static const uint64_t silence_default_ns = 30 * NS_PER_S;
static const uint64_t notice_ns = 2 * NS_PER_S;

enum {
    BACKENDS_MAX = 16,
    ARGS_MAX = 8,
    ANSWER_BYTES_MAX = 16 << 20
};

// ---------------------------------------------------------------- the answer of a process

// The answer of a backend's process: devices, and unavailable APIs.
struct answer {
    struct gpu_info *devices;
    size_t device_count;
    struct gpu_unavailable *unavailable;
    size_t unavailable_count;
};

static const struct json_field limits_fields[] = {
#define X(name) {#name, FIELD_COUNT, JSON_AT(struct gpu_limits, name), .omit_zero = true},
    GPU_LIMITS(X)
#undef X
};
static const struct json_table limits_table = {JSON_TABLE(struct gpu_limits, limits_fields)};

static const struct json_field pci_fields[] = {
    {"domain", FIELD_COUNT, JSON_AT(struct gpu_pci, domain)},
    {"bus", FIELD_COUNT, JSON_AT(struct gpu_pci, bus)},
    {"device", FIELD_COUNT, JSON_AT(struct gpu_pci, device)},
    {"function", FIELD_COUNT, JSON_AT(struct gpu_pci, function)},
};
static const struct json_table pci_table = {JSON_TABLE(struct gpu_pci, pci_fields)};

static const struct json_field family_fields[] = {
    {"kind", FIELD_COUNT, JSON_AT(struct gpu_queue_family, kind)},
    {"graphics", FIELD_FLAG, JSON_AT(struct gpu_queue_family, graphics)},
    {"count", FIELD_COUNT, JSON_AT(struct gpu_queue_family, count)},
    {"stamp_bits", FIELD_COUNT, JSON_AT(struct gpu_queue_family, stamp_bits)},
};
static const struct json_table family_table = {JSON_TABLE(struct gpu_queue_family, family_fields)};

static void families_put(struct json_out *out, const char *name, const void *object)
{
    const struct gpu_info *info = object;
    json_put_open(out, name, '[');
    for (unsigned i = 0; i < info->family_count; i++)
        json_put_struct(out, NULL, &family_table, &info->families[i]);
    json_put_close(out, ']');
}

static void families_get(struct json_reader *reader, const struct json_node *node, void *object)
{
    struct gpu_info *info = object;
    size_t count = json_elements(reader, node);
    if (count > GPU_FAMILIES_MAX)
        json_fail(reader, node, "too many");
    for (size_t i = 0; i < count && !reader->failed; i++) {
        struct json_node element = json_element(node, i);
        struct gpu_queue_family *family = &info->families[info->family_count++];
        json_get_fields(reader, &element, &family_table, family);
        if ((unsigned)family->kind >= GPU_QUEUE_KIND_COUNT)
            json_fail(reader, &element, "no such kind of queue");
    }
}

static void uuid_put(struct json_out *out, const char *name, const void *object)
{
    json_put_text(out, name, gpu_info_uuid(out->arena, object));
}

static void uuid_get(struct json_reader *reader, const struct json_node *node, void *object)
{
    static const char digits[] = "0123456789abcdef";
    struct gpu_info *info = object;
    const char *text = json_text(reader, node);
    info->has_uuid = text && strlen(text) == 2 * sizeof info->uuid &&
                     strspn(text, digits) == 2 * sizeof info->uuid;
    for (size_t i = 0; info->has_uuid && i < 2 * sizeof info->uuid; i++)
        info->uuid[i / 2] = (uint8_t)(info->uuid[i / 2] << 4 | (strchr(digits, text[i]) - digits));
}

static const struct json_field info_fields[] = {
    {"id", FIELD_CHARS, JSON_AT(struct gpu_info, id)},
    {"api", FIELD_TEXT, JSON_AT(struct gpu_info, api), .required = true},
    {"index", FIELD_COUNT, JSON_AT(struct gpu_info, index)},
    {"kind", FIELD_COUNT, JSON_AT(struct gpu_info, kind)},
    {"name", FIELD_CHARS, JSON_AT(struct gpu_info, name)},
    {"vendor", FIELD_CHARS, JSON_AT(struct gpu_info, vendor)},
    {"vendor_id", FIELD_COUNT, JSON_AT(struct gpu_info, vendor_id)},
    {"device_id", FIELD_COUNT, JSON_AT(struct gpu_info, device_id)},
    {"driver", FIELD_CHARS, JSON_AT(struct gpu_info, driver)},
    {"api_version", FIELD_CHARS, JSON_AT(struct gpu_info, api_version)},
    {"uuid", FIELD_CUSTOM, .put = uuid_put, .get = uuid_get},
    {"has_pci", FIELD_FLAG, JSON_AT(struct gpu_info, has_pci)},
    {"pci", FIELD_OBJECT, JSON_AT(struct gpu_info, pci), .table = &pci_table},
    {"memory_free_bytes", FIELD_COUNT, JSON_AT(struct gpu_info, memory_free_bytes),
     .omit_zero = true},
    {"caps", FIELD_COUNT, JSON_AT(struct gpu_info, caps)},
    {"limits", FIELD_OBJECT, JSON_AT(struct gpu_info, limits), .table = &limits_table},
    {"families", FIELD_CUSTOM, .put = families_put, .get = families_get},
};
static const struct json_table info_table = {JSON_TABLE(struct gpu_info, info_fields)};

static const struct json_field unavailable_fields[] = {
    {"api", FIELD_TEXT, JSON_AT(struct gpu_unavailable, api), .required = true},
    {"reason", FIELD_TEXT, JSON_AT(struct gpu_unavailable, reason), .required = true},
    {"remedy", FIELD_TEXT, JSON_AT(struct gpu_unavailable, remedy)},
};
static const struct json_table unavailable_table = {
    JSON_TABLE(struct gpu_unavailable, unavailable_fields)};

static const struct json_field answer_fields[] = {
    {"devices", FIELD_LIST, JSON_LIST_AT(struct answer, devices, device_count),
     .table = &info_table},
    {"unavailable", FIELD_LIST, JSON_LIST_AT(struct answer, unavailable, unavailable_count),
     .table = &unavailable_table},
};
static const struct json_table answer_table = {JSON_TABLE(struct answer, answer_fields)};

// ---------------------------------------------------------------- in the process of a backend

static struct answer answer_of(struct arena *arena, const struct gpu_system *system)
{
    struct answer answer = {.device_count = gpu_system_device_count(system),
                            .unavailable_count = gpu_system_unavailable_count(system)};
    answer.devices = ARENA_ARRAY(arena, answer.device_count, struct gpu_info);
    answer.unavailable = ARENA_ARRAY(arena, answer.unavailable_count, struct gpu_unavailable);
    for (size_t i = 0; i < answer.device_count; i++)
        answer.devices[i] = *gpu_system_info(system, i);
    for (size_t i = 0; i < answer.unavailable_count; i++)
        answer.unavailable[i] = *gpu_system_unavailable(system, i);
    return answer;
}

static const char *answer_write(struct arena *arena, const struct gpu_system *system)
{
    struct json_out out = {.arena = arena};
    const struct answer answer = answer_of(arena, system);
    json_put_struct(&out, NULL, &answer_table, &answer);
    return json_out_text(&out);
}

bool enumerate_serve(const struct gpu_system_desc *desc, int socket_fd, struct error *err)
{
    struct arena *arena = arena_create();
    struct child_channel channel;
    child_channel_init(&channel, socket_fd);
    struct gpu_system *system = gpu_system_create(desc);
    bool sent = child_channel_write(&channel, answer_write(arena, system), err);
    while (sent && child_channel_read(&channel, 1))
        continue;
    gpu_system_destroy(system);
    child_channel_fini(&channel);
    arena_destroy(arena);
    return sent;
}

// ---------------------------------------------------------------- in the parent process

// A question to a backend for its devices, asked in a process of its own, and the answer.
struct inquiry {
    const struct gpu_backend *backend;
    uint64_t deadline_ns;
    // True for a second process, after the first process failed with libraries of other backends.
    // The second process does not load these libraries; GLIBC_TUNABLES reserves their space for
    // thread-local variables instead.
    bool alone;
    struct answer answer;
};

struct inquiries {
    struct arena *arena;
    const struct enumerate_desc *desc;
    const char *const **environment;
    struct inquiry of[BACKENDS_MAX];
    // Process of each backend; NULL if the backend has answered or failed, or needs no driver.
    struct child *children[BACKENDS_MAX];
    size_t count;
    bool is_noticed;
};

// Returns the environment with more space for thread-local variables of libraries that are loaded
// late (GLIBC_TUNABLES). NVIDIA's OpenCL driver may need this space (opencl_after_others).
static const char *const *roomy_environment(struct arena *arena, const char *const *environment)
{
    static const char name[] = "GLIBC_TUNABLES=";
    const char *tunables = "";
    size_t count = 0, kept = 0;
    while (environment[count])
        count++;
    const char **roomy = ARENA_ARRAY(arena, count + 2, const char *);
    for (size_t i = 0; i < count; i++)
        if (text_begins(environment[i], name))
            tunables = environment[i] + strlen(name);
        else
            roomy[kept++] = environment[i];
    roomy[kept] = arena_printf(arena, "%s%s", name,
                               text_join(arena, tunables, ":", GPU_TUNABLE_STATIC_TLS "=16384"));
    return roomy;
}

static void make_unavailable(struct inquiries *all, size_t index, const char *reason,
                             const char *remedy)
{
    struct inquiry *inquiry = &all->of[index];
    inquiry->answer = (struct answer){.unavailable = ARENA_NEW(all->arena, struct gpu_unavailable),
                                      .unavailable_count = 1};
    *inquiry->answer.unavailable =
        (struct gpu_unavailable){.api = inquiry->backend->name, .reason = reason, .remedy = remedy};
}

static void start(struct inquiries *all, size_t index)
{
    struct inquiry *inquiry = &all->of[index];
    const char *argv[ARGS_MAX + 2];
    size_t count = 0;
    struct error err;
    for (; all->desc->argv[count] && count < ARGS_MAX; count++)
        argv[count] = all->desc->argv[count];
    argv[count++] = inquiry->backend->name;
    argv[count] = NULL;
    uint64_t silence_ns = all->desc->silence_ns ? all->desc->silence_ns : silence_default_ns;
    inquiry->deadline_ns = clock_deadline_ns(silence_ns);
    inquiry->answer = (struct answer){0};
    all->children[index] =
        child_create(&(struct child_desc){.argv = argv,
                                          .environment = inquiry->alone ? *all->environment
                                                                        : all->desc->environment,
                                          .line_bytes_max = ANSWER_BYTES_MAX},
                     &err);
    if (!all->children[index])
        make_unavailable(all, index, arena_strdup(all->arena, err.message),
                         "let fathom start processes: raise its limits (ulimit -n, ulimit -u), "
                         "mount /proc");
}

static void finish(struct inquiries *all, size_t index)
{
    // kills the process, because a driver may crash while it is unloaded
    child_destroy(all->children[index], 0);
    all->children[index] = NULL;
}

// Handles a failure of a backend's process. If the process had loaded libraries of other backends,
// these may be the cause, so the backend gets a second try without them. Otherwise, the backend's
// API is unavailable.
static void fail(struct inquiries *all, size_t index, const char *reason)
{
    struct inquiry *inquiry = &all->of[index];
    // finish() may free the memory of `reason` with the process, so `reason` is copied first.
    reason = text_printable(all->arena, reason, SIZE_MAX);
    finish(all, index);
    if (!inquiry->alone && inquiry->backend->after_others && inquiry->backend->after_others()) {
        inquiry->alone = true;
        *all->environment = roomy_environment(all->arena, all->desc->environment);
        start(all, index);
        return;
    }
    make_unavailable(all, index, reason,
                     "update or reinstall this driver; the other APIs work without it");
}

static void fail_gone(struct inquiries *all, size_t index)
{
    struct child_end end = child_end(all->children[index]);
    const char *words =
        *end.words ? arena_printf(all->arena, "; its last output: %s", end.words) : "";
    if (end.signal)
        fail(all, index,
             arena_printf(all->arena, "driver crashed while loading: signal %d (%s)%s%s%s",
                          end.signal, strsignal(end.signal), *end.crashed_in ? " in " : "",
                          end.crashed_in, words));
    else
        fail(all, index,
             arena_printf(all->arena, "driver ended the process while loading (exit status %d)%s",
                          end.status, words));
}

static bool is_sound(const struct answer *answer, struct error *err)
{
    for (size_t i = 0; i < answer->device_count; i++) {
        if ((unsigned)answer->devices[i].kind > GPU_KIND_CPU)
            return error_set(err, ERROR_USAGE, "no such kind of device");
        if (!gpu_info_check(&answer->devices[i], err))
            return false;
    }
    return true;
}

static void take_answer(struct inquiries *all, size_t index, const char *line)
{
    struct error err;
    struct answer *answer = &all->of[index].answer;
    struct json_reader reader = {.arena = all->arena, .file = "its answer", .err = &err};
    json_t *document = json_read_memory(line, strlen(line), reader.file, &err);
    struct json_node root = {.value = document};
    if (document)
        json_get_fields(&reader, &root, &answer_table, answer);
    bool is_read = document && !reader.failed && is_sound(answer, &err);
    json_decref(document);
    if (!is_read)
        fail(
            all, index,
            arena_printf(all->arena, "driver disturbs the process that loads it: %s", err.message));
    else
        finish(all, index);
}

static const char *names_of_silent(const struct inquiries *all)
{
    const char *names = "";
    for (size_t i = 0; i < all->count; i++)
        if (all->children[i])
            names = text_join(all->arena, names, ", ", all->of[i].backend->name);
    return names;
}

// Returns the time in ns until a silent backend's deadline, or until the notice to the user.
static uint64_t time_left_ns(const struct inquiries *all, uint64_t notice_at_ns)
{
    uint64_t left_ns = all->is_noticed ? UINT64_MAX : clock_left_ns(notice_at_ns);
    for (size_t i = 0; i < all->count; i++) {
        uint64_t own_ns = clock_left_ns(all->of[i].deadline_ns);
        if (all->children[i] && own_ns < left_ns)
            left_ns = own_ns;
    }
    return left_ns;
}

static void look_at_clock(struct inquiries *all, uint64_t notice_at_ns)
{
    for (size_t i = 0; i < all->count; i++) {
        uint64_t silence_ns = all->desc->silence_ns ? all->desc->silence_ns : silence_default_ns;
        if (all->children[i] && clock_left_ns(all->of[i].deadline_ns) == 0)
            fail(all, i,
                 arena_printf(all->arena, "driver did not answer within %.3g s while loading",
                              (double)silence_ns / (double)NS_PER_S));
    }
    const char *silent = names_of_silent(all);
    if (all->is_noticed || clock_left_ns(notice_at_ns) || !*silent)
        return;
    all->is_noticed = true;
    if (all->desc->waiting)
        all->desc->waiting(all->desc->context, silent);
}

static void await_answers(struct inquiries *all)
{
    uint64_t notice_at_ns = clock_deadline_ns(notice_ns);
    while (*names_of_silent(all)) {
        size_t from;
        const char *line;
        switch (child_receive_any(all->children, all->count, time_left_ns(all, notice_at_ns), -1,
                                  &from, &line)) {
        case CHILD_LINE:
            take_answer(all, from, line);
            break;
        case CHILD_GONE:
            fail_gone(all, from);
            break;
        case CHILD_MALFORMED:
            fail(all, from, "driver disturbs the process that loads it: no end of its answer");
            break;
        case CHILD_TIMEOUT:
        case CHILD_WOKEN:
            look_at_clock(all, notice_at_ns);
            break;
        }
    }
}

static void add_answer(struct gpu_system *system, const struct answer *answer)
{
    for (size_t i = 0; i < answer->device_count; i++)
        gpu_system_add_device(system, &answer->devices[i]);
    for (size_t i = 0; i < answer->unavailable_count; i++)
        gpu_system_add_unavailable(system, &answer->unavailable[i]);
}

// Lists the devices of a backend that needs no driver, so that nothing can crash this process.
static void list_here(struct inquiries *all, struct gpu_system *system, const char *api)
{
    struct gpu_system *own = gpu_system_create(
        &(struct gpu_system_desc){.only_api = api, .validation = all->desc->validation});
    const struct answer answer = answer_of(all->arena, own);
    add_answer(system, &answer);
    gpu_system_destroy(own);
}

struct gpu_system *enumerate_devices(struct arena *arena, const struct enumerate_desc *desc,
                                     const char *const **environment)
{
    struct inquiries all = {.arena = arena, .desc = desc, .environment = environment};
    struct gpu_system *system = gpu_system_create_empty();
    *environment = desc->environment;
    for (; gpu_backends[all.count] && all.count < BACKENDS_MAX; all.count++) {
        all.of[all.count].backend = gpu_backends[all.count];
        if (!gpu_backends[all.count]->no_driver)
            start(&all, all.count);
    }
    await_answers(&all);
    for (size_t i = 0; i < all.count; i++)
        if (all.of[i].backend->no_driver)
            list_here(&all, system, all.of[i].backend->name);
        else
            add_answer(system, &all.of[i].answer);
    return system;
}
