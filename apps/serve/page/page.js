// The page of conflux serve: shows the state of the server, which decides everything.

import { Scatter, boundsOf, legendOf, union } from "./scatter.js";
import { cardOf, element, showWords } from "./result.js";

const POLL_MILLISECONDS = 300;

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);
// The secret stands behind the # of the address, which browsers send to nobody.
const token = () => location.hash.slice(1);

class Refused extends Error {}

/** Asks the server; an answer that is an error is thrown with its sentence. */
async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { ...options, cache: "no-store",
                                 headers: { ...options.headers, "X-Conflux-Token": token() } });
  } catch {
    throw new Refused("conflux serve does not answer; it may have ended. Start it again, and open " +
                      "the address that it prints.");
  }
  if (answer.ok) return answer;
  throw new Refused((await answer.json().catch(() => ({}))).error || `error ${answer.status}`);
}

function tell(sentence) {
  byId("problem").textContent = sentence;
  byId("problem").hidden = !sentence;
}

/** What the forms say now. */
function choice() {
  const ticked = [...document.querySelectorAll("#leave input:checked")];
  return { group: byId("group").value, label: byId("label").value, to: byId("to").value,
           drop: ticked.map((each) => each.value) };
}

/** A word as a shell reads it back. */
export function shellWord(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The command that does what the buttons do. */
function showCommand(table) {
  const { group, label, to, drop } = choice();
  const words = ["conflux", "align", table.name.replace(/^-/, "./-")];
  const add = (flag, value) => value &&
    words.push(...(value.startsWith("-") ? [`${flag}=${value}`] : [flag, value]));
  add("--group", group);
  add("--label", label);
  add("--drop", drop.join(","));
  add("--to", to);
  words.push("-o", table.found.output, "--model", "aligned.conflux", "--report", "report.html");
  showWords(byId("command"), words.map(shellWord).join(" "));
}

function showGroups(table) {
  const column = table.found.columns.find((each) => each.name === byId("group").value);
  const to = byId("to");
  to.replaceChildren(new Option("in the shared space", ""));
  for (const { value } of column?.values ?? []) {
    to.append(new Option(`as if all were of group ${value}`, value));
  }
  const some = table.found.columns.some((each) => each.may_tell_groups);
  byId("group-said").textContent = !some
    ? "No column of this table could tell groups: it takes one with words or whole numbers of which " +
      "few are different. On the command line, conflux align takes one file per group as well."
    : !column ? "Choose the column that tells the groups."
    : `${column.different} groups: ` + column.values.map((each) => `${each.value} (${each.rows})`)
      .slice(0, 12).join(", ") + (column.different > 12 ? ", …" : "") + " rows.";
  byId("align").disabled = byId("check").disabled = !column;
}

function fillForms(table) {
  const { columns, group } = table.found;
  const kinds = columns.filter((each) => each.may_tell_groups);
  byId("group").replaceChildren(new Option("choose …", ""),
    ...kinds.map((each) => new Option(each.name, each.name)));
  byId("group").value = group;
  byId("label").replaceChildren(new Option("none", ""),
    ...kinds.map((each) => new Option(each.name, each.name)));
  byId("leave").replaceChildren(...columns.slice(0, 500).map((each) => {
    const label = element("label");
    const box = element("input");
    Object.assign(box, { type: "checkbox", value: each.name });
    label.append(box, ` ${each.name}`);
    return label;
  }));
  byId("choose").oninput = (event) => {
    if (event.target === byId("group")) showGroups(table);
    showCommand(table);
  };
  showGroups(table);
  showCommand(table);
}

let shownTable = "";
function showTable(table, job) {
  const looking = job?.kind === "look" && job.running;
  byId("table-said").textContent = looking ? `${table.name}: looking at its columns …`
    : table?.found ? `${table.name}: ${table.found.rows} rows, ${table.found.all_columns} columns.`
      : "";
  byId("choose").hidden = !table?.found;
  const key = JSON.stringify(table);
  if (!table?.found || key === shownTable) return;
  shownTable = key;
  fillForms(table);
}

/** @type {Scatter | undefined} */
let live;
let liveRows = "";
function showLive(job) {
  byId("live").hidden = !(job.first && job.running);
  if (!job.first || !job.running) return;
  const { first, last } = job;
  const key = JSON.stringify([first.group_of, first.places.slice(0, 20)]);
  if (!live || liveRows !== key) {
    live = new Scatter(byId("live-canvas"), first.group_of, first.groups.length);
    live.bounds = boundsOf([first.places]);
    byId("live-legend").replaceChildren(legendOf(first.groups));
    liveRows = key;
  }
  // The frame grows with the rows, and never shrinks: that would look like a motion.
  live.bounds = union(live.bounds, boundsOf([last.places]));
  live.places = last.places;
  live.draw();
  byId("live-said").textContent = `${first.group_of.length} rows after ${last.layers} layers; ` +
    `across: ${first.x_name}; up: ${first.y_name}`;
}

function showJob(job) {
  const shown = job && job.kind !== "look";
  byId("work").hidden = !shown;
  byId("stop").hidden = !(shown && job.running);
  for (const id of ["align", "check"]) byId(id).hidden = Boolean(job?.running);
  if (job?.error) tell(job.error);
  if (!shown) return;
  const bar = byId("work-progress");
  bar.hidden = !(job.running && job.most_layers);
  if (job.most_layers) {
    bar.max = job.most_layers;
    bar.value = job.last?.layers ?? 0;
  }
  const doing = job.kind === "check" ? "Looking for differences" : "Aligning";
  byId("work-said").textContent = !job.running ? job.error || "Done."
    : `${job.stopping ? "Stopping" : doing}, ${Math.round(job.seconds)} s` +
      (job.most_layers && job.last ? `; layer ${job.last.layers}, at most ${job.most_layers}` : "");
  showLive(job);
}

function showCheck(check) {
  const box = byId("check-result");
  box.hidden = !check;
  if (check) box.replaceChildren(...check.sentences.map((each) => element("p", each)));
}

let shownResults = "";
async function showResults(results) {
  byId("results").hidden = results.length === 0;
  const key = JSON.stringify(results.map((each) => each.number));
  if (key === shownResults) return;
  shownResults = key;
  const cards = await Promise.all([...results].reverse().map((each, i) => cardOf(each, ask, i === 0)));
  byId("cards").replaceChildren(...cards);
}

let mostUpload = Infinity;
let polling = 0;
async function refresh() {
  clearTimeout(polling);
  try {
    const state = await (await ask("/api/state")).json();
    mostUpload = state.most_upload;
    showTable(state.table, state.job);
    showJob(state.job);
    // What was found of earlier choices says nothing about a later alignment.
    showCheck(state.job?.kind === "check" && !state.job.running ? state.check : null);
    await showResults(state.results);
    if (state.job?.running) polling = setTimeout(refresh, POLL_MILLISECONDS);
  } catch (error) {
    tell(error.message);
  }
}

async function post(path, options) {
  tell("");
  try {
    await ask(path, { method: "POST", ...options });
  } catch (error) {
    return tell(error.message);
  }
  await refresh();
}

/** @param {File | undefined} file */
async function send(file) {
  if (!file) return;
  if (file.size > mostUpload) {
    return tell(`${file.name} has ${file.size} bytes, and at most ${mostUpload} are taken; start ` +
                "conflux serve with the table as its argument, or with a larger --max-upload.");
  }
  byId("drop-text").textContent = `sending ${file.name} …`;
  await post("/api/table", { body: file, headers: {
    "Content-Type": "application/octet-stream", "X-File-Name": encodeURIComponent(file.name) } });
  byId("drop-text").textContent = "Drop another table here, or choose a file";
  byId("file").value = "";
}

function listen() {
  const drop = byId("drop");
  for (const name of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", name === "dragover");
    });
  }
  document.addEventListener("drop", (event) => send(event.dataTransfer?.files[0]));
  byId("file").addEventListener("change", () => send(byId("file").files[0]));
  for (const id of ["align", "check"]) {
    byId(id).addEventListener("click", () => post(`/api/${id}`, { body: JSON.stringify(choice()) }));
  }
  byId("stop").addEventListener("click", () => post("/api/stop", { body: "{}" }));
  // Another page may have done something; asking all the time would keep the server from ending.
  window.addEventListener("focus", refresh);
  document.addEventListener("visibilitychange", () => document.hidden || refresh());
}

listen();
refresh();
