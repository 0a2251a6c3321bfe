// SPDX-License-Identifier: MIT
// Answers HTTP requests and serves web sockets. civetweb calls the handlers in its own threads.
#include "base/clock.h"
#include "base/dynlib.h"
#include "base/version.h"
#include "report/export.h"
#include "serve/answer.h"
#include "serve/live.h"
#include "serve/peer.h"
#include "serve/serve.h"

#include <civetweb.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

enum {
    TOKEN_BYTES = 16,
    TICK_MS = 250
};

// Number of civetweb's threads: one for each web socket, and some for pages.
#define THREADS "16"

// ---------------------------------------------------------------- functions of civetweb

#define CIVETWEB_CALLS(X)                                                                          \
    X(mg_init_library)                                                                             \
    X(mg_start2)                                                                                   \
    X(mg_stop)                                                                                     \
    X(mg_set_websocket_handler)                                                                    \
    X(mg_get_server_ports)                                                                         \
    X(mg_get_request_info)                                                                         \
    X(mg_set_auth_handler)                                                                         \
    X(mg_write)                                                                                    \
    X(mg_websocket_write)                                                                          \
    X(mg_close_connection)

struct civetweb {
#define MEMBER(name) __typeof__(name) *name;
    CIVETWEB_CALLS(MEMBER)
#undef MEMBER
};

static struct dynlib *open_civetweb(struct civetweb *calls, struct error *err)
{
    // The kit (`make kit`) contains the library as lib/libcivetweb.so.1.
    static const char *const files[] = {"libcivetweb.so.1", "$ORIGIN/lib/libcivetweb.so.1", NULL};
    static const struct dynlib_symbol table[] = {
#define SYMBOL(name) DYNLIB_SYMBOL(struct civetweb, name),
        CIVETWEB_CALLS(SYMBOL)
#undef SYMBOL
    };
    struct error why;
    struct dynlib *library = dynlib_open(
        &(struct dynlib_desc){
            .files = files, .symbols = table, .symbol_count = COUNT(table), .table = calls},
        &why);
    if (!library)
        error_set(err, ERROR_USAGE,
                  "serve needs the library civetweb (Debian: apt-get install libcivetweb1): %s",
                  why.message);
    return library;
}

// ---------------------------------------------------------------- state of the server

struct tab {
    // Connection of the page; NULL if this element of `tabs` is free.
    struct mg_connection *connection;
    // State of the page's web socket. Only the thread of this connection uses the state, or a
    // thread for which it waits; other threads may only read opened_ns.
    struct peer peer;
    bool open; // true once the page has sent a valid hello, so that it gets messages
};

struct server {
    const struct serve_desc *desc;
    struct civetweb civetweb;
    struct mg_context *context;
    struct live *live;
    char token[2 * TOKEN_BYTES + 1];
    struct peer_rules rules;
    const char *welcome;   // message that the server sends after a valid hello
    pthread_mutex_t mutex; // protects `tabs`
    struct tab tabs[SERVE_TABS_MAX];
};

// Returns the element of server->tabs with this connection. If `connection` is NULL, returns a free
// element. Returns NULL if there is no such element. The caller must hold the mutex.
static struct tab *find_tab(struct server *server, const struct mg_connection *connection)
{
    for (size_t i = 0; i < SERVE_TABS_MAX; i++)
        if (server->tabs[i].connection == connection)
            return &server->tabs[i];
    return NULL;
}

static void write_message(const struct server *server, struct mg_connection *connection,
                          const char *message)
{
    size_t bytes = strlen(message);
    if (server->civetweb.mg_websocket_write(connection, MG_WEBSOCKET_OPCODE_TEXT, message, bytes) <=
        0)
        server->civetweb.mg_close_connection(connection);
}

// Callback for live_desc.say: sends the message to every page that has sent a valid hello.
static void say(void *context, const char *message)
{
    struct server *server = context;
    pthread_mutex_lock(&server->mutex);
    for (size_t i = 0; i < SERVE_TABS_MAX; i++)
        if (server->tabs[i].connection && server->tabs[i].open)
            write_message(server, server->tabs[i].connection, message);
    pthread_mutex_unlock(&server->mutex);
}

// ---------------------------------------------------------------- web sockets

