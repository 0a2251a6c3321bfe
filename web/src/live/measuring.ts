// SPDX-License-Identifier: MIT
// When this page asks for a measurement, and which answers belong to it. While a control moves,
// each request waits for the first answer to the request before it, so the time line follows the
// control.
import type { Measure } from "./messages";

const PAUSE_MS = 40; // changes within this time become one request
const ANSWER_MS = 4000; // a request without an answer may be replaced after this time

export class Measuring {
  // Each page numbers its requests from a random start, so that ids of several pages differ.
  private readonly first = 1000000 * Math.floor(1 + Math.random() * 1000000);
  private last = this.first;
  private answered = true;
  private sentAt = 0;
  private timer = 0;
  private readonly send: (id: number) => void;

  constructor(send: (id: number) => void) {
    this.send = send;
  }

  request(): void {
    const pause = this.answered ? PAUSE_MS : Math.max(PAUSE_MS, this.sentAt + ANSWER_MS - performance.now());
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      this.answered = false;
      this.sentAt = performance.now();
      this.send(++this.last);
    }, pause);
  }

  // Called for a result, an error or the end of the measurement with this id. No id: the server
  // could not read the request.
  answer(id: Measure["id"] | undefined): void {
    if (id !== undefined && id !== this.last) return;
    this.answered = true;
    if (this.timer !== 0) this.request();
  }

  // Ends the requests: nothing more is asked.
  stop(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    this.answered = true;
  }

  // True if this page sent the request `id`, and has sent another one since.
  isReplaced = (id: number): boolean => id > this.first && id < this.last;

  isForeign = (id: number): boolean => id <= this.first || id > this.last;
}
