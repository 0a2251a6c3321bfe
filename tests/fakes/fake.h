// SPDX-License-Identifier: MIT
// A GPU that does what a script says: the environment variable FATHOM_FAKE, with commas between its
// parts. EVENT=N is what the N-th call of a process that can fail does:
//
//   fail     fails with ERROR_INTERNAL             memory    fails with ERROR_OUT_OF_MEMORY
//   lose     loses the device, for good            timeout   fails with ERROR_TIMEOUT
//   crash    kills the process                     hang      never returns
//   fault    writes to an address that does not exist
//   wrong    (N-th dispatch) computes wrongly      complain  makes the validation complain
//   garbage  writes nonsense to the worker's channel
//   half     writes half a message there and ends the process
//   stop     stops the process until it gets SIGCONT
//
// Settings, with the default in parentheses:
//
//   devices=N   number of devices, 0 … 2 (2)       cpu=1       the devices are CPUs
//   slow=MS     time of each submission            compile=MS  time of each program
//   noise=N     times are uneven by ±N ‰ (2)       free=BYTES  of the first chip, only by `fake`
//   stuck=1     loading never ends                 doomed=1    loading `fake` crashes
//   flag=N      the first N visits of each case of `sum` ask to be taken again
//   turn=1      `fake` lists its devices in reverse order, except in the process that made `once`
//   shy=1       `mirror` has devices only after others (gpu_backend.after_others)
//   once=PATH   events happen only while PATH does not exist; the first event makes it
//   log=PATH    gets one line for each call
#ifndef FAKES_FAKE_H
#define FAKES_FAKE_H

#include "gpu/backend.h"

struct fake; // the backend's state

// Counts a call and does what the script wants for it. False with the error if it must fail.
bool fake_call(struct fake *fake, const char *name, struct error *err);

// True if the script wants the next dispatch to compute a wrong result.
bool fake_computes_wrongly(struct fake *fake);

struct fake *fake_create(const char *script);
void fake_destroy(struct fake *fake);

// The script's flag=N; 0 without it. For benchmarks, which have no struct fake.
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

// The device time `ns`, made uneven by a seeded series as the script wants.
double fake_uneven(struct fake *fake, double ns);

// Executes a kernel on the host; *ns: the time of the fake GPU. False if there is no such kernel.
bool fake_execute(const struct gpu_dispatch *dispatch, const uint32_t *params, double *ns);

#endif
