// conflux serve in a real browser: from a dropped file to an aligned table.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { assertAccessible, assertFits, browserOf, folderOf, keepPicture, pageOf, run,
         serverOf } from "./support.mjs";

const LONG = { timeout: 120_000 };

async function alignedCard(page) {
  await page.locator(".card").first().waitFor(LONG);
  return page.locator(".card").first();
}

async function download(page, button, path) {
  const [file] = await Promise.all([page.waitForEvent("download"), button()]);
  await file.saveAs(path);
}

test("from a file to an aligned table", async (t) => {
  const folder = folderOf(t);
  run(folder, "generate", "moons", "--samples", "300", "-o", "moons.csv");
  const server = await serverOf(t, folder);
  const browser = await browserOf(t);
  const page = await pageOf(browser);
  await page.goto(server.address);
  const other = await pageOf(browser, { viewport: { width: 390, height: 800 } });
  await other.goto(server.address);

  await t.test("in at most five clicks, with the bytes of the command", async () => {
    let clicks = 1;  // choosing or dropping the file
    await page.locator("#file").setInputFiles(join(folder, "moons.csv"));
    await page.locator("#align").waitFor();
    assert.equal(await page.locator("#group").inputValue(), "group");
    assert.match(await page.locator("#command").innerText(),
                 /^conflux align moons\.csv --group group -o aligned\.csv/);
    clicks += 1;
    await page.locator("#align").click();
    await page.locator("#live").waitFor(LONG);
    assert.equal(await page.locator("#live-legend li").count(), 2);
    const card = await alignedCard(page);
    // What the page says before is what the server has run.
    assert.equal(await card.locator("> pre code").innerText(),
                 await page.locator("#command").innerText());
    clicks += 1;
    await download(page, () => card.getByText("Download: Aligned table").click(),
                   join(folder, "page.csv"));
    await download(page, () => card.getByText("Download: Model").click(), join(folder, "m.conflux"));
    assert.ok(clicks <= 5);
    run(folder, "transform", "m.conflux", "moons.csv", "-o", "command.csv");
    assert.deepEqual(readFileSync(join(folder, "page.csv")), readFileSync(join(folder, "command.csv")));
  });

  await t.test("the page talks to its own server only and does not complain", () => {
    assert.deepEqual(page.said, []);
    const strangers = page.asked.filter((url) => !url.startsWith(`http://127.0.0.1:${server.port}/`) &&
                                                 !/^(blob|data):/.test(url));
    assert.deepEqual(strangers, []);
  });

  await t.test("a row is shown as every group, by click and by keys", async () => {
    const card = await alignedCard(page);
    const canvas = card.locator("figure canvas").first();
    const first = await card.locator(".row-choice").inputValue();
    await canvas.focus();
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await card.locator(".row-choice").inputValue(), first);
    await canvas.click({ position: { x: 60, y: 60 } });
    assert.match(await card.locator("table").first().innerText(), /as it is/);
  });

  await t.test("layers can be walked through", async () => {
    const card = await alignedCard(page);
    const slider = card.locator("input[type=range]");
    const picture = () => card.locator("figure canvas").first().evaluate((c) => c.toDataURL());
    const end = await picture();
    await slider.focus();
    await page.keyboard.press("Home");
    assert.match(await card.locator("output").innerText(), /^layer 0 of/);
    assert.notEqual(await picture(), end);
  });

  for (const colorScheme of ["light", "dark"]) {
    await t.test(`for everybody, ${colorScheme}`, async () => {
      await page.emulateMedia({ colorScheme });
      await page.locator("summary", { hasText: "whole report" }).first().evaluate((summary) => {
        summary.parentElement.open = true;
      });
      await page.waitForTimeout(300);
      await assertAccessible(page, colorScheme);
      await assertFits(page, colorScheme);
      await keepPicture(page, `serve-${colorScheme}`);
    });
  }

  await t.test("on a telephone, where a page that was open before shows the same once it is looked at",
    async () => {
      assert.equal(await other.locator(".card").count(), 0);
      await other.evaluate(() => window.dispatchEvent(new Event("focus")));
      await alignedCard(other);
      await assertFits(other, "390 px");
      await keepPicture(other, "serve-phone");
    });

  await t.test("without the secret nothing is shown", async () => {
    const stranger = await pageOf(browser);
    await stranger.goto(server.address.split("#")[0]);
    await stranger.locator("#problem").waitFor();
    assert.match(await stranger.locator("#problem").innerText(), /whole address/);
    assert.equal(await stranger.locator(".card").count(), 0);
  });
});

