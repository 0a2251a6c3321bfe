// SPDX-License-Identifier: MIT
// Drawings that readers save: each has a head that says what it shows, and of which device.
import { download, h } from "./dom";
import { textWidth } from "./measure";
import { currentTheme, FONT } from "./theme";

const NS = "http://www.w3.org/2000/svg";
export const MARGIN = 16;

export interface Head {
  title: string;
  subtitle: string;
  origin: string;
}

// Breaks a text at blanks into lines of at most `width` pixels; a longer word is not broken.
function wrapped(text: string, size: number, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines[lines.length - 1] ?? "";
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && textWidth(longer, size) > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

export function put(parent: Element, name: string, attributes: Record<string, string | number>,
                    text?: string): Element {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

export interface TextStyle {
  size: number;
  fill: string;
  weight: 400 | 600;
}

// Writes lines of at most `width` pixels below `y`, and returns where they end.
export function putText(parent: Element, text: string, x: number, y: number, width: number,
                        { size, fill, weight }: TextStyle): number {
  let end = y;
  for (const line of text === "" ? [] : wrapped(text, size, width)) {
    end += 1.25 * size;
    put(parent, "text", { x, y: end, fill, "font-size": size, "font-weight": weight }, line);
  }
  return end;
}

// The text of an SVG file: the head, and below it what `draw` draws. `draw` is told where it may begin,
// and returns where the drawing ends. XML forbids most control characters.
export function framed(width: number, head: Head, draw: (svg: Element, y: number) => number): string {
  const theme = currentTheme();
  const svg = document.createElementNS(NS, "svg");
  put(svg, "title", {}, `${head.title} · ${head.origin}`);
  const ground = put(svg, "rect", { width: "100%", height: "100%", fill: theme.ground });
  let y = MARGIN;
  for (const [text, size, fill, weight] of [
    [head.title, 16, theme.text, 600], [head.subtitle, 12, theme.muted, 400], [head.origin, 12, theme.muted, 400],
  ] as const)
    y = putText(svg, text, MARGIN, y, width - 2 * MARGIN, { size, fill, weight });
  const height = draw(svg, y + MARGIN);
  for (const [name, value] of Object.entries({
    xmlns: NS, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": FONT,
  })) svg.setAttribute(name, String(value));
  ground.setAttribute("height", String(height));
  return new XMLSerializer().serializeToString(svg).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "?");
}

// Returns a drawing below its head, as the text of an SVG file.
export function standalone(drawing: SVGElement, head: Head): string {
  return framed(Number(drawing.getAttribute("width")), head, (svg, y) => {
    drawing.setAttribute("y", String(y));
    drawing.removeAttribute("style");
    svg.append(drawing);
    return y + Number(drawing.getAttribute("height"));
  });
}

// Makes a PNG of the drawing, with two pixels for each pixel of the screen.
function pngOf(svg: string, done: (blob: Blob) => void): void {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  image.onload = () => {
    const scale = 2;
    const canvas = h("canvas");
    canvas.width = image.width * scale;
    canvas.height = image.height * scale;
    const context = canvas.getContext("2d");
    context?.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(url);
    canvas.toBlob((blob) => blob && done(blob));
  };
  image.src = url;
}

// Buttons that save a drawing, whose text `svgText` gives, as NAME.svg and NAME.png.
export function saveButtons(name: string, what: string, svgText: () => string): HTMLElement[] {
  const button = (kind: string, save: () => void): HTMLElement =>
    h("button", { type: "button", title: `Save ${what} as ${kind}`, click: save }, kind);
  return [
    button("SVG", () => download(`${name}.svg`, new Blob([svgText()], { type: "image/svg+xml" }))),
    button("PNG", () => pngOf(svgText(), (blob) => download(`${name}.png`, blob))),
  ];
}