static void add_tab(struct mg_connection *connection, void *context)
{
    struct server *server = context;
    pthread_mutex_lock(&server->mutex);
    struct tab *tab = find_tab(server, NULL);
    if (tab) {
        *tab = (struct tab){.connection = connection};
        peer_init(&tab->peer, clock_now_ns());
    } else {
        server->civetweb.mg_close_connection(connection);
    }
    pthread_mutex_unlock(&server->mutex);
}

static void remove_tab(const struct mg_connection *connection, void *context)
{
    struct server *server = context;
    size_t open = 0;
    pthread_mutex_lock(&server->mutex);
    struct tab *tab = find_tab(server, connection);
    bool was_open = tab && tab->open;
    if (tab) {
        peer_fini(&tab->peer);
        *tab = (struct tab){.connection = NULL};
    }
    for (size_t i = 0; i < SERVE_TABS_MAX; i++)
        open += server->tabs[i].open;
    pthread_mutex_unlock(&server->mutex);
    if (was_open && open == 0)
        live_cancel(server->live);
}

static void greet(struct server *server, struct tab *tab)
{
    write_message(server, tab->connection, server->welcome);
    pthread_mutex_lock(&server->mutex);
    tab->open = true;
    pthread_mutex_unlock(&server->mutex);
}

static void refuse(const struct server *server, const struct tab *tab,
                   const struct request *request, const struct error *err)
{
    struct arena *arena = arena_create();
    write_message(server, tab->connection, answer_error(arena, request->id, err->message));
    arena_destroy(arena);
}

static void obey(const struct server *server, const struct request *request)
{
    if (request->kind == REQUEST_MEASURE) {
        live_measure(server->live, request); // live_measure takes ownership of request->arena
        return;
    }
    live_cancel(server->live);
    arena_destroy(request->arena);
}

// Argument of take_arrival, which sets `stays` to false if the web socket must be closed.
struct arrival {
    struct server *server;
    struct tab *tab;
    struct peer_frame frame;
    bool stays;
};

static void *take_arrival(void *context)
{
    struct arrival *arrival = context;
    struct server *server = arrival->server;
    struct request request;
    struct error err;
    enum peer_outcome outcome = peer_take(&arrival->tab->peer, &arrival->frame, clock_now_ns(),
                                          &server->rules, &request, &err);
    if (outcome == PEER_GREETED)
        greet(server, arrival->tab);
    else if (outcome == PEER_ASKS)
        obey(server, &request);
    else if (outcome == PEER_REFUSED)
        refuse(server, arrival->tab, &request, &err);
    arrival->stays = outcome != PEER_CLOSES;
    return NULL;
}

// Returns 0 if civetweb must close the web socket. A new thread parses the frame, because the stack
// of civetweb's threads (100 KiB in Debian's library) is too small for nested text.
static int take_frame(struct mg_connection *connection, int bits, char *data, size_t bytes,
                      void *context)
{
    struct server *server = context;
    struct arrival arrival = {.server = server,
                              .frame = {.bits = (unsigned)bits, .data = data, .bytes = bytes}};
    pthread_t thread;
    pthread_mutex_lock(&server->mutex);
    arrival.tab = find_tab(server, connection);
    pthread_mutex_unlock(&server->mutex);
    if (!arrival.tab || pthread_create(&thread, NULL, take_arrival, &arrival) != 0)
        return 0;
    pthread_join(thread, NULL);
    return arrival.stays;
}

// Closes the web sockets whose pages have not sent a valid hello within PEER_HELLO_NS.
static void close_silent(struct server *server)
{
    pthread_mutex_lock(&server->mutex);
    for (size_t i = 0; i < SERVE_TABS_MAX; i++) {
        struct tab *tab = &server->tabs[i];
        if (tab->connection && !tab->open &&
            clock_left_ns(tab->peer.opened_ns + PEER_HELLO_NS) == 0)
            server->civetweb.mg_close_connection(tab->connection);
    }
    pthread_mutex_unlock(&server->mutex);
}

static bool has_room(struct server *server)
{
    pthread_mutex_lock(&server->mutex);
    bool room = find_tab(server, NULL) != NULL;
    pthread_mutex_unlock(&server->mutex);
    return room;
}

