// SPDX-License-Identifier: MIT
#include "cli/cli.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>

// Opens /dev/null in place of each closed standard stream. Otherwise a file opened later, perhaps a
// worker's socket, would get the stream's number, and fathom would print into it.
static bool hold_standard_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            return false;
    return true;
}

// Keeps the decimal point for this thread, although a driver or a layer may call setlocale.
// Otherwise numbers of the protocol and of files would get a comma in many countries.
static void hold_decimal_point(void)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain != (locale_t)0)
        uselocale(plain);
}

int main(int argc, char **argv)
{
    if (!hold_standard_streams())
        return EXIT_USAGE; // without a message, because stderr may be closed, too
    hold_decimal_point();
    // If SIGXFSZ is ignored, writing beyond the file size limit (ulimit -f) fails, as on a full
    // disk.
    sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    // If SIGCHLD is ignored, as by some programs that start others, the kernel does not tell how a
    // child ended.
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    return cli_main(argc, argv);
}
