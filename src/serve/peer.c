// SPDX-License-Identifier: MIT
#include "serve/peer.h"

#include "base/clock.h"

#include <string.h>
#include <strings.h>

enum {
    FRAME_LAST = 0x80,
    // bits of a frame's first byte that are 0, because no extension of web sockets was agreed on
    FRAME_RESERVED = 0x70,
    FRAME_CODE = 0x0f
};

enum frame_code { // opcodes of frames (RFC 6455, section 11.8)
    FRAME_CONTINUES = 0,
    FRAME_TEXT = 1,
    FRAME_PING = 9,
    FRAME_PONG = 10
};

void peer_init(struct peer *peer, uint64_t now_ns)
{
    *peer = (struct peer){.opened_ns = now_ns, .counted_ns = now_ns, .allowance = PEER_BURST};
}

void peer_fini(struct peer *peer)
{
    arena_destroy(peer->arena);
    peer->arena = NULL;
}

// ---------------------------------------------------------------- joining frames to messages

// Counts a message. Returns false if the page has sent more than PEER_BURST and PEER_A_SECOND
// allow.
static bool count_message(struct peer *peer, uint64_t now_ns)
{
    double seconds = (double)(now_ns - peer->counted_ns) / (double)NS_PER_S;
    peer->counted_ns = now_ns;
    peer->allowance += seconds * PEER_A_SECOND;
    if (peer->allowance > PEER_BURST)
        peer->allowance = PEER_BURST;
    peer->allowance -= 1;
    return peer->allowance >= 0;
}

// Returns true if `text` is the token. Takes equally long for all texts of the token's length, so
// that the time tells an attacker nothing.
static bool is_token(const char *text, const char *token)
{
    size_t length = strlen(token);
    unsigned difference = 0;
    if (strlen(text) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        difference |= (unsigned char)(text[i] ^ token[i]);
    return difference == 0;
}

static enum peer_outcome judge_hello(struct peer *peer, const struct request *request, bool read,
                                     const struct peer_rules *rules)
{
    if (!read || request->kind != REQUEST_HELLO || !is_token(request->token, rules->token))
        return PEER_CLOSES;
    peer->greeted = true;
    return PEER_GREETED;
}

// Reads a complete message into `request`, whose arena the caller destroys only after PEER_ASKS.
static enum peer_outcome take_message(struct peer *peer, uint64_t now_ns,
                                      const struct peer_rules *rules, struct request *request,
                                      struct error *err)
{
    *request = (struct request){.arena = peer->arena};
    peer->arena = NULL;
    enum peer_outcome outcome = PEER_CLOSES;
    if (count_message(peer, now_ns)) {
        bool read =
            request_read(peer->text, peer->used, rules->devices, rules->system, request, err);
        if (!peer->greeted)
            outcome = judge_hello(peer, request, read, rules);
        else if (!read)
            outcome = PEER_REFUSED;
        else if (request->kind != REQUEST_HELLO)
            outcome = PEER_ASKS;
    }
    if (outcome != PEER_ASKS) {
        arena_destroy(request->arena);
        request->arena = NULL;
    }
    return outcome;
}

// Appends the frame's data to the page's message. Returns false if the message would become too
// long.
static bool add_frame(struct peer *peer, const struct peer_frame *frame)
{
    if (frame->bytes > REQUEST_BYTES_MAX - peer->used)
        return false;
    if (peer->used + frame->bytes > peer->capacity) {
        size_t capacity = 2 * (peer->used + frame->bytes);
        char *text = arena_alloc(peer->arena, capacity);
        if (peer->used)
            memcpy(text, peer->text, peer->used);
        peer->text = text;
        peer->capacity = capacity;
    }
    if (frame->bytes)
        memcpy(peer->text + peer->used, frame->data, frame->bytes);
    peer->used += frame->bytes;
    return true;
}

enum peer_outcome peer_take(struct peer *peer, const struct peer_frame *frame, uint64_t now_ns,
                            const struct peer_rules *rules, struct request *request,
                            struct error *err)
{
    unsigned code = frame->bits & FRAME_CODE;
    if (code == FRAME_PING || code == FRAME_PONG)
        return PEER_WAITS;
    bool begins = code == FRAME_TEXT && !peer->arena;
    bool goes_on = code == FRAME_CONTINUES && peer->arena;
    if (frame->bits & FRAME_RESERVED || (!begins && !goes_on))
        return PEER_CLOSES;
    if (begins) {
        peer->arena = arena_create();
        peer->text = "";
        peer->used = peer->capacity = 0;
    }
    if (!add_frame(peer, frame))
        return PEER_CLOSES;
    if (!(frame->bits & FRAME_LAST))
        return PEER_WAITS;
    return take_message(peer, now_ns, rules, request, err);
}

// ---------------------------------------------------------------- judging HTTP requests

// True if `text`, the end of the header Host, is "" or a port such as ":8080".
static bool is_port(const char *text)
{
    if (*text == '\0')
        return true;
    size_t digits = strspn(text + 1, "0123456789");
    return *text == ':' && digits >= 1 && digits <= 5 && text[1 + digits] == '\0';
}

static bool is_loopback(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; host && i < COUNT(names); i++)
        if (strncasecmp(host, names[i], strlen(names[i])) == 0 && is_port(host + strlen(names[i])))
            return true;
    return false;
}

static bool is_same_origin(const char *origin, const char *host)
{
    static const char scheme[] = "http://";
    return origin && strncmp(origin, scheme, strlen(scheme)) == 0 &&
           strcasecmp(origin + strlen(scheme), host) == 0;
}

int peer_judge(const struct peer_http *http)
{
    if (!is_loopback(http->host))
        return 403;
    if (http->body_bytes > REQUEST_BYTES_MAX)
        return 413;
    if (strcmp(http->method, "GET") != 0)
        return 405;
    if (strcmp(http->path, "/") == 0)
        return PEER_PAGE;
    if (strcmp(http->path, "/live") != 0)
        return 404;
    if (!http->upgrade)
        return 426;
    return is_same_origin(http->origin, http->host) ? PEER_SOCKET : 403;
}
