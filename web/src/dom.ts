// SPDX-License-Identifier: MIT
// Making elements. Texts of run files only ever become text nodes: nothing here parses HTML.

type Child = Node | string | undefined;
type Attributes = Record<string, string | boolean | ((event: Event) => void)>;

function apply(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && (name !== "title" || value !== "")) element.setAttribute(name, value);
  }
  for (const child of children) if (child !== undefined) element.append(child);
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, attributes, children);
  return element;
}

// Returns the list without what is undefined.
export const present = <T>(list: (T | undefined)[]): T[] => list.filter((one): one is T => one !== undefined);

// Returns a text as part of an id or of a file's name: "nvidia-h200" for "NVIDIA H200".
export const idOf = (text: string): string =>
  text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");

// Lets the browser save a file.
export function download(name: string, content: Blob): void {
  const link = h("a", { href: URL.createObjectURL(content), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Returns a button that saves rows of numbers as NAME.csv.
export const csvButton = (name: string, rows: () => (string | number | undefined)[][]): HTMLElement =>
  h("button", {
    type: "button", title: "Save the numbers as CSV",
    click: () => download(`${name}.csv`, new Blob([csvText(rows())], { type: "text/csv" })),
  }, "CSV");

// RFC 4180, as report/csv.c writes it.
export function csvText(rows: (string | number | undefined)[][]): string {
  const field = (value: string | number | undefined): string => {
    const text = value === undefined ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(field).join(",") + "\n").join("");
}
