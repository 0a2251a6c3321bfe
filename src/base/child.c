// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // _GNU_SOURCE makes unistd.h declare pipe2
#include "base/child.h"

#include "base/child_channel.h"
#include "base/clock.h"
#include "base/crash.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    WORDS_BYTES = 2048,
    LAST_LINE_BYTES = 256,
    FILE_NAME_BYTES = 64,
    HOW_BYTES = FILE_NAME_BYTES + 96,
    END_TEXT_BYTES = LAST_LINE_BYTES + HOW_BYTES + 32,
    SLICE_MS = 1000,   // maximum duration of one wait for children in ms (without_stop)
    CHILDREN_MAX = 16, // largest number of children that child_receive_any accepts
    EXEC_FAILED = 127
};
static const size_t line_bytes_default = (size_t)64 << 20;
// pause in ns between two checks whether a child has ended
static const uint64_t nap_ns = NS_PER_MS / 4;
static const uint64_t killed_ns = 5 * NS_PER_S; // maximum wait in ns for the end of a killed child

struct child {
    // process id of the child; 0 once this process no longer waits for its end
    pid_t pid;
    int status;
    bool killed; // true if this process sent SIGKILL to the child
    size_t line_bytes_max;
    struct child_channel channel;
    int words_fd; // pipe from which this process reads what the child prints
    char words[WORDS_BYTES];
    size_t words_used;
    char last_line[LAST_LINE_BYTES];
    char crashed_in[FILE_NAME_BYTES]; // file in which the child crashed; "" if not known
    char end_text[END_TEXT_BYTES];
};

// ---------------------------------------------------------------- starting a child

struct plumbing {
    int ours, theirs;                  // ends of the channel: the parent's end, the child's end
    int words_read, words_write;       // pipe for the child's output: read end, write end
    int exec_failed_read, exec_failed; // pipe for the errno of a failed exec: read end, write end
};

static void plumbing_close(struct plumbing *p)
{
    const int fds[] = {p->ours,        p->theirs,           p->words_read,
                       p->words_write, p->exec_failed_read, p->exec_failed};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static bool plumbing_open(struct plumbing *p)
{
    *p = (struct plumbing){-1, -1, -1, -1, -1, -1};
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    p->ours = pair[0];
    p->theirs = pair[1];
    if (pipe2(pair, O_CLOEXEC) != 0)
        return false;
    p->words_read = pair[0];
    p->words_write = pair[1];
    if (pipe2(pair, O_CLOEXEC) != 0)
        return false;
    p->exec_failed_read = pair[0];
    p->exec_failed = pair[1];
    return fcntl(p->ours, F_SETFL, O_NONBLOCK) == 0 &&
           fcntl(p->words_read, F_SETFL, O_NONBLOCK) == 0;
}

// Runs between fork and exec. Makes only async-signal-safe calls, because the parent may have
// threads.
static _Noreturn void become(const struct child_desc *desc, const struct plumbing *p, pid_t parent)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t none;
    sigemptyset(&none);
    sigaction(SIGINT, &ignore, NULL);
    sigaction(SIGTERM, &ignore, NULL);
    sigaction(SIGHUP, &ignore, NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (desc->outlives)
        setsid();
    else
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    // If the parent ended before prctl, no signal comes. Then getppid differs, and the child ends.
    if (getppid() == parent && dup2(p->theirs, STDIN_FILENO) >= 0 &&
        dup2(p->words_write, STDOUT_FILENO) >= 0 &&
        (desc->outlives || dup2(p->words_write, STDERR_FILENO) >= 0))
        execve(desc->argv[0], (char *const *)desc->argv,
               desc->environment ? (char *const *)desc->environment : environ);
    int failure = errno;
    ssize_t written = write(p->exec_failed, &failure, sizeof failure);
    _exit(written == sizeof failure ? EXEC_FAILED : EXEC_FAILED - 1);
}

// Returns 0 if exec succeeded, which closes the pipe; else the errno that the child wrote.
static int exec_result(const struct plumbing *p)
{
    int failure = 0;
    ssize_t got;
    do
        got = read(p->exec_failed_read, &failure, sizeof failure);
    while (got < 0 && errno == EINTR);
    return got == sizeof failure ? failure : 0;
}

struct child *child_create(const struct child_desc *desc, struct error *err)
{
    struct plumbing p;
    pid_t parent = getpid();
    pid_t pid = plumbing_open(&p) ? fork() : -1;
    if (pid == 0)
        become(desc, &p, parent);
    if (pid < 0) {
        error_set(err, ERROR_IO, "cannot start %s: %s", desc->argv[0], strerror(errno));
        plumbing_close(&p);
        return NULL;
    }
    close(p.exec_failed);
    p.exec_failed = -1;
    int failure = exec_result(&p);
    if (failure) {
        error_set(err, ERROR_IO, "cannot start %s: %s", desc->argv[0], strerror(failure));
        waitpid(pid, NULL, 0);
        plumbing_close(&p);
        return NULL;
    }
    struct child *child = arena_malloc(sizeof *child);
    *child = (struct child){.pid = pid, .words_fd = p.words_read};
    child->line_bytes_max = desc->line_bytes_max ? desc->line_bytes_max : line_bytes_default;
    child_channel_init(&child->channel, p.ours);
    p.ours = p.words_read = -1;
    plumbing_close(&p);
    return child;
}

// ---------------------------------------------------------------- talking to children

// Reads what the child has printed so far. Keeps only the last WORDS_BYTES bytes of it.
static void words_drain(struct child *child)
{
    char fresh[WORDS_BYTES];
    ssize_t got;
    while (child->words_fd >= 0 && (got = read(child->words_fd, fresh, sizeof fresh)) > 0) {
        size_t count = (size_t)got;
        size_t keep =
            child->words_used + count > WORDS_BYTES ? WORDS_BYTES - count : child->words_used;
        memmove(child->words, child->words + child->words_used - keep, keep);
        memcpy(child->words + keep, fresh, count);
        child->words_used = keep + count;
    }
}

bool child_send(struct child *child, const char *line, uint64_t timeout_ns, struct error *err)
{
    return child_channel_send(&child->channel, line, clock_deadline_ns(timeout_ns)) ||
           error_set(err, ERROR_IO, "cannot send to the child process: %s", strerror(errno));
}

static int poll_timeout_ms(uint64_t deadline_ns)
{
    uint64_t left_ns = clock_left_ns(deadline_ns);
    uint64_t ms = left_ns / NS_PER_MS + (left_ns % NS_PER_MS != 0);
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

static enum child_answer receive_bytes(struct child *child)
{
    ssize_t got = child_channel_fill(&child->channel, child->line_bytes_max);
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)))
        return CHILD_LINE;
    return got < 0 && errno == EMSGSIZE ? CHILD_MALFORMED : CHILD_GONE;
}

