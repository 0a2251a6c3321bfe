// SPDX-License-Identifier: MIT
// The server's side of one page's web socket. peer_take receives one frame and returns at most one
// request. It joins the frames of a message, and requires the token in the first message. It limits
// how much and how often a page may send.
#ifndef SERVE_PEER_H
#define SERVE_PEER_H

#include "serve/request.h"

// Time in ns after which a web socket is closed if its page has not sent a valid hello.
#define PEER_HELLO_NS UINT64_C(5000000000)

enum {
    PEER_BURST = 240, // number of messages that a page may send at once
    // Average number of messages per second that a page may send. A burst may be faster.
    PEER_A_SECOND = 120
};

struct peer {
    bool greeted;        // true if the page has sent a hello with the right token
    uint64_t opened_ns;  // time at which the socket was opened (clock_now_ns)
    struct arena *arena; // arena of a message whose last frame has not come; NULL if there is none
    char *text;          // text of the incomplete message, as far as it has come
    size_t used, capacity;
    double allowance;    // number of messages that the page may send now
    uint64_t counted_ns; // time at which `allowance` was computed
};

// Data that the web sockets of all pages share.
struct peer_rules {
    const char *token; // the server's secret token, which a hello must contain
    const struct device_list *devices;
    const struct gpu_system *system;
};

// A received frame of a web socket: the first byte of its head (RFC 6455, section 5.2), and its
// data after unmasking.
struct peer_frame {
    unsigned bits;
    const char *data;
    size_t bytes;
};

enum peer_outcome {
    PEER_WAITS,   // the caller has nothing to do
    PEER_GREETED, // the page sent a hello with the right token
    PEER_ASKS,    // the page made a request (request->kind); the caller destroys request->arena
    PEER_REFUSED, // the message is wrong (err); request->id is its id, 0 if not known
    PEER_CLOSES   // the caller must close the socket: the page broke a rule, or wants to close it
};

void peer_init(struct peer *peer, uint64_t now_ns);
void peer_fini(struct peer *peer);

// Takes one frame of the page's web socket. Returns what the caller must do.
enum peer_outcome peer_take(struct peer *peer, const struct peer_frame *frame, uint64_t now_ns,
                            const struct peer_rules *rules, struct request *request,
                            struct error *err);

// ---------------------------------------------------------------- judging HTTP requests

struct peer_http {
    const char *method, *path;
    // Values of the headers Host and Origin. A missing or repeated header has the value NULL.
    const char *host, *origin;
    bool upgrade;         // true if the request asks for a web socket
    long long body_bytes; // length of the body in bytes; -1 if it is not known
};

enum {
    PEER_PAGE = 200,  // HTTP status of the answer that contains the page
    PEER_SOCKET = 101 // HTTP status of the answer that opens a web socket
};

// Returns the HTTP status of the answer: PEER_PAGE, PEER_SOCKET or an error. It is 403 if Host is
// not a name of the loopback address, with any port (against DNS rebinding; an ssh tunnel has its
// own port), or if a web socket's Origin is not "http://" followed by Host.
int peer_judge(const struct peer_http *http);

#endif
