// SPDX-License-Identifier: MIT
// How wide texts are, in the font of the charts.
import { FONT } from "./theme";

const context = document.createElement("canvas").getContext("2d");

export function textWidth(text: string, size: number): number {
  if (!context) return 0.6 * size * text.length;
  context.font = `${size}px ${FONT}`;
  return context.measureText(text).width;
}

export const widest = (texts: string[], size: number): number =>
  texts.reduce((most, text) => Math.max(most, textWidth(text, size)), 0);