// ---------------------------------------------------------------- answering HTTP requests

// Returns the value of a header; NULL if the request has no such header, or several.
static const char *header_of(const struct mg_request_info *info, const char *name)
{
    const char *value = NULL;
    int count = 0;
    for (int i = 0; i < info->num_headers; i++)
        if (strcasecmp(info->http_headers[i].name, name) == 0) {
            value = info->http_headers[i].value;
            count++;
        }
    return count == 1 ? value : NULL;
}

static const char *words_of(int status)
{
    switch (status) {
    case PEER_PAGE:
        return "OK";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 413:
        return "Content Too Large";
    case 426:
        return "Upgrade Required";
    default:
        return "Service Unavailable";
    }
}

static void answer(const struct server *server, struct mg_connection *connection, int status,
                   const char *policy, const char *body, size_t bytes)
{
    struct arena *arena = arena_create();
    const char *head = arena_printf(arena,
                                    "HTTP/1.1 %d %s\r\n"
                                    "Content-Type: text/html; charset=utf-8\r\n"
                                    "Content-Length: %zu\r\n"
                                    "Content-Security-Policy: %s; frame-ancestors 'none'\r\n"
                                    "X-Content-Type-Options: nosniff\r\n"
                                    "Referrer-Policy: no-referrer\r\n"
                                    "Cross-Origin-Opener-Policy: same-origin\r\n"
                                    "Cross-Origin-Resource-Policy: same-origin\r\n"
                                    "Cache-Control: no-store\r\n"
                                    "Connection: close\r\n\r\n",
                                    status, words_of(status), bytes, policy);
    server->civetweb.mg_write(connection, head, strlen(head));
    server->civetweb.mg_write(connection, body, bytes);
    arena_destroy(arena);
}

static void answer_refusal(const struct server *server, struct mg_connection *connection,
                           int status)
{
    struct arena *arena = arena_create();
    const char *body = arena_printf(arena, "%d %s\n", status, words_of(status));
    answer(server, connection, status, "default-src 'none'", body, strlen(body));
    arena_destroy(arena);
}

static void answer_page(const struct server *server, struct mg_connection *connection,
                        const char *host)
{
    struct arena *arena = arena_create();
    struct error err;
    struct text_stream page;
    const char *data = arena_printf(arena, "{\"live\": true, \"version\": \"%s\", \"runs\": []}",
                                    fathom_version.version);
    const char *policy = html_live_policy(arena, arena_printf(arena, "ws://%s", host));
    text_stream_open(&page);
    bool written = html_write_live(data, policy, page.file, &err);
    text_stream_close(&page);
    if (written)
        answer(server, connection, PEER_PAGE, policy, page.text, page.bytes);
    else
        answer_refusal(server, connection, 503);
    free(page.text);
    arena_destroy(arena);
}

// Returns 1 if civetweb may open a web socket; else answers the request and returns 0.
static int judge(struct mg_connection *connection, void *context)
{
    struct server *server = context;
    const struct mg_request_info *info = server->civetweb.mg_get_request_info(connection);
    const char *upgrade = header_of(info, "Upgrade");
    const struct peer_http http = {
        .method = info->request_method,
        .path = info->local_uri,
        .host = header_of(info, "Host"),
        .origin = header_of(info, "Origin"),
        .upgrade = upgrade && strcasecmp(upgrade, "websocket") == 0,
        .body_bytes = info->content_length,
    };
    int status = peer_judge(&http);
    if (status == PEER_SOCKET && has_room(server))
        return 1;
    if (status == PEER_PAGE)
        answer_page(server, connection, http.host);
    else
        answer_refusal(server, connection, status == PEER_SOCKET ? 503 : status);
    return 0;
}

// Drops the message, because the answers to requests tell what the user must know.
static int drop_log(const struct mg_connection *connection, const char *message)
{
    (void)connection, (void)message;
    return 1;
}

