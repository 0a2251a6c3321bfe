// SPDX-License-Identifier: MIT
// A GPU that does what a script says. The environment variable FATHOM_FAKE, read nowhere but here,
// holds EVENT=N with commas between: the N-th fallible call of a process
//
//   fail     fails with ERROR_INTERNAL            memory   … with ERROR_OUT_OF_MEMORY
//   lose     loses the device, for good           timeout  … with ERROR_TIMEOUT
//   crash    takes the process down               hang     never comes back
//   wrong    (the N-th dispatch) computes wrongly complain makes the validation complain
//   garbage  writes nonsense to the worker's channel
//   half     writes half a message there and ends the process
//   stop     stops the process until somebody sends SIGCONT
//
// and: devices=N (0 … 2; 2), cpu=1 (the devices are CPUs), free=BYTES (of the first chip's memory,
// which `fake` alone reports), slow=MS (each submission takes so long),
// compile=MS (so does each program),
// noise=N (times are uneven by ±N ‰; 2), stuck=1 (loading it never ends), doomed=1 (loading `fake`
// crashes), turn=1 (the processes after the one that made the file of `once` list the devices of
// `fake` in reverse order), flag=N (the first N visits of each case of `sum` ask to be taken
// again), shy=1 (`mirror` has devices only after others, see gpu_backend.after_others), once=PATH
// (events happen only while PATH does not exist; the first makes it), log=PATH (one line for each
// call).
#ifndef FAKES_FAKE_H
#define FAKES_FAKE_H

#include "gpu/backend.h"

struct fake; // the state of the backend

// Counts a call and does what the script wants with it; false with the error.
bool fake_call(struct fake *fake, const char *name, struct error *err);

// Whether the dispatch that comes next is to be computed wrongly.
bool fake_computes_wrongly(struct fake *fake);

struct fake *fake_create(const char *script);
void fake_destroy(struct fake *fake);

// The script's flag=N; 0 without it. For benchmarks, which have no fake.
unsigned fake_flags(void);

unsigned fake_devices(const struct fake *fake);
bool fake_is_cpu(const struct fake *fake);
uint64_t fake_free_bytes(const struct fake *fake);
bool fake_is_turned(const struct fake *fake);
bool fake_is_doomed(const struct fake *fake);
bool fake_is_shy(void);
void fake_submit_slowly(const struct fake *fake);
void fake_compile_slowly(const struct fake *fake);
size_t fake_complaints(const struct fake *fake);

// Device time, scripted: `ns` made uneven by a seeded series.
double fake_uneven(struct fake *fake, double ns);

// Executes a kernel on the host and tells how long the fake GPU took; false: no such kernel.
bool fake_execute(const struct gpu_dispatch *dispatch, const uint32_t *params, double *ns);

#endif
