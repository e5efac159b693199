// A browser, the command, and what every page must hold.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const modules = createRequire(join(process.env.WEB_MODULES, "package.json"));
const { chromium } = modules("playwright-core");
const axe = readFileSync(modules.resolve("axe-core/axe.min.js"), "utf8");
export const command = process.env.CONFLUX;

/** A folder that goes with the test. */
export function folderOf(test) {
  const folder = mkdtempSync(join(tmpdir(), "conflux-web-"));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function run(folder, ...words) {
  return execFileSync(command, words, { cwd: folder, encoding: "utf8", stdio: "pipe" });
}

/** A browser with a fresh profile that talks to nobody by itself. */
export async function browserOf(test) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM, chromiumSandbox: false,
    args: ["--disable-background-networking", "--disable-component-update", "--no-first-run",
           "--disable-sync", "--disable-gpu"] });
  test.after(() => browser.close());
  return browser;
}

/** A page that remembers what it said and asked for. */
export async function pageOf(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, ...options });
  const page = await context.newPage();
  page.said = [];
  page.asked = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) &&
    page.said.push(message.text()));
  page.on("pageerror", (error) => page.said.push(String(error)));
  page.on("request", (request) => page.asked.push(request.url()));
  return page;
}

/** No violation of axe, whose script is not bound by the policy of the page. */
export async function assertAccessible(page, where) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, {
    resultTypes: ["violations"] }));
  assert.deepEqual(violations.map(({ id, nodes }) =>
    `${id}: ${nodes.slice(0, 3).map((node) => node.target.join(" ") + " " + (node.any[0]?.message ?? ""))
      .join("; ")}`), [], where);
}

/** Nothing is wider than the page. */
export async function assertFits(page, where) {
  const [wide, view] = await page.evaluate(() =>
    [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(wide <= view, `${where}: ${wide} px of ${view}`);
}

/** Words of one picture do not lie on each other. */
export async function assertWordsApart(page, where) {
  const meetings = await page.evaluate(() => {
    const found = [];
    for (const picture of document.querySelectorAll("svg")) {
      const boxes = [...picture.querySelectorAll("text")].filter((each) => !each.closest("[transform]"))
        .filter((each) => each.textContent.trim() && !each.hasAttribute("transform"))
        .map((each) => [each.textContent, each.getBoundingClientRect()]);
      for (let i = 0; i < boxes.length; ++i) {
        for (let j = i + 1; j < boxes.length; ++j) {
          const [a, b] = [boxes[i][1], boxes[j][1]];
          const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
          const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
          // Boxes of letters have some room above and below.
          if (across > 1 && down > 0.4 * Math.min(a.height, b.height)) {
            found.push(`${picture.querySelector("title")?.textContent}: ${boxes[i][0]} | ${boxes[j][0]}`);
          }
        }
      }
    }
    return found;
  });
  assert.deepEqual(meetings.slice(0, 5), [], where);
}

/** Keeps a picture of a page where somebody wants to look at them. */
export async function keepPicture(page, name) {
  if (process.env.PICTURES) {
    await page.screenshot({ path: join(process.env.PICTURES, `${name}.png`), fullPage: true });
  }
}

/** A running conflux serve, which ends with the test. */
export async function serverOf(test, folder, ...words) {
  const child = spawn(command, ["serve", "--json", ...words], {
    cwd: folder, env: { ...process.env, TMPDIR: folder }, stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  test.after(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  let said = "";
  for await (const part of child.stdout) {
    said += part;
    if (said.trimEnd().endsWith("}")) break;
  }
  return { ...JSON.parse(said), child, ended };
}
