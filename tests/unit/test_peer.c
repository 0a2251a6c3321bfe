// SPDX-License-Identifier: MIT
#include "serve/peer.h"

#include "serve/answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t second_ns = UINT64_C(1000000000);
static const char hello[] = "{\"type\":\"hello\",\"token\":\"secret\"}";
static const char cancel[] = "{\"type\":\"cancel\"}";

struct socket {
    struct peer peer;
    struct device_list devices;
    struct peer_rules rules;
    uint64_t now_ns;
};

static struct socket open_socket(void)
{
    struct socket s = {.now_ns = second_ns, .rules.token = "secret"};
    peer_init(&s.peer, s.now_ns);
    return s;
}

static enum peer_outcome take(struct socket *s, unsigned bits, const char *text)
{
    const struct peer_frame frame = {bits, text, strlen(text)};
    struct request request;
    struct error err;
    s->rules.devices = &s->devices;
    enum peer_outcome outcome = peer_take(&s->peer, &frame, s->now_ns, &s->rules, &request, &err);
    if (outcome == PEER_ASKS)
        arena_destroy(request.arena);
    return outcome;
}

static void test_hello_must_come_first_and_be_right(void **state)
{
    (void)state;
    static const char *const wrong[] = {"{\"type\":\"hello\",\"token\":\"secreT\"}",
                                        "{\"type\":\"hello\",\"token\":\"secrets\"}",
                                        "{\"type\":\"hello\"}",
                                        "{\"type\":\"cancel\"}",
                                        "{",
                                        ""};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct socket s = open_socket();
        assert_int_equal(take(&s, 0x81, wrong[i]), PEER_CLOSES);
        assert_false(s.peer.greeted);
    }
    struct socket s = open_socket();
    assert_int_equal(take(&s, 0x81, hello), PEER_GREETED);
    assert_int_equal(take(&s, 0x81, cancel), PEER_ASKS);
    assert_int_equal(take(&s, 0x81, hello), PEER_CLOSES); // a second hello is refused
}

static void test_a_message_may_come_in_frames(void **state)
{
    (void)state;
    struct socket s = open_socket();
    assert_int_equal(take(&s, 0x01, "{\"type\":\"hel"), PEER_WAITS);
    assert_int_equal(take(&s, 0x89, ""), PEER_WAITS); // a ping between the parts
    assert_int_equal(take(&s, 0x00, "lo\",\"token\":"), PEER_WAITS);
    assert_int_equal(take(&s, 0x80, "\"secret\"}"), PEER_GREETED);
    assert_int_equal(take(&s, 0x80, "{}"), PEER_CLOSES); // there is no message to continue
    s = open_socket();
    assert_int_equal(take(&s, 0x01, "{"), PEER_WAITS);
    assert_int_equal(take(&s, 0x81, "}"), PEER_CLOSES); // begins inside a message
    peer_fini(&s.peer);
    s = open_socket();
    assert_int_equal(take(&s, 0x82, hello), PEER_CLOSES); // binary
    assert_int_equal(take(&s, 0xc1, hello), PEER_CLOSES); // with a bit of an extension
    assert_int_equal(take(&s, 0x88, ""), PEER_CLOSES);    // a closing frame
}

static void test_a_message_has_a_longest_length(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    char *half = arena_alloc(arena, REQUEST_BYTES_MAX / 2 + 1);
    memset(half, ' ', REQUEST_BYTES_MAX / 2);
    struct socket s = open_socket();
    assert_int_equal(take(&s, 0x01, half), PEER_WAITS);
    assert_int_equal(take(&s, 0x00, half), PEER_WAITS);
    assert_int_equal(take(&s, 0x00, " "), PEER_CLOSES);
    peer_fini(&s.peer);
    arena_destroy(arena);
}

// Given a socket that sends as fast as it can, when its allowance is used up, then it is closed. At
// the allowed rate it stays open.
static void test_messages_have_a_rate(void **state)
{
    (void)state;
    struct socket s = open_socket();
    assert_int_equal(take(&s, 0x81, hello), PEER_GREETED);
    for (int i = 1; i < PEER_BURST; i++)
        assert_int_equal(take(&s, 0x81, cancel), PEER_ASKS);
    assert_int_equal(take(&s, 0x81, cancel), PEER_CLOSES);
    s = open_socket();
    assert_int_equal(take(&s, 0x81, hello), PEER_GREETED);
    for (int i = 0; i < 10 * PEER_BURST; i++) {
        s.now_ns += second_ns / PEER_A_SECOND + 1;
        assert_int_equal(take(&s, 0x81, cancel), PEER_ASKS);
    }
}

static int judge(const char *method, const char *path, const char *host, const char *origin)
{
    return peer_judge(&(struct peer_http){.method = method,
                                          .path = path,
                                          .host = host,
                                          .origin = origin,
                                          .upgrade = origin != NULL,
                                          .body_bytes = -1});
}

static void test_host_and_origin(void **state)
{
    (void)state;
    assert_int_equal(judge("GET", "/", "localhost", NULL), PEER_PAGE);
    assert_int_equal(judge("GET", "/", "127.0.0.1:80", NULL), PEER_PAGE);
    assert_int_equal(judge("GET", "/", NULL, NULL), 403);
    assert_int_equal(judge("GET", "/", "localhost.example.com", NULL), 403);
    assert_int_equal(judge("GET", "/", "localhost:80:80", NULL), 403);
    assert_int_equal(judge("GET", "/live", "[::1]:80", "http://[::1]:80"), PEER_SOCKET);
    assert_int_equal(judge("GET", "/live", "[::1]:80", "http://[::1]:81"), 403);
    assert_int_equal(judge("GET", "/live", "[::1]:80", "https://[::1]:80"), 403);
    assert_int_equal(judge("GET", "/live", "[::1]:80", NULL), 426);
    assert_int_equal(judge("POST", "/", "localhost", NULL), 405);
    assert_int_equal(judge("GET", "/favicon.ico", "localhost", NULL), 404);
    struct peer_http large = {.method = "POST", .path = "/", .host = "localhost"};
    large.body_bytes = REQUEST_BYTES_MAX + 1;
    assert_int_equal(peer_judge(&large), 413);
}

static void test_answers_are_one_object(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    assert_string_equal(answer_started(arena, 3, 12),
                        "{\"type\":\"started\",\"id\":3,\"cases\":12}");
    assert_string_equal(answer_error(arena, 0, "a \"b\""),
                        "{\"type\":\"error\",\"message\":\"a \\\"b\\\"\"}");
    assert_string_equal(answer_status(arena, "ready"), "{\"type\":\"status\",\"text\":\"ready\"}");
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hello_must_come_first_and_be_right),
        cmocka_unit_test(test_a_message_may_come_in_frames),
        cmocka_unit_test(test_a_message_has_a_longest_length),
        cmocka_unit_test(test_messages_have_a_rate),
        cmocka_unit_test(test_host_and_origin),
        cmocka_unit_test(test_answers_are_one_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
