// SPDX-License-Identifier: MIT
#include "cli/cli.h"

#include <fcntl.h>

// A standard stream that is closed would be the number of the next file that is opened, a worker's
// socket perhaps, and the tables would go there.
static bool hold_standard_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    if (!hold_standard_streams())
        return EXIT_USAGE; // and nobody to say it to
    return cli_main(argc, argv);
}
