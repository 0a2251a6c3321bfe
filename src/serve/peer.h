// SPDX-License-Identifier: MIT
// One web socket of a page, as the server sees it: frames in, at most one request out. It joins the
// frames of a message, asks for the token first, and bounds how much and how often a page may send.
#ifndef SERVE_PEER_H
#define SERVE_PEER_H

#include "serve/request.h"

#define PEER_HELLO_NS UINT64_C(5000000000) // a socket without a valid hello is closed after this

enum {
    PEER_BURST = 240,   // most messages at once
    PEER_A_SECOND = 120 // most messages a second, for longer
};

struct peer {
    bool greeted;        // its hello was right
    uint64_t opened_ns;  // by base/clock.h, as every now_ns
    struct arena *arena; // of the message whose frames come in; NULL: none
    char *text;          // what came of it
    size_t used, capacity;
    double allowance;    // number of messages that it may send now
    uint64_t counted_ns; // when `allowance` was true
};

// What all peers share.
struct peer_rules {
    const char *token; // what a hello must name
    const struct device_list *devices;
    const struct gpu_system *system;
};

// A frame as it came: the first byte of its head (RFC 6455, section 5.2), and its data, unmasked.
struct peer_frame {
    unsigned bits;
    const char *data;
    size_t bytes;
};

enum peer_outcome {
    PEER_WAITS,   // nothing is to be done
    PEER_GREETED, // its hello was right
    PEER_ASKS,    // it asks for request->kind; the caller destroys request->arena
    PEER_REFUSED, // its message was wrong: err, and request->id if it has one
    PEER_CLOSES   // the socket must be closed: it broke a rule, or said good-bye
};

void peer_init(struct peer *peer, uint64_t now_ns);
void peer_fini(struct peer *peer);

// Takes one frame.
enum peer_outcome peer_take(struct peer *peer, const struct peer_frame *frame, uint64_t now_ns,
                            const struct peer_rules *rules, struct request *request,
                            struct error *err);

// ---------------------------------------------------------------- HTTP

struct peer_http {
    const char *method, *path;
    const char *host, *origin; // NULL: the header is absent, or there several times
    bool upgrade;              // it asks for a web socket
    long long body_bytes;      // -1: not said
};

enum {
    PEER_PAGE = 200,  // the page is the answer
    PEER_SOCKET = 101 // a web socket is
};

// The status with which a request is answered: PEER_PAGE, PEER_SOCKET or an error. A Host that is
// no name of this machine's loopback gives 403: a page of another site could have it (DNS
// rebinding). Its port does not count, because an ssh tunnel has another. So does an Origin of a
// web socket that is not of that Host.
int peer_judge(const struct peer_http *http);

#endif
