// One result: what came of it, its rows on their way, a row as every group, and downloads.

import { Scatter, between, boundsOf, legendOf } from "./scatter.js";

/** An element with text; names of users enter the page in no other way. */
export function element(tag, text = "", classes = "") {
  const out = document.createElement(tag);
  if (text) out.textContent = text;
  if (classes) out.className = classes;
  return out;
}

/** Shows a command whose lines do not break between the dash of an option and its letter. */
export function showWords(code, command) {
  code.replaceChildren(...command.split(" ").flatMap((word, i) =>
    [i ? " " : "", word.startsWith("-") ? element("span", word, "option") : word]));
}

/** @param {string[][]} rows the first one holds heads */
export function tableOf(rows, name) {
  const region = element("div", "", "scroll");
  region.tabIndex = 0;
  region.setAttribute("role", "region");
  region.setAttribute("aria-label", name);
  const table = element("table");
  rows.forEach((cells, i) => {
    const line = table.insertRow();
    for (const cell of cells) {
      const made = element(i === 0 ? "th" : "td", cell);
      if (i === 0) made.setAttribute("scope", "col");
      line.append(made);
    }
  });
  region.append(table);
  return region;
}

/** The rows of a way that can be walked through, by slider, button or keys. */
function walkOf(rows) {
  const figure = element("figure");
  const canvas = element("canvas");
  const scatter = new Scatter(canvas, rows.group_of, rows.groups.length);
  scatter.bounds = boundsOf(rows.places);
  scatter.way = rows.places;
  const line = element("div", "", "walk");
  const play = element("button", "Play");
  play.type = "button";
  const slider = element("input");
  Object.assign(slider, { type: "range", min: "0", step: "0.05",
                          max: String(rows.places.length - 1) });
  slider.setAttribute("aria-label", "layers behind the rows");
  const said = element("output");
  line.append(play, slider, said);
  const show = () => {
    const at = Number(slider.value);
    scatter.places = between(rows.places, at);
    said.textContent = `layer ${rows.layers[Math.round(at)]} of ${rows.layers.at(-1)}`;
    slider.setAttribute("aria-valuetext", said.textContent);
    scatter.draw();
  };
  slider.addEventListener("input", show);
  let playing = 0;
  play.addEventListener("click", () => {
    cancelAnimationFrame(playing);
    const last = rows.places.length - 1;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      slider.value = String(Number(slider.value) >= last ? 0 : last);
      return show();
    }
    const began = performance.now();
    const step = (now) => {
      slider.value = String(Math.min(last, ((now - began) / 2500) * last));
      show();
      if (Number(slider.value) < last) playing = requestAnimationFrame(step);
    };
    playing = requestAnimationFrame(step);
  });
  slider.value = slider.max;
  const axes = `across: ${rows.x_name}; up: ${rows.y_name}`;
  const share = `${Math.round(100 * rows.share)} % of ${rows.share_of}`;
  figure.append(canvas, legendOf(rows.groups), line, element(
    "figcaption", `${rows.group_of.length} rows; the plane shows ${share}; ${axes}`));
  show();
  return { figure, canvas, scatter };
}

