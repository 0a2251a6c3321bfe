// SPDX-License-Identifier: MIT
// The page of `fathom serve`: controls, the last result, and the report of everything measured.
import { Charts } from "../chart";
import { download, h } from "../dom";
import type { Result, Run } from "../run";
import { themeButton } from "../sidebar";
import { keepState, savedState, takeToken } from "./address";
import type { State } from "./address";
import { Editor } from "./editor";
import { Link } from "./link";
import { Measuring } from "./measuring";
import type { Done, FromServer, Welcome } from "./messages";
import { Report } from "./report";
import { View } from "./view";

const LISTEN_MS = 300; // a new page listens first, and does not interrupt another page's measurement

export class LivePage {
  readonly charts = new Charts();
  private readonly main = document.querySelector("main") as HTMLElement;
  private readonly connection = h("p", { class: "warning", role: "status", hidden: true });
  private readonly error = h("p", { class: "warning", role: "alert", hidden: true });
  private readonly progress = h("p", { class: "subtitle live-progress", role: "status" });
  private readonly link: Link;
  private readonly measuring = new Measuring((id) => this.ask(id));
  private readonly body = h("div");
  private readonly continuous = h("input", { type: "checkbox", "data-key": "continuous", change: () => this.switch() });
  private readonly saveRun = h("button", {
    type: "button", "data-key": "run", disabled: true, click: () => this.save(),
  }, "Save run file");
  private saved: Partial<State> = {};
  private welcome: Welcome | undefined;
  private editor: Editor | undefined;
  private view: View | undefined;
  private report: Report | undefined;
  private run: Run | undefined;
  private cases = 0;
  private readonly measured = new Set<string>(); // keys of measured cases
  private isReportBegun = false;
  private isSaveAwaited = false;

  constructor() {
    document.querySelector("#first")?.remove();
    document.title = "fathom serve";
    this.main.id = "live";
    this.main.append(
      h("header", { class: "live-head" },
        h("h1", {}, "fathom ", h("span", { class: "live-mark" }, "live")),
        themeButton(() => this.charts.redraw())),
      this.connection, this.error, this.body);
    // If the address of a restarted server is opened in this tab, only the fragment changes.
    window.addEventListener("hashchange", () => location.reload());
    const token = takeToken();
    this.restore();
    this.link = new Link(token, {
      message: (message) => this.receive(message),
      state: (text) => show(this.connection, text),
    });
    if (token !== "") this.link.open();
    else show(this.connection, "This address has no token. Open the address that fathom serve printed when it started.");
  }

  private restore(): void {
    try {
      this.saved = savedState();
    } catch (error) {
      show(this.error, `The state in this address cannot be read: ${(error as Error).message}`);
    }
  }

  // ---------------------------------------------------------------- messages from the server

  private receive(message: FromServer): void {
    if (message.type === "welcome") return this.start(message);
    if (message.type === "status") return void (this.progress.textContent = message.text);
    if (message.type !== "error" && this.measuring.isReplaced(message.id)) return;
    if (message.type === "started") return this.begin(message.id, message.cases);
    if (message.type === "result") return this.take(message.id, message.frame, message.result);
    if (message.type === "done") return this.finish(message);
    this.measuring.answer(message.id);
    if (message.id === undefined || !this.measuring.isReplaced(message.id)) show(this.error, message.message);
  }

  private start(welcome: Welcome): void {
    const isFirst = this.welcome === undefined;
    this.welcome = welcome;
    if (!isFirst) return; // after a lost connection the page stays as it is
    this.editor = new Editor(welcome, this.saved, (measure) => this.changed(measure), (text) => show(this.error, text));
    this.view = new View(this.charts, welcome);
    this.report = new Report(this.charts);
    this.continuous.checked = this.editor.state.continuous;
    this.body.replaceChildren(
      h("div", { class: "live-bar" }, ...this.editor.bar(),
        h("button", { type: "button", class: "primary", "data-key": "measure", click: () => this.request() }, "Measure"),
        h("button", { type: "button", "data-key": "cancel", click: () => this.cancel() }, "Cancel"),
        h("label", {}, this.continuous, " continuously"), this.saveRun),
      this.progress,
      h("div", { class: "live-grid" }, this.view.line, this.editor.element, this.view.rest),
      this.report.element);
    if (this.editor.single) setTimeout(() => {
      if (this.cases === 0 && this.measured.size === 0) this.request();
    }, LISTEN_MS);
  }

  private begin(id: number, cases: number): void {
    this.cases = cases;
    this.measured.clear();
    this.run = undefined;
    this.saveRun.disabled = !this.continuous.checked;
    this.isReportBegun = false;
    this.view?.begin();
    this.report?.clear();
    show(this.error, "");
    this.progress.textContent = this.measuring.isForeign(id) ? "Another page measures. Its results are shown here."
      : `0 of ${count(cases)}`;
  }

  private take(id: number, frame: number, result: Result): void {
    const { welcome, report, view } = this;
    const benchmark = welcome?.benchmarks.find(({ name }) => name === result.benchmark);
    const device = welcome?.devices.find((one) => one.id === result.device);
    this.measuring.answer(id);
    if (!welcome || !benchmark || !device || !this.editor) return;
    this.measured.add(result.key);
    const foreign = this.measuring.isForeign(id) ? "Another page measures. " : "";
    this.progress.textContent = this.continuous.checked ? `${foreign}Frame ${frame + 1}`
      : `${foreign}${this.measured.size} of ${count(Math.max(this.cases, this.measured.size))}`;
    const isPicture = this.cases < 2;
    view?.add(frame, result, isPicture);
    if (isPicture) return;
    if (!this.isReportBegun) report?.begin(welcome.version, device, benchmark);
    this.isReportBegun = true;
    report?.add(result);
  }

  private finish({ id, run, findings, status }: Done): void {
    this.measuring.answer(id);
    this.view?.find(findings);
    if (!run) return;
    this.run = run;
    this.saveRun.disabled = false;
    this.report?.finish(run);
    this.progress.textContent = `${status === "interrupted" ? "Cancelled" : "Done"}: ${count(run.results.length)}`;
    if (this.isSaveAwaited) this.save();
  }

  // ---------------------------------------------------------------- actions of the reader

  private request(): void {
    this.measuring.request();
  }

  private ask(id: number): void {
    if (this.editor) this.link.send(this.editor.measure(id));
  }

  private changed(measure: boolean): void {
    if (!this.editor) return;
    keepState(this.editor.state);
    if (measure) this.request();
  }

  private switch(): void {
    if (!this.editor) return;
    this.editor.state.continuous = this.continuous.checked;
    keepState(this.editor.state);
    if (this.continuous.checked) this.request();
    else this.cancel();
  }

  // Cancels the measurement. The server answers with what it has measured.
  private cancel(): void {
    this.measuring.stop();
    this.link.send({ type: "cancel" });
    this.continuous.checked = false;
    if (!this.editor) return;
    this.editor.state.continuous = false;
    keepState(this.editor.state);
  }

  // Saves the run. Ends a continuous measurement first, because its run comes only after the end.
  private save(): void {
    this.isSaveAwaited = this.run === undefined;
    if (this.run)
      download("fathom-run.json", new Blob([JSON.stringify(this.run), "\n"], { type: "application/json" }));
    else this.cancel();
  }
}

const count = (cases: number): string => `${cases} case${cases === 1 ? "" : "s"}`;

function show(place: HTMLElement, text: string): void {
  place.textContent = text;
  place.hidden = text === "";
}
