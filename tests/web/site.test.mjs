// The pages that `make site` makes, if it has: offline, for everybody, on every screen.

import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";

import { assertAccessible, assertFits, browserOf, keepPicture, pageOf } from "./support.mjs";

const site = process.env.SITE ?? "build/site";

function pagesIn(folder) {
  return readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".html"))
    .filter((name) => statSync(join(folder, name)).isFile());
}

test("the site", { skip: existsSync(site) ? false : `no ${site}; make site first` }, async (t) => {
  const browser = await browserOf(t);
  const folder = resolve(site);
  const pages = pagesIn(folder);
  assert.ok(pages.includes("index.html") && pages.includes("gallery/index.html"));
  const looks = [["light", { colorScheme: "light" }], ["dark", { colorScheme: "dark" }],
                 ["phone", { viewport: { width: 390, height: 800 } }]];
  for (const [look, options] of looks) {
    const page = await pageOf(browser, options);
    for (const name of pages) {
      // Documents have one style, so a few are enough for the dark.
      if (look === "dark" && name.startsWith("docs/") && name !== "docs/math.html") continue;
      await t.test(`${name}, ${look}`, async () => {
        page.said.length = page.asked.length = 0;
        await page.goto(`file://${folder}/${name}`);
        assert.deepEqual(page.said, []);
        assert.deepEqual(page.asked.filter((url) => !/^(file|data):/.test(url)), []);
        await assertFits(page, look);
        if (look !== "phone") await assertAccessible(page, look);
        if (name.startsWith("gallery/")) {
          assert.ok(statSync(join(folder, name)).size < 3e6);
          assert.ok(await page.locator("*").count() < 6000);
        }
        await keepPicture(page, `site-${name.replaceAll("/", "-")}-${look}`);
      });
    }
  }
});
