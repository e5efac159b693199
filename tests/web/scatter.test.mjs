// What the page computes by itself.

import assert from "node:assert/strict";
import { test } from "node:test";

import { between, boundsOf, lookOf, union } from "../../apps/serve/page/scatter.js";

test("places between frames lie on the line between them", () => {
  const frames = [[0, 0, 4, 4], [2, 4, 4, 0]];
  assert.deepEqual(between(frames, 0), frames[0]);
  assert.deepEqual(between(frames, 1), frames[1]);
  assert.deepEqual(between(frames, 0.5), [1, 2, 4, 2]);
});

test("bounds hold all places of all frames, even of one point", () => {
  const { left, right, low, high } = boundsOf([[0, 0, 4, 4], [2, -4, 4, 0]]);
  assert.ok(left < 0 && right > 4 && low < -4 && high > 4);
  const one = boundsOf([[3, 3]]);
  assert.ok(one.left < 3 && one.right > 3 && one.low < 3 && one.high > 3);
});

test("a union holds both and is no larger", () => {
  assert.deepEqual(union({ left: 0, right: 2, low: 0, high: 1 }, { left: 1, right: 3, low: -1, high: 0 }),
                   { left: 0, right: 3, low: -1, high: 1 });
});

test("up to six groups look different, and of many two stand out", () => {
  const few = Array.from({ length: 6 }, (_, m) => JSON.stringify(lookOf(6, m)));
  assert.equal(new Set(few).size, 6);
  const many = Array.from({ length: 30 }, (_, m) => lookOf(30, m).color);
  assert.equal(many.filter((color) => color === "--gray").length, 28);
});
