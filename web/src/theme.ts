// SPDX-License-Identifier: MIT
// Colours of charts in the light and the dark scheme. The first series colours are those of Okabe
// and Ito (distinguishable with any colour vision), made darker for light grounds and lighter for
// dark ones, so that names in these colours can be read; after the last one they are used again,
// dashed.

// Names fonts instead of inheriting them: ECharts measures texts on a canvas, which inherits none.
export const FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

export interface Theme {
  dark: boolean;
  text: string;
  muted: string;
  line: string;
  ground: string;
  warn: string;
  bad: string;
  series: string[];
  ramp: string[]; // low to high
}

const light: Theme = {
  dark: false,
  text: "#1d2329",
  muted: "#5c6770",
  line: "#d5dbe0",
  ground: "#ffffff",
  warn: "#b25000",
  bad: "#b3261e",
  series: ["#0072b2", "#bf5000", "#007d5b", "#aa3f85", "#86690a", "#2a7f9e", "#444b52", "#7a4ec2",
    "#b03a48", "#4d7c0f", "#7c5a3c", "#1f6f78"],
  ramp: ["#eef4fa", "#b9d6ec", "#74b0d8", "#2f80ba", "#0b4a7d"],
};

const dark: Theme = {
  dark: true,
  text: "#e7ebee",
  muted: "#9aa5ae",
  line: "#3a424a",
  ground: "#191e23",
  warn: "#ffb067",
  bad: "#ff8a80",
  series: ["#56b4e9", "#ff8c3a", "#2fce9f", "#e58cc4", "#e8c84a", "#8ecdf2", "#b8c0c7", "#b59cf0",
    "#f28b95", "#a3d15c", "#d0a884", "#6cc5cf"],
  ramp: ["#22303d", "#245173", "#2f7bab", "#5fb0de", "#c4e6fb"],
};

let choice: "light" | "dark" | undefined;

const preferred = window.matchMedia("(prefers-color-scheme: dark)");

export function currentTheme(): Theme {
  const isDark = choice === undefined ? preferred.matches : choice === "dark";
  return isDark ? dark : light;
}

export function toggleTheme(): void {
  choice = currentTheme().dark ? "light" : "dark";
  document.documentElement.dataset["theme"] = choice;
}

// Paper is white.
export function printTheme(): Theme {
  return light;
}

export function onThemeChange(listener: () => void): void {
  preferred.addEventListener("change", listener);
}
