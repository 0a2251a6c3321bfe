// SPDX-License-Identifier: MIT
// Makes a run small and anonymous, so that its owner can publish it. The result is an ordinary run.
#ifndef ANALYSIS_SHARE_H
#define ANALYSIS_SHARE_H

#include "results/results.h"

// Removes from the run what identifies a machine or its owner, and what readers do not need:
//
//   run        The command and the checks.
//   host       All but os, architecture, cpu and cpu_threads.
//   device     UUID and PCI address.
//   benchmark  The help texts of parameters and metrics, and the choices of parameters.
//   result     Results without figures (skipped, failed). Results whose case has the name or the
//              text of a file. From the other results: series, kernel, medians of rounds, sensors
//              other than clocks, and the texts of reasons (their codes stay). Also details, except
//              those of a map.
//   finding    Findings about removed results, and findings without a device or a result.
//
// Medians, intervals, limits and clocks keep four digits. Details and findings whose text contains
// a path are removed.
void share_strip(struct run *run);

// Removes the least important results, and the findings about them. Results of benchmarks without a
// headline of kind HEADLINE_LEVELS go first. A later call removes results of the other benchmarks
// (latency, bandwidth, map). A result that a headline may show always stays. Returns false and
// removes nothing if only such results are left.
bool share_thin(struct run *run);

#endif
