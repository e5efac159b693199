// Reports in a real browser: offline, without JavaScript, for everybody, on every screen.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { assertAccessible, assertFits, assertWordsApart, browserOf, folderOf, keepPicture, pageOf,
         run } from "./support.mjs";

/** Numbers that are the same every time. */
function* numbers(seed) {
  for (let state = seed; ;) {
    state = (state * 1103515245 + 12345) % 2147483648;
    yield state / 2147483648;
  }
}

/** A table with a column of words, of whole numbers and of numbers, and labels. */
function mixedTable() {
  const random = numbers(7);
  const next = () => random.next().value;
  const jobs = ["clerk", "nurse", "driver", "teacher of mathematics", "self-employed", "none"];
  const places = ["United States", "Mexico, rural", "Philippines", "Dominican Republic"];
  const lines = ["age,hours,job,region,country,sex,kind"];
  for (let i = 0; i < 600; ++i) {
    const sex = i % 2;
    lines.push([20 + Math.floor(50 * next()) + 5 * sex, (30 + 10 * next() + 4 * sex).toFixed(2),
                jobs[Math.floor(6 * next() ** (1 + sex))], ["north", "south", "west"][i % 3],
                `"${places[Math.floor(4 * next() ** (3 - sex))]}"`,
                ["men", "women"][sex], ["a", "b"][Math.floor(2 * next())]].join(","));
  }
  return lines.join("\n") + "\n";
}

function makeReports(folder) {
  run(folder, "generate", "moons", "--samples", "300", "-o", "moons.csv");
  run(folder, "fit", "moons.csv", "--layers", "8", "-o", "moons.conflux", "--report", "moons.html");
  writeFileSync(join(folder, "mixed.csv"), mixedTable());
  run(folder, "fit", "mixed.csv", "--group", "sex", "--label", "kind", "-o", "mixed.conflux",
      "--report", "mixed.html");
  return ["moons", "mixed"];
}

test("reports", async (t) => {
  const folder = folderOf(t);
  const names = makeReports(folder);
  const browser = await browserOf(t);
  for (const name of names) {
    const address = `file://${folder}/${name}.html`;
    await t.test(`${name}: one request, no word of complaint`, async () => {
      const page = await pageOf(browser);
      await page.goto(address);
      assert.deepEqual(page.asked, [address]);
      assert.deepEqual(page.said, []);
    });
    await t.test(`${name}: complete without JavaScript`, async () => {
      const page = await pageOf(browser, { javaScriptEnabled: false });
      await page.goto(address);
      assert.equal(await page.locator("section").count(), 8);
      for (const section of await page.locator("section").all()) {
        assert.ok((await section.locator("p").first().innerText()).length > 10);
        assert.ok(await section.locator("svg, table, .empty").first().isVisible());
      }
    });
    await t.test(`${name}: the way can be walked by keys, without JavaScript`, async () => {
      const page = await pageOf(browser, { javaScriptEnabled: false });
      await page.goto(address);
      const frames = page.locator(".frames figure");
      const shown = async () => (await Promise.all((await frames.all()).map((each) => each.isVisible())))
        .flatMap((visible, k) => (visible ? [k] : []));
      const [middle] = await shown();
      await page.locator(".frames input:checked").focus();
      await page.keyboard.press("ArrowRight");
      assert.deepEqual(await shown(), [middle + 1]);
      await page.emulateMedia({ media: "print" });
      assert.deepEqual(await shown(), []);
    });
    for (const colorScheme of ["light", "dark"]) {
      await t.test(`${name}: for everybody, ${colorScheme}`, async () => {
        const page = await pageOf(browser, { colorScheme });
        await page.goto(address);
        await assertAccessible(page, colorScheme);
        await assertFits(page, colorScheme);
        await assertWordsApart(page, colorScheme);
        await keepPicture(page, `report-${name}-${colorScheme}`);
      });
    }
    await t.test(`${name}: on a telephone`, async () => {
      const page = await pageOf(browser, { viewport: { width: 390, height: 800 } });
      await page.goto(address);
      await assertFits(page, "390 px");
      await assertWordsApart(page, "390 px");
      await keepPicture(page, `report-${name}-phone`);
    });
    await t.test(`${name}: on paper`, async () => {
      const page = await pageOf(browser, { colorScheme: "dark" });
      await page.goto(address);
      await page.emulateMedia({ media: "print" });
      const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.equal(background, "rgb(255, 255, 255)");
      assert.ok((await page.pdf({ format: "A4" })).length > 10_000);
      await keepPicture(page, `report-${name}-print`);
    });
    await t.test(`${name}: opens at once`, async () => {
      const page = await pageOf(browser);
      await page.goto(address);
      const loaded = await page.evaluate(() =>
        performance.getEntriesByType("navigation")[0].loadEventEnd);
      assert.ok(loaded < 1000, `${loaded} ms`);
    });
  }
});
