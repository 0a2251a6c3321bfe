// SPDX-License-Identifier: MIT
// The sidebar: links to the sections, the choice of devices, light or dark. On a narrow screen it
// is a fold at the top.
import { h } from "./dom";
import { toggleTheme } from "./theme";

export interface Choice {
  names: string[]; // of all devices
  isShown: (index: number) => boolean;
  toggle: (index: number) => void;
  redraw: () => void;
}

const WIDE = window.matchMedia("(min-width: 1100px)");

// Marks the section that is being read.
function follow(links: Map<Element, HTMLElement>): void {
  const seen = new Set<Element>();
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries)
      if (isIntersecting) seen.add(target);
      else seen.delete(target);
    const current = [...links.keys()].find((section) => seen.has(section));
    links.forEach((link, section) => {
      if (section === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
  }, { rootMargin: "-10% 0px -60% 0px" });
  links.forEach((_, section) => observer.observe(section));
}

function runsOf({ names, isShown, toggle }: Choice): HTMLElement | undefined {
  if (names.length < 2) return undefined;
  return h("div", { class: "runs", role: "group", "aria-label": "Devices shown" },
    ...names.map((name, i) => h("button", {
      type: "button", "aria-pressed": String(isShown(i)), click: () => toggle(i),
    }, name)));
}

export const themeButton = (redraw: () => void): HTMLElement =>
  h("button", { type: "button", class: "theme", title: "Light or dark", "aria-label": "Light or dark",
    click: () => { toggleTheme(); redraw(); } }, "◐");

export function sidebar(sections: HTMLElement[], choice: Choice): HTMLElement {
  const links = new Map<Element, HTMLElement>();
  const first = document.getElementById("first");
  for (const section of [...(first ? [first] : []), ...sections])
    links.set(section, h("a", { href: `#${section.id}` },
      section === first ? "Summary" : section.querySelector("h2")?.textContent ?? section.id));
  const menu = h("details", { class: "menu", open: WIDE.matches },
    h("summary", {}, "Contents"),
    runsOf(choice),
    h("nav", { "aria-label": "Sections", click: () => { if (!WIDE.matches) menu.open = false; } },
      ...links.values()));
  follow(links);
  return h("aside", { class: "side", "aria-label": "Contents" },
    menu,
    themeButton(choice.redraw));
}