/** A row as every group, chosen by click, by keys or by its number in the list. */
function elsewhereOf(rows, walk) {
  const box = element("div");
  const shown = rows.elsewhere;
  if (shown.rows.length === 0) return box;
  const nameOf = (k) => {
    const row = shown.rows[k];
    return `row ${rows.position_of[row] + 1} of ${rows.groups[rows.group_of[row]]}`;
  };
  const label = element("label", "How does this row look in other groups? ");
  const choice = element("select");
  choice.className = "row-choice";
  shown.rows.forEach((_, k) => choice.append(new Option(nameOf(k), String(k))));
  label.append(choice);
  const place = element("div");
  const show = (k) => {
    choice.value = String(k);
    walk.scatter.chosen = shown.rows[k];
    walk.scatter.draw();
    walk.canvas.setAttribute("aria-label", `rows of all groups; ${nameOf(k)} is marked. Click, or ` +
      "use the arrow keys, to mark another.");
    const own = rows.group_of[shown.rows[k]];
    const heads = shown.groups.map((m) => rows.groups[m] + (m === own ? " (as it is)" : ""));
    place.replaceChildren(tableOf([["as", ...heads], ...shown.features.map((feature, j) =>
      [feature, ...shown.values[k].map((values) => values[j])])], nameOf(k)));
  };
  choice.addEventListener("change", () => show(Number(choice.value)));
  walk.canvas.tabIndex = 0;
  walk.canvas.setAttribute("role", "img");
  walk.canvas.addEventListener("click", (event) => {
    show(shown.rows.indexOf(walk.scatter.nearest(event.offsetX, event.offsetY, shown.rows)));
  });
  walk.canvas.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const count = shown.rows.length;
    show((Number(choice.value) + step + count) % count);
  });
  show(0);
  box.append(label, place);
  return box;
}

/** The whole report, in a root of its own: its names and styles meet no others. */
function reportOf(html) {
  const details = element("details");
  details.append(element("summary", "The whole report"));
  const host = element("div", "", "host");
  const root = host.attachShadow({ mode: "open" });
  // The styles of the file are those of report.css, and the page is a main part already.
  const parsed = new DOMParser().parseFromString(html.replace(/<style>[^]*?<\/style>/, ""),
                                                 "text/html");
  parsed.querySelector("main")?.replaceWith(...parsed.querySelectorAll("main > *"));
  const style = element("link");
  Object.assign(style, { rel: "stylesheet", href: "report.css" });
  root.append(style, ...[...parsed.body.children].map((each) => document.adoptNode(each)));
  // Fragments of the address hold the secret of this page, so links inside only scroll.
  root.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link) return;
    event.preventDefault();
    root.querySelector(link.getAttribute("href"))?.scrollIntoView();
  });
  details.append(host);
  return details;
}

/** Many warnings would hide the result: all but the first can be opened. */
function warningsOf(warnings) {
  const shown = warnings.map((each) => element("p", `▲ ${each}`, "sign-look"));
  if (shown.length < 4) return shown;
  const rest = element("details");
  rest.append(element("summary", `▲ ${shown.length - 2} more warnings`, "sign-look"),
              ...shown.splice(2));
  return [...shown, rest];
}

/**
 * @param {any} result of the state
 * @param {(path: string) => Promise<Response>} ask
 * @param {boolean} newest
 */
export async function cardOf(result, ask, newest) {
  const card = element("article", "", "card");
  const base = `/api/result/${result.number}`;
  const { sentences } = result.summary.summary;
  card.append(element("p", newest ? "newest result" : "the result before", "kicker"));
  card.append(element("h3", `${result.table} · ${result.summary.rows} rows`));
  for (const sentence of sentences) card.append(element("p", sentence.replaceAll("->", "→")));
  card.append(...warningsOf(result.summary.warnings));
  const buttons = element("p", "", "buttons");
  const downloads = [["Aligned table", "aligned", result.summary.output],
                     ["Model", "model", "aligned.conflux"], ["Report", "report", "report.html"]];
  for (const [text, part, name] of downloads) {
    const button = element("button", `Download: ${text}`);
    button.type = "button";
    if (part === "aligned") button.className = "main";
    button.addEventListener("click", async () => {
      const address = URL.createObjectURL(await (await ask(`${base}/${part}`)).blob());
      const link = element("a");
      Object.assign(link, { href: address, download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 60000);
    });
    buttons.append(button);
  }
  card.append(buttons);
  const rows = await (await ask(`${base}/rows`)).json();
  const walk = walkOf(rows);
  card.append(walk.figure, elsewhereOf(rows, walk));
  card.append(reportOf(await (await ask(`${base}/report`)).text()));
  const command = element("pre");
  command.tabIndex = 0;
  const code = element("code");
  showWords(code, result.command);
  command.append(code);
  card.append(element("p", "The same on the command line:", "key"), command);
  return card;
}
