// SPDX-License-Identifier: MIT
// The time lines of results as a trace for Perfetto, the same as report/trace.c writes.
import { laneName } from "../charts/lanes";
import { edgesOf, isTimeline, lineOf } from "../charts/timeline";
import type { Result, Series } from "../run";

const FIRST_TRACK = 1000; // lowest number of a track: above those of processes
const TRACKS_A_CORE = 64; // most tracks of a core: spans on one track must not overlap
const CORES_MAX = 4096;
const FIRST_NS = 1000; // Perfetto 20 ignores the value of a counter at time 0

type Event = Record<string, unknown>;
interface Track { pid: number; tid: number; name: string }
interface Bound { ns: number; late: boolean; row: number; change: 1 | -1 }

const micro = (ns: number): number => Number((ns / 1e3).toPrecision(15));

// The spans of a series. Their times count from `from`, which is the earliest start unless it is set.
class Spans {
  readonly rows: number;
  readonly to: number;
  from: number;

  constructor(readonly result: Result, readonly series: Series) {
    this.rows = series.data.length;
    const all = series.data.map((_, i) => i);
    this.from = all.reduce((from, i) => Math.min(from, this.cell(i, "start", 0)), Infinity);
    this.to = all.reduce((to, i) => Math.max(to, this.cell(i, "end", 0)), -Infinity);
  }

  get length(): number {
    return this.to - this.from;
  }

  cell(row: number, name: string, fallback: number): number {
    const at = this.series.columns.indexOf(name);
    return at < 0 ? fallback : this.series.data[row]?.[at] ?? 0;
  }

  start(row: number): number {
    return this.cell(row, "start", 0) - this.from;
  }

  end(row: number): number {
    return this.cell(row, "end", 0) - this.from;
  }

  label(row: number): string {
    return laneName(this.result, this.cell(row, "lane", 0));
  }
}

class Trace {
  readonly events: Event[] = [];
  private readonly tracks: Track[] = [];
  private flows = 0;
  private startNs = 0; // start of the current result: results follow one another

  private add(ph: string, name: string, pid: number, tid: number, ns: number, rest: Event): void {
    this.events.push({ ph, name, pid, tid, ts: micro(FIRST_NS + this.startNs + ns), ...rest });
  }

  private addTrack(pid: number, tid: number, name: string): void {
    this.tracks.push({ pid, tid, name });
    this.add("M", tid < 0 ? "process_name" : "thread_name", pid, tid < 0 ? 0 : tid, 0, { args: { name } });
  }

  // Returns the process with this name. All results of a device that use the same queue share it.
  private process(name: string): number {
    const known = this.tracks.find((track) => track.tid < 0 && track.name === name);
    if (known) return known.pid;
    const pid = this.tracks.reduce((last, track) => Math.max(last, track.pid), 0) + 1;
    this.addTrack(pid, -1, name);
    return pid;
  }

  // Returns the track with this name. All numbers of tracks and processes differ, because Perfetto
  // 20 mixes up equal ones.
  private track(pid: number, name: string): number {
    const known = this.tracks.find((track) => track.pid === pid && track.tid >= 0 && track.name === name);
    if (known) return known.tid;
    const tid = FIRST_TRACK + this.tracks.length;
    this.addTrack(pid, tid, name);
    return tid;
  }

  private addSpan(name: string, pid: number, tid: number, start: number, end: number): void {
    this.add("X", name, pid, tid, start, { dur: micro(end - start) });
  }

  private queueOf(line: Spans, row: number): number {
    return this.process(`${line.result.device} queue ${line.cell(row, "queue", 0)}`);
  }

  private addFlowEnd(ph: "s" | "f", line: Spans, row: number, ns: number): void {
    const pid = this.queueOf(line, row);
    this.add(ph, "waits", pid, this.track(pid, line.label(row)), ns,
      { cat: "waits", id: this.flows, ...(ph === "f" ? { bp: "e" } : {}) });
  }

  private addLine(line: Spans): void {
    const cases = this.process(`${line.result.device} cases`);
    this.addSpan(line.result.key, cases, this.track(cases, "cases"), 0, line.length);
    for (let row = 0; row < line.rows; row++) {
      const pid = this.queueOf(line, row), label = line.label(row);
      this.addSpan(label, pid, this.track(pid, label), line.start(row), line.end(row));
    }
    for (const [from, to] of edgesOf(line.result, line.series)) {
      if (from < 0 || from >= line.rows || to < 0 || to >= line.rows) continue;
      const start = line.start(from), end = line.end(from);
      this.addFlowEnd("s", line, from, end - Math.min(1, (end - start) / 2)); // that span still runs then
      this.addFlowEnd("f", line, to, line.start(to));
      this.flows++;
    }
  }

  // Returns the starts and ends of spans by time. At the same time ends come first, because they
  // free their tracks; but a span without a length ends after its start.
  private bounds(crowd: Spans): Bound[] {
    const all = crowd.series.data.flatMap((_, row): Bound[] => {
      const start = crowd.start(row), end = crowd.end(row), late = end <= start;
      return [{ ns: start, late: false, row, change: 1 }, { ns: late ? start : end, late, row, change: -1 }];
    });
    return all.sort((a, b) => a.ns - b.ns || Number(a.late) - Number(b.late) || a.change - b.change);
  }

  // Each core gets as many tracks as the most spans that it ran at once.
  private addCrowd(crowd: Spans): void {
    const used = new Map<number, boolean[]>(), tracks: number[] = [], bounds = this.bounds(crowd);
    let count = 0;
    bounds.forEach(({ ns, late, row, change }, m) => {
      const core = crowd.cell(row, "core", -1), next = bounds[m + 1], taken = used.get(core) ?? [];
      count += change;
      if (!next || next.ns !== ns || next.late !== late)
        this.add("C", "at once", this.process(`${crowd.result.device} cores`), 0, ns,
          { args: { [crowd.series.name]: count } });
      if (!(core >= 0 && core < CORES_MAX)) return;
      used.set(core, taken);
      if (change < 0) {
        taken[tracks[row] ?? 0] = false;
        return;
      }
      let track = 0;
      while (track + 1 < TRACKS_A_CORE && taken[track]) track++;
      taken[track] = true;
      tracks[row] = track;
      const pid = this.process(`${crowd.result.device} cores`);
      this.addSpan(crowd.label(row), pid, this.track(pid, `core ${core}${track > 0 ? `, ${track + 1}` : ""}`),
        crowd.start(row), crowd.end(row));
    });
  }

  addResult(result: Result): void {
    const series = lineOf(result);
    if (!series) return;
    const line = new Spans(result, series);
    const other = result.series?.find((one) => one !== series && isTimeline(one) && one.columns.includes("lane"));
    const crowd = other && new Spans(result, other);
    if (!(line.length > 0)) return;
    // Both count from the same time, so that cores and queues stay aligned.
    if (crowd) line.from = crowd.from = Math.min(line.from, crowd.from);
    this.addLine(line);
    if (crowd) this.addCrowd(crowd);
    this.startNs += Math.ceil(Math.max(line.length, crowd?.length ?? 0) * 1.1);
  }
}

export function traceOf(results: Result[]): string {
  const trace = new Trace();
  results.forEach((result) => trace.addResult(result));
  return JSON.stringify({ traceEvents: trace.events });
}