// Copies `length` bytes to `text`, which has `bytes` bytes, as printable ASCII.
static void copy_printable(char *text, size_t bytes, const char *from, size_t length)
{
    length = length < bytes - 1 ? length : bytes - 1;
    for (size_t i = 0; i < length; i++)
        text[i] = from[i] >= ' ' && from[i] < 0x7f ? from[i] : ' ';
    text[length] = '\0';
}

// If the line is one of crash_announce, keeps the name of the file in which the child crashes.
// Returns false for any other line.
static bool take_crash(struct child *child, const char *line)
{
    if (!text_begins(line, CRASH_WORD))
        return false;
    const char *name = line + strlen(CRASH_WORD);
    copy_printable(child->crashed_in, sizeof child->crashed_in, name, strlen(name));
    return true;
}

// Takes the next whole line from the channel's buffer. Returns false if the buffer has none.
static bool take_line(struct child *child, const char **line, enum child_answer *answer)
{
    size_t before;
    const char *whole;
    do {
        before = child->channel.consumed;
        whole = child_channel_line(&child->channel);
    } while (whole && take_crash(child, whole));
    if (!whole)
        return false;
    *line = whole;
    *answer = strlen(whole) + 1 == child->channel.consumed - before ? CHILD_LINE : CHILD_MALFORMED;
    return true;
}

// Reads a child's data after poll. If no more lines can come, returns false and sets *answer.
static bool take_bytes(struct child *child, const struct pollfd *channel,
                       const struct pollfd *words, enum child_answer *answer)
{
    if (words->revents)
        words_drain(child);
    if (words->revents & (POLLHUP | POLLERR) && child->words_fd >= 0) {
        close(child->words_fd); // closing keeps poll from reporting the ended pipe again
        child->words_fd = -1;
    }
    *answer = channel->revents ? receive_bytes(child) : CHILD_LINE;
    return *answer == CHILD_LINE;
}

// Returns the deadline after a wait that began at `began_ns` and was to take SLICE_MS at most. If
// the wait took much longer, this process and its children were stopped (Ctrl-Z). Then the deadline
// moves by the duration of the wait.
static uint64_t without_stop(uint64_t deadline_ns, uint64_t began_ns)
{
    uint64_t took_ns = clock_now_ns() - began_ns;
    if (took_ns <= 2 * (uint64_t)SLICE_MS * NS_PER_MS)
        return deadline_ns;
    return took_ns > UINT64_MAX - deadline_ns ? UINT64_MAX : deadline_ns + took_ns;
}

static void list_fds(struct child *const *children, size_t count, int wake_fd, struct pollfd *fds)
{
    for (size_t i = 0; i < count; i++) {
        const struct child *child = children[i];
        fds[2 * i] = (struct pollfd){.fd = child ? child->channel.fd : -1, .events = POLLIN};
        fds[2 * i + 1] = (struct pollfd){.fd = child ? child->words_fd : -1, .events = POLLIN};
    }
    fds[2 * count] = (struct pollfd){.fd = wake_fd, .events = POLLIN};
}

