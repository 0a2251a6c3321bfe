// SPDX-License-Identifier: MIT
// Drawings that leave the page: with a head that says what they show, and of which device.
import { h } from "./dom";
import { textWidth } from "./measure";
import { currentTheme, FONT } from "./theme";

const NS = "http://www.w3.org/2000/svg";
const MARGIN = 16;

export interface Head {
  title: string;
  subtitle: string;
  origin: string;
}

// Words put into lines of at most `width` pixels, as far as there are blanks.
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

function put(parent: Element, name: string, attributes: Record<string, string | number>, text?: string): Element {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

// The drawing below its head, as the text of an SVG file. XML forbids most control characters.
export function standalone(drawing: SVGElement, head: Head): string {
  const theme = currentTheme();
  const width = Number(drawing.getAttribute("width")), height = Number(drawing.getAttribute("height"));
  const svg = document.createElementNS(NS, "svg");
  put(svg, "title", {}, `${head.title} · ${head.origin}`);
  const ground = put(svg, "rect", { width: "100%", height: "100%", fill: theme.ground });
  let y = MARGIN;
  for (const [text, size, fill, weight] of [
    [head.title, 16, theme.text, 600], [head.subtitle, 12, theme.muted, 400], [head.origin, 12, theme.muted, 400],
  ] as const)
    for (const line of wrapped(text, size, width - 2 * MARGIN)) {
      y += 1.25 * size;
      put(svg, "text", { x: MARGIN, y, fill, "font-size": size, "font-weight": weight }, line);
    }
  y += MARGIN;
  drawing.setAttribute("y", String(y));
  drawing.removeAttribute("style");
  svg.append(drawing);
  for (const [name, value] of Object.entries({
    xmlns: NS, width, height: y + height, viewBox: `0 0 ${width} ${y + height}`, "font-family": FONT,
  })) svg.setAttribute(name, String(value));
  ground.setAttribute("height", String(y + height));
  return new XMLSerializer().serializeToString(svg).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "?");
}

// The same as pixels, two for each of the screen's.
export function pngOf(svg: string, done: (blob: Blob) => void): void {
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
