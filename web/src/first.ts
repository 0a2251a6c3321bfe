// SPDX-License-Identifier: MIT
// Saves the first screen as pictures, one for each device: its name, the card, the pyramid of
// memory and what stands out. fathom draws this screen into the page (report/picture.c).
import { h, idOf } from "./dom";
import type { TextStyle } from "./picture";
import { framed, MARGIN, put, putText, saveButtons } from "./picture";
import { currentTheme } from "./theme";

const CARD_WIDTH = 640, SIDE_WIDTH = 460, GAP = 28;
const STYLES = ["fill", "stroke", "font-size", "font-weight", "text-anchor"];

const textOf = (parent: Element, selector: string): string => parent.querySelector(selector)?.textContent ?? "";

// Returns the colour in a form that every SVG program reads: browsers turn color-mix() into
// color().
function plainColour(colour: string): string {
  if (!colour.startsWith("color(")) return colour;
  const context = h("canvas").getContext("2d");
  if (!context) return colour;
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  return `rgb(${context.getImageData(0, 0, 1, 1).data.slice(0, 3).join(", ")})`;
}

// A copy that looks the same without the style sheet of the page.
function copyOf(drawing: SVGElement, x: number, y: number, width: number): SVGElement {
  const copy = drawing.cloneNode(true) as SVGElement;
  const copies = [...copy.querySelectorAll("*")];
  [...drawing.querySelectorAll("*")].forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of STYLES) copies[i]?.setAttribute(name, plainColour(style.getPropertyValue(name)));
    copies[i]?.removeAttribute("class");
  });
  for (const [name, value] of Object.entries({ x, y, width })) copy.setAttribute(name, String(value));
  return copy;
}

// Puts figures and lists with their captions below one another, and returns where they end.
function putColumn(svg: Element, parts: Element[], x: number, y: number, width: number): number {
  const theme = currentTheme();
  const small: TextStyle = { size: 13, fill: theme.muted, weight: 600 };
  const plain: TextStyle = { size: 13, fill: theme.text, weight: 400 };
  let end = y;
  for (const part of parts) {
    end = putText(svg, textOf(part, "figcaption, h3"), x, end, width, small) + 8;
    const drawing = part.querySelector("svg");
    if (drawing) {
      svg.append(copyOf(drawing, x, end, width));
      end += Number(drawing.getAttribute("height"));
    }
    for (const item of part.querySelectorAll("li")) {
      put(svg, "circle", { cx: x + 3, cy: end + 12, r: 2, fill: theme.text });
      end = putText(svg, item.textContent ?? "", x + 14, end, width - 14, plain) + 3;
    }
    end += MARGIN;
  }
  return end;
}

function pictureOf(article: Element): string {
  const card = article.querySelector("figure:has(> .card)");
  const side = [...article.querySelectorAll("figure:has(> .pyramid), .notes:has(li)")];
  const head = {
    title: textOf(article, "h1, h2"),
    subtitle: [...article.querySelectorAll(".warning")].map(({ textContent }) => textContent).join(" · "),
    origin: textOf(article, ".subtitle"),
  };
  return framed(CARD_WIDTH + GAP + SIDE_WIDTH + 2 * MARGIN, head, (svg, y) => Math.max(
    putColumn(svg, card ? [card] : [], MARGIN, y, CARD_WIDTH),
    putColumn(svg, side, MARGIN + CARD_WIDTH + GAP, y, SIDE_WIDTH)));
}

// Adds to each device on the first screen the buttons that save its picture.
export function addSaveButtons(first: Element): void {
  for (const article of first.querySelectorAll("article"))
    if (article.querySelector(".card, .pyramid")) {
      const [device = ""] = textOf(article, ".subtitle").split(" · ");
      const name = idOf(`fathom ${textOf(article, "h1, h2")} ${device}`);
      article.prepend(h("span", { class: "save" }, "Save as ",
        ...saveButtons(name, "this picture", () => pictureOf(article))));
    }
}