enum child_answer child_receive_any(struct child *const *children, size_t count,
                                    uint64_t timeout_ns, int wake_fd, size_t *from,
                                    const char **line)
{
    uint64_t deadline_ns = clock_deadline_ns(timeout_ns);
    struct pollfd fds[2 * CHILDREN_MAX + 1];
    enum child_answer answer;
    // poll never times out while a child prints without end, so the loop also checks the clock.
    for (bool is_last = false;; is_last = clock_left_ns(deadline_ns) == 0) {
        for (*from = 0; *from < count; ++*from)
            if (children[*from] && take_line(children[*from], line, &answer))
                return answer;
        if (is_last)
            return CHILD_TIMEOUT;
        list_fds(children, count, wake_fd, fds);
        uint64_t began_ns = clock_now_ns();
        int wait_ms = poll_timeout_ms(deadline_ns);
        int ready = poll(fds, 2 * count + 1, wait_ms < SLICE_MS ? wait_ms : SLICE_MS);
        deadline_ns = without_stop(deadline_ns, began_ns);
        if (ready < 0 && errno != EINTR) // poll may fail for lack of memory: wait, try again
            clock_sleep_ns(nap_ns);
        bool read = false;
        for (*from = 0; ready > 0 && *from < count; ++*from) {
            const struct pollfd *own = &fds[2 * *from];
            read |= own->revents != 0;
            if (children[*from] && !take_bytes(children[*from], own, own + 1, &answer))
                return answer;
        }
        if (ready > 0 && !read && fds[2 * count].revents)
            return CHILD_WOKEN;
    }
}

enum child_answer child_receive(struct child *child, uint64_t timeout_ns, int wake_fd,
                                const char **line)
{
    size_t from;
    return child_receive_any(&child, 1, timeout_ns, wake_fd, &from, line);
}

// ---------------------------------------------------------------- ending a child

static bool reap(struct child *child)
{
    pid_t got;
    do
        got = waitpid(child->pid, &child->status, WNOHANG);
    while (got < 0 && errno == EINTR);
    if (got == 0)
        return false;
    child->pid = 0;
    return true;
}

// Waits for the child's end. Meanwhile empties the child's pipe, because a full pipe would block
// the child.
static bool await_end(struct child *child, uint64_t timeout_ns)
{
    uint64_t deadline_ns = clock_deadline_ns(timeout_ns);
    while (!reap(child)) {
        uint64_t left_ns = clock_left_ns(deadline_ns);
        words_drain(child);
        if (left_ns == 0)
            return false;
        clock_sleep_ns(left_ns < nap_ns ? left_ns : nap_ns);
    }
    return true;
}

static void end(struct child *child, uint64_t grace_ns)
{
    if (child->pid == 0)
        return;
    shutdown(child->channel.fd, SHUT_RDWR);
    if (!await_end(child, grace_ns)) {
        child->killed = true;
        kill(child->pid, SIGKILL);
        // the child may still not end, if it hangs in a system call
        (void)await_end(child, killed_ns);
        child->pid = 0;
    }
    words_drain(child);
}

void child_destroy(struct child *child, uint64_t grace_ns)
{
    if (!child)
        return;
    end(child, grace_ns);
    close(child->channel.fd);
    if (child->words_fd >= 0)
        close(child->words_fd);
    child_channel_fini(&child->channel);
    free(child);
}

// Copies the last non-blank line of the child's output to `text`, in printable ASCII.
static void last_words(const struct child *child, char *text, size_t bytes)
{
    const char *words = child->words;
    size_t end_at = child->words_used;
    while (end_at && (unsigned char)words[end_at - 1] <= ' ')
        end_at--;
    size_t start = end_at;
    while (start && words[start - 1] != '\n')
        start--;
    copy_printable(text, bytes, words + start, end_at - start);
}

struct child_end child_end(struct child *child)
{
    end(child, NS_PER_S / 4);
    last_words(child, child->last_line, sizeof child->last_line);
    bool by_signal = WIFSIGNALED(child->status);
    return (struct child_end){.signal = by_signal ? WTERMSIG(child->status) : 0,
                              .status = by_signal ? 0 : WEXITSTATUS(child->status),
                              .words = child->last_line,
                              .crashed_in = child->crashed_in};
}

const char *child_end_text(struct child *child)
{
    struct child_end how = child_end(child);
    char text[HOW_BYTES];
    if (child->killed)
        snprintf(text, sizeof text, "this process ended it");
    else if (how.signal)
        snprintf(text, sizeof text, "it was killed by signal %d (%s)%s%s", how.signal,
                 strsignal(how.signal), *how.crashed_in ? " in " : "", how.crashed_in);
    else
        snprintf(text, sizeof text, "it ended with status %d", how.status);
    snprintf(child->end_text, sizeof child->end_text, "%s%s%s", text,
             *how.words ? "; its last output: " : "", how.words);
    return child->end_text;
}

// ---------------------------------------------------------------- copying the environment

const char *const *child_environment_copy(struct arena *arena)
{
    size_t count = 0;
    while (environ && environ[count])
        count++;
    const char **copy = ARENA_ARRAY(arena, count + 1, const char *);
    for (size_t i = 0; i < count; i++)
        copy[i] = arena_strdup(arena, environ[i]);
    copy[count] = NULL;
    return copy;
}
