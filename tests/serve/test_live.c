// SPDX-License-Identifier: MIT
// The measuring thread of `fathom serve`, with the fake GPU in this process: its messages about a
// measurement, about one that another replaces, and about one that is cancelled.
#include "serve/live.h"

#include "base/text.h"
#include "serve/request.h"

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    MESSAGES_MAX = 256
};

// A page that collects all messages.
struct page {
    struct arena *arena;
    struct gpu_system *system;
    struct device_list devices;
    const struct gpu_info *device;
    struct live *live;
    struct live_desc desc;
    // The measuring thread calls `act` at the first message that begins with `at`.
    const char *at;
    void (*act)(struct page *page);
    pthread_mutex_t mutex;
    pthread_cond_t heard;
    const char *messages[MESSAGES_MAX];
    size_t count;
};

static void hear(void *context, const char *message)
{
    struct page *page = context;
    pthread_mutex_lock(&page->mutex);
    assert_true(page->count < MESSAGES_MAX);
    page->messages[page->count++] = arena_strdup(page->arena, message);
    pthread_cond_signal(&page->heard);
    pthread_mutex_unlock(&page->mutex);
    if (page->at && text_begins(message, page->at)) {
        page->at = NULL;
        page->act(page);
    }
}

// Waits for the first message that begins with `start`, and returns it.
static const char *await(struct page *page, const char *start)
{
    const char *found = NULL;
    pthread_mutex_lock(&page->mutex);
    for (size_t i = 0; !found;) {
        while (i == page->count)
            pthread_cond_wait(&page->heard, &page->mutex);
        if (text_begins(page->messages[i], start))
            found = page->messages[i];
        i++;
    }
    pthread_mutex_unlock(&page->mutex);
    return found;
}

static size_t count(const struct page *page, const char *start)
{
    size_t number = 0;
    for (size_t i = 0; i < page->count; i++)
        number += text_begins(page->messages[i], start);
    return number;
}

static sem_t joined; // counts the calls of pthread_join: live_stop has said by then that it stops

int __real_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result);

int __wrap_pthread_join(pthread_t thread, void **result)
{
    sem_post(&joined);
    return __real_pthread_join(thread, result);
}

static int set_up(void **state)
{
    struct arena *arena = arena_create();
    struct page *page = ARENA_NEW(arena, struct page);
    struct error err;
    setenv("FATHOM_FAKE", "", 1);
    page->arena = arena;
    page->system = gpu_system_create(&(struct gpu_system_desc){.only_api = "fake"});
    page->device = gpu_system_info(page->system, 0);
    page->devices = (struct device_list){.devices = &page->device, .count = 1};
    pthread_mutex_init(&page->mutex, NULL);
    pthread_cond_init(&page->heard, NULL);
    sem_init(&joined, 0, 0);
    page->desc = (struct live_desc){
        .runner = {.in_process = true, .choices.system = page->system, .choices.preset = "quick"},
        .say = hear,
        .context = page};
    page->live = live_start(&page->desc, &err);
    *state = page;
    return page->live ? 0 : -1;
}

static int tear_down(void **state)
{
    struct page *page = *state;
    live_stop(page->live);
    pthread_cond_destroy(&page->heard);
    pthread_mutex_destroy(&page->mutex);
    gpu_system_destroy(page->system);
    arena_destroy(page->arena);
    return 0;
}

static void measure(struct page *page, const char *text)
{
    struct request request = {.arena = arena_create()};
    struct error err;
    assert_true(request_read(text, strlen(text), &page->devices, page->system, &request, &err));
    live_measure(page->live, &request);
}

#define SUM(id, more)                                                                              \
    "{\"type\":\"measure\",\"id\":" id ",\"device\":\"fake:0\",\"benchmark\":\"sum\"" more "}"

// ---------------------------------------------------------------- tests

static void test_a_measurement_is_said_from_start_to_end(void **state)
{
    struct page *page = *state;
    measure(page, SUM("7", ",\"set\":{\"bytes\":\"4KiB,8KiB,16KiB\"}"));
    const char *done = await(page, "{\"type\":\"done\"");
    assert_true(text_begins(page->messages[0], "{\"type\":\"status\""));
    assert_string_equal(page->messages[1], "{\"type\":\"started\",\"id\":7,\"cases\":3}");
    // Each of three cases is sent after each of three rounds, and once more as it is in the run.
    assert_int_equal(count(page, "{\"type\":\"result\",\"id\":7,\"frame\":0"), 3 * 3 + 3);
    assert_true(text_begins(
        done, "{\"type\":\"done\",\"id\":7,\"frame\":0,\"status\":\"complete\",\"run\":{"));
}

static void ask_for_another(struct page *page)
{
    measure(page, SUM("2", ""));
}

static void test_the_last_measurement_wins(void **state)
{
    struct page *page = *state;
    page->at = "{\"type\":\"result\",\"id\":1";
    page->act = ask_for_another;
    measure(page, SUM("1", ",\"continuous\":true"));
    await(page, "{\"type\":\"done\",\"id\":2");
    assert_int_equal(count(page, "{\"type\":\"done\",\"id\":1"), 0);
    assert_int_equal(count(page, "{\"type\":\"result\",\"id\":1"), 1);
}

static void cancel(struct page *page)
{
    live_cancel(page->live);
}

static void test_a_cancelled_measurement_says_what_it_has(void **state)
{
    struct page *page = *state;
    page->at = "{\"type\":\"result\"";
    page->act = cancel;
    measure(page, SUM("1", ""));
    const char *done = await(page, "{\"type\":\"done\"");
    assert_non_null(strstr(done, "\"status\":\"interrupted\",\"run\":{"));
    assert_non_null(strstr(done, "interrupted after 1 round\""));
}

static void test_continuous_frames_end_with_the_last_whole_run(void **state)
{
    struct page *page = *state;
    page->at = "{\"type\":\"result\",\"id\":1,\"frame\":2";
    page->act = cancel;
    measure(page, SUM("1", ",\"continuous\":true"));
    const char *end = await(page, "{\"type\":\"done\",\"id\":1,\"frame\":2");
    assert_non_null(strstr(end, "\"status\":\"complete\",\"run\":{")); // the run of frame 1
    assert_null(strstr(await(page, "{\"type\":\"done\",\"id\":1,\"frame\":0"), "\"run\""));
    assert_null(strstr(await(page, "{\"type\":\"done\",\"id\":1,\"frame\":1"), "\"run\""));
}

static void ask_before_the_end(struct page *page)
{
    ask_for_another(page);
    sem_wait(&joined);
}

static void test_what_waits_at_the_end_is_not_measured(void **state)
{
    struct page *page = *state;
    page->at = "{\"type\":\"started\",\"id\":1";
    page->act = ask_before_the_end;
    measure(page, SUM("1", ",\"continuous\":true"));
    await(page, "{\"type\":\"started\",\"id\":1");
    live_stop(page->live);
    page->live = NULL;
    assert_int_equal(count(page, "{\"type\":\"started\""), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_a_measurement_is_said_from_start_to_end),
        TEST(test_the_last_measurement_wins),
        TEST(test_a_cancelled_measurement_says_what_it_has),
        TEST(test_continuous_frames_end_with_the_last_whole_run),
        TEST(test_what_waits_at_the_end_is_not_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
