// SPDX-License-Identifier: MIT
// What a page sends to `fathom serve`. The first byte chooses between the headers of a request and
// the frames of a web socket. A frame is its first byte, two bytes with its length, and its data.
// The benchmarks are those of the program.
#include "gpu/backend.h"
#include "serve/answer.h"
#include "serve/peer.h"
#include "suite/plan.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

const struct gpu_backend *const gpu_backends[] = {NULL};
const struct gpu_kernel *const kernels[] = {NULL};

static const char token[] = "0123456789abcdef";

// The input has a header in each line: method, path, host, origin.
static void try_http(const uint8_t *data, size_t bytes)
{
    struct arena *arena = arena_create();
    char *text = arena_alloc(arena, bytes + 1), *lines[4];
    memcpy(text, data, bytes);
    for (size_t i = 0; i < COUNT(lines); i++) {
        lines[i] = text;
        text += strcspn(text, "\n");
        if (*text)
            *text++ = '\0';
    }
    const struct peer_http http = {.method = lines[0],
                                   .path = lines[1],
                                   .host = lines[2],
                                   .origin = lines[3],
                                   .upgrade = bytes % 2,
                                   .body_bytes = -1};
    int status = peer_judge(&http);
    if (status == PEER_PAGE || status == PEER_SOCKET)
        assert(strncasecmp(lines[2], "localhost", 9) == 0 ||
               strncmp(lines[2], "127.0.0.1", 9) == 0 || strncmp(lines[2], "[::1]", 5) == 0);
    if (status == PEER_SOCKET)
        assert(strcasecmp(lines[3] + strlen("http://"), lines[2]) == 0);
    arena_destroy(arena);
}

static void check_request(const struct request *request, const struct gpu_info *device)
{
    assert(request->kind != REQUEST_HELLO);
    if (request->kind != REQUEST_MEASURE)
        return;
    assert(request->device == device && request->choices.benchmark_count == 1);
    for (size_t i = 0; i < request->choices.setting_count; i++)
        assert(*request->choices.settings[i].key && *request->choices.settings[i].values);
    if (strcmp(request->choices.benchmarks[0]->info.name, "overlap") != 0)
        return; // others can plan more cases than there is time for
    struct run *run = run_create();
    struct error err = {.code = ERROR_NONE};
    if (!plan_preset_create(run->arena, &request->choices, device, run, &err))
        assert(err.code == ERROR_USAGE && *err.message); // not ERROR_IO: no file is opened
    run_destroy(run);
}

static void try_frames(const uint8_t *data, size_t bytes, bool greeted)
{
    struct gpu_info device = {.id = "fake:0", .api = "fake", .name = "fake"};
    const struct gpu_info *devices[] = {&device};
    const struct device_list list = {.devices = devices, .count = 1};
    const struct peer_rules rules = {.token = token, .devices = &list};
    struct peer peer;
    enum peer_outcome outcome = PEER_WAITS;
    peer_init(&peer, 1);
    peer.greeted = greeted;
    for (uint64_t now_ns = 2; bytes >= 3 && outcome != PEER_CLOSES; now_ns += 1000) {
        size_t length = (size_t)data[1] << 8 | data[2];
        length = length < bytes - 3 ? length : bytes - 3;
        const struct peer_frame frame = {data[0], (const char *)data + 3, length};
        struct request request = {.arena = NULL};
        struct error err = {.code = ERROR_NONE};
        bool was_greeted = peer.greeted;
        outcome = peer_take(&peer, &frame, now_ns, &rules, &request, &err);
        assert(was_greeted || outcome == PEER_WAITS || outcome == PEER_CLOSES ||
               outcome == PEER_GREETED);
        if (outcome == PEER_ASKS) {
            check_request(&request, &device);
            arena_destroy(request.arena);
        } else if (outcome == PEER_REFUSED) {
            struct arena *arena = arena_create();
            assert(err.code == ERROR_USAGE && *err.message && !strchr(err.message, '\n'));
            assert(*answer_error(arena, request.id, err.message) == '{');
            arena_destroy(arena);
        }
        data += 3 + length;
        bytes -= 3 + length;
    }
    peer_fini(&peer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (bytes == 0)
        return 0;
    if (data[0] == 'H')
        try_http(data + 1, bytes - 1);
    else
        try_frames(data + 1, bytes - 1, data[0] == 'G');
    return 0;
}
