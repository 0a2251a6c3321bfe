// SPDX-License-Identifier: MIT
// The report page as cmake/Web.cmake puts it into the program.
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdint.h>

// The HTML, not NUL-terminated, with @RUNS@ where the JSON of the runs goes; empty where the page
// could not be built.
extern const char report_page[];
extern const uint64_t report_page_bytes;

// Why it could not: one line, no full stop; "" where it is there.
extern const char report_page_reason[];

#endif