static bool listen_at(struct server *server, struct arena *arena, struct error *err)
{
    const char *options[] = {
        "listening_ports",
        arena_printf(arena, "127.0.0.1:%u", server->desc->port),
        "num_threads",
        THREADS,
        "request_timeout_ms",
        "3000", // time limit for a request, and for sending to a page that does not read
        "websocket_timeout_ms",
        "1000",
        "enable_websocket_ping_pong",
        "yes", // civetweb closes the socket of a page that does not answer pings
        "enable_auth_domain_check",
        "no",
        "tcp_nodelay",
        "1",
        NULL,
    };
    static const struct mg_callbacks callbacks = {.log_message = drop_log};
    struct mg_init_data init = {.callbacks = &callbacks, .configuration_options = options};
    char text[256] = "";
    struct mg_error_data why = {.text = text, .text_buffer_size = sizeof text};
    server->civetweb.mg_init_library(0);
    server->context = server->civetweb.mg_start2(&init, &why);
    if (!server->context)
        return error_set(err, ERROR_IO,
                         "cannot listen at 127.0.0.1:%u (%s): choose another --port, or none",
                         server->desc->port, text);
    server->civetweb.mg_set_auth_handler(server->context, "**", judge, server);
    server->civetweb.mg_set_websocket_handler(server->context, "/live", NULL, add_tab, take_frame,
                                              remove_tab, server);
    return true;
}

// ---------------------------------------------------------------- starting and ending the server

static bool make_token(char token[2 * TOKEN_BYTES + 1], struct error *err)
{
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return error_set(err, ERROR_IO, "cannot make a token: %s", strerror(errno));
    for (size_t i = 0; i < TOKEN_BYTES; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static const char *make_welcome(struct arena *arena, const struct serve_desc *desc)
{
    struct run *offered = run_create();
    runner_describe(offered, &desc->runner, 0, NULL);
    const char *welcome = answer_welcome(arena, offered);
    run_destroy(offered);
    return welcome;
}

static bool tell_ready(const struct server *server, struct arena *arena, struct error *err)
{
    struct mg_server_port port = {0};
    if (server->civetweb.mg_get_server_ports(server->context, 1, &port) != 1 ||
        !server->desc->ready)
        return true;
    const char *url =
        arena_printf(arena, "http://127.0.0.1:%d/#token=%s", port.port, server->token);
    return server->desc->ready(server->desc->context, url, err);
}

// Waits for the first signal. Meanwhile closes web sockets whose pages send no hello in time.
static void wait_signal(struct server *server)
{
    struct interrupt *interrupt = server->desc->runner.interrupt;
    struct pollfd signals = {.fd = interrupt->fd, .events = POLLIN};
    while (interrupt_count(interrupt) == 0) {
        poll(&signals, 1, TICK_MS);
        close_silent(server);
    }
}

// Serves until the first signal, or until an error. Sets *err to ERROR_INTERRUPTED or to this
// error.
static void serve(struct server *server, struct arena *arena, struct error *err)
{
    const struct live_desc live = {
        .runner = server->desc->runner,
        .argc = server->desc->argc,
        .argv = server->desc->argv,
        .say = say,
        .context = server,
    };
    server->live = live_start(&live, err);
    if (!server->live)
        return;
    bool listens = listen_at(server, arena, err);
    if (listens && tell_ready(server, arena, err)) {
        wait_signal(server);
        error_set(err, ERROR_INTERRUPTED, "interrupted");
    }
    // The cancelled measurement ends while mg_stop closes the web sockets.
    live_cancel(server->live);
    if (listens)
        server->civetweb.mg_stop(server->context);
    live_stop(server->live); // live_stop comes after mg_stop, because web sockets use server->live
}

bool serve_run(const struct serve_desc *desc, struct error *err)
{
    const char *reason;
    if (!html_available(&reason))
        return error_set(err, ERROR_UNSUPPORTED, "serve: the page is not in this build, because %s",
                         reason);
    struct arena *arena = arena_create();
    struct server *server = ARENA_NEW(arena, struct server);
    server->desc = desc;
    server->welcome = make_welcome(arena, desc);
    server->rules = (struct peer_rules){.token = server->token,
                                        .devices = desc->runner.devices,
                                        .system = desc->runner.choices.system};
    pthread_mutex_init(&server->mutex, NULL);
    struct dynlib *library = open_civetweb(&server->civetweb, err);
    if (library && make_token(server->token, err))
        serve(server, arena, err);
    dynlib_close(library);
    pthread_mutex_destroy(&server->mutex);
    arena_destroy(arena);
    return false;
}
