// SPDX-License-Identifier: MIT
// Series of one name that many cases have, for example one time line each. They share one place on
// the page, with a list from which the reader chooses a case.
import type { Chart } from "../chart";
import { h } from "../dom";
import type { Result, Series, Subject } from "../run";
import { originOf } from "../run";
import { caseName } from "./lanes";
import { isPlain, plainTable } from "./plain";
import { seriesChart } from "./series";

export interface Carried {
  result: Result;
  series: Series;
  subject: Subject;
  machine: string; // name of the subject if there are several; else ""
}

// Calls `shown` with each chart that appears and the chart that it replaces; not for tables.
export function seriesPicker(id: string, list: Carried[],
                             shown: (chart: Chart, former: Chart | undefined) => void): HTMLElement {
  const place = h("div", { class: "picker" });
  let former: Chart | undefined;
  let element: HTMLElement | undefined;
  const show = (index: number): void => {
    const one = list[index];
    if (!one) return;
    element?.remove();
    if (isPlain(one.series)) {
      element = plainTable(id, one.result, one.series);
      place.append(element);
      return;
    }
    const chart = seriesChart(id, originOf([one.subject]), one.result, one.series);
    element = chart.element;
    place.append(element);
    shown(chart, former);
    former = chart;
  };
  if (list.length > 1) {
    const choice = h("select", {
      "aria-label": `Case whose ${list[0]?.series.name ?? "series"} is shown`,
      change: () => show(choice.selectedIndex),
    }, ...list.map(({ result, machine }) =>
      h("option", {}, [machine, caseName(result)].filter(Boolean).join(": "))));
    place.append(h("label", {}, `${list[0]?.series.name ?? ""} of `, choice));
  }
  show(0);
  return place;
}