test("the whole task by keyboard, and a refit beside the first", async (t) => {
  const folder = folderOf(t);
  run(folder, "generate", "moons", "--samples", "120", "-o", "moons.csv");
  const server = await serverOf(t, folder, "moons.csv");
  const page = await pageOf(await browserOf(t), { acceptDownloads: true });
  await page.goto(server.address);
  await page.locator("#align").waitFor();
  const tabTo = async (text) => {
    for (let i = 0; i < 60; ++i) {
      await page.keyboard.press("Tab");
      const found = await page.evaluate(() => document.activeElement?.textContent ?? "");
      if (found.trim() === text) return;
    }
    assert.fail(`no way to ${text}`);
  };
  await tabTo("Align");
  await page.keyboard.press("Enter");
  await alignedCard(page);
  await tabTo("Download: Aligned table");
  await download(page, () => page.keyboard.press("Enter"), join(folder, "page.csv"));
  assert.ok(readFileSync(join(folder, "page.csv"), "utf8").startsWith("x,y,group"));
  await page.locator("#to").selectOption("1");
  await page.locator("#align").click();
  await page.locator(".card").nth(1).waitFor(LONG);
  assert.equal(await page.locator(".card").count(), 2);
  assert.match(await page.locator(".card").first().innerText(), /newest result[^]*--to 1/);
  assert.match(await page.locator(".card").last().innerText(), /the result before/);
});

test("a table that is too large is refused before it is sent", async (t) => {
  const server = await serverOf(t, folderOf(t), "--max-upload", "1000");
  const page = await pageOf(await browserOf(t));
  await page.goto(server.address);
  await page.waitForFunction(() => document.readyState === "complete");
  await page.waitForTimeout(300);
  page.asked.length = 0;
  await page.locator("#file").setInputFiles({ name: "large.csv", mimeType: "text/csv",
    buffer: Buffer.from("x".repeat(1001)) });
  await page.locator("#problem").waitFor();
  assert.match(await page.locator("#problem").innerText(), /large\.csv has 1001 bytes.*--max-upload/);
  assert.deepEqual(page.asked.filter((url) => url.endsWith("/api/table")), []);
});

test("mistakes, stopping, and names that want to be code", async (t) => {
  const folder = folderOf(t);
  run(folder, "generate", "moons", "--samples", "20000", "-o", "moons.csv");
  const server = await serverOf(t, folder);
  const page = await pageOf(await browserOf(t));
  await page.goto(server.address);
  const evil = "<img src=x onerror=\"globalThis.hurt=1\">";
  const rows = Array.from({ length: 80 }, (_, i) =>
    `${i * 0.37 % 1},${i * 0.71 % 1 + i % 2},"${evil.replaceAll("\"", "\"\"")}${i % 2}"`);
  await page.locator("#file").setInputFiles({ name: "<b onclick=x>.csv", mimeType: "text/csv",
    buffer: Buffer.from(`x,y,${"<script>hurt()</script>"}\n${rows.join("\n")}\n`) });
  await page.locator("#align").waitFor();
  await page.locator("#align").click();
  const card = await alignedCard(page);
  await card.locator("summary", { hasText: "whole report" }).click();
  assert.equal(await page.evaluate(() => globalThis.hurt), undefined);
  assert.equal(await page.locator("img, main script").count(), 0);
  assert.deepEqual(page.said, []);

  await page.locator("#file").setInputFiles({ name: "numbers.csv", mimeType: "text/csv",
    buffer: Buffer.from("x,y\n0.1,0.2\n0.3,0.4\n") });
  await page.getByText("No column of this table could tell groups").waitFor();
  assert.ok(await page.locator("#align").isDisabled());

  await page.locator("#file").setInputFiles({ name: "bad.csv", mimeType: "text/csv",
    buffer: Buffer.from("x,group\n1,a,too,many\n") });
  await page.locator("#problem").waitFor();
  assert.match(await page.locator("#problem").innerText(), /bad\.csv/);

  await page.locator("#file").setInputFiles(join(folder, "moons.csv"));
  await page.locator("#align").waitFor();
  const other = await pageOf(page.context().browser());
  await other.goto(server.address);
  await other.locator("#align").waitFor();
  await page.locator("#align").click();
  await page.locator("#live").waitFor(LONG);

  // Another page that has not looked since is told that one fit runs, and shows it; whoever closes
  // the first one does not end the fit.
  await other.locator("#align").click();
  await other.getByText("runs already").waitFor();
  await page.close();
  await other.evaluate(() => window.dispatchEvent(new Event("focus")));
  await other.locator("#live").waitFor(LONG);
  await other.locator("#stop").click();
  await other.getByText("stopped; nothing was kept.").first().waitFor({ timeout: 10_000 });
  await other.locator("#align").waitFor();

  await other.close();
  server.child.kill("SIGINT");
  await server.ended;
  assert.deepEqual(readdirSync(folder).filter((name) => name.startsWith("conflux-serve")), []);
});
