// Points of groups on a canvas: by color and shape up to six groups; of more, the first two have
// colors and the rest is gray.

const FEW = 6;
const COLORED = 2;
const SHAPES = ["circle", "square", "triangle", "cross", "plus", "diamond"];

/** @param {number} groups @param {number} group */
export function lookOf(groups, group) {
  if (groups > FEW && group >= COLORED) return { color: "--gray", shape: "circle" };
  return { color: `--s${group % 4}`, shape: SHAPES[group % SHAPES.length] };
}

/**
 * Where places of all frames lie, with a little room around them.
 * @param {number[][]} frames x and y in turn
 */
export function boundsOf(frames) {
  const bounds = { left: Infinity, right: -Infinity, low: Infinity, high: -Infinity };
  for (const places of frames) {
    for (let i = 0; i < places.length; i += 2) {
      bounds.left = Math.min(bounds.left, places[i]);
      bounds.right = Math.max(bounds.right, places[i]);
      bounds.low = Math.min(bounds.low, places[i + 1]);
      bounds.high = Math.max(bounds.high, places[i + 1]);
    }
  }
  const wide = (bounds.right - bounds.left) * 0.04 || 1;
  const tall = (bounds.high - bounds.low) * 0.04 || 1;
  return { left: bounds.left - wide, right: bounds.right + wide,
           low: bounds.low - tall, high: bounds.high + tall };
}

/** The smallest bounds that hold both. */
export function union(one, other) {
  return { left: Math.min(one.left, other.left), right: Math.max(one.right, other.right),
           low: Math.min(one.low, other.low), high: Math.max(one.high, other.high) };
}

/**
 * Places between two frames; `at` counts frames and may have a fraction.
 * @param {number[][]} frames @param {number} at
 */
export function between(frames, at) {
  const before = frames[Math.floor(at)];
  const after = frames[Math.min(Math.floor(at) + 1, frames.length - 1)];
  const share = at - Math.floor(at);
  return before.map((x, i) => x + share * (after[i] - x));
}

/** @param {CanvasRenderingContext2D} pen */
function mark(pen, shape, x, y, size) {
  pen.beginPath();
  if (shape === "circle") pen.arc(x, y, size, 0, 2 * Math.PI);
  if (shape === "square") pen.rect(x - size, y - size, 2 * size, 2 * size);
  if (shape === "triangle" || shape === "diamond") {
    pen.moveTo(x, y - size * 1.3);
    pen.lineTo(x + size * 1.2, shape === "diamond" ? y : y + size);
    if (shape === "diamond") pen.lineTo(x, y + size * 1.3);
    pen.lineTo(x - size * 1.2, shape === "diamond" ? y : y + size);
    pen.closePath();
  }
  const slanted = shape === "cross";
  if (slanted || shape === "plus") {
    pen.moveTo(x - size, slanted ? y - size : y);
    pen.lineTo(x + size, slanted ? y + size : y);
    pen.moveTo(slanted ? x + size : x, y - size);
    pen.lineTo(slanted ? x - size : x, y + size);
  }
  pen.stroke();
}

export class Scatter {
  /** @param {HTMLCanvasElement} canvas @param {number[]} groupOf @param {number} groups */
  constructor(canvas, groupOf, groups) {
    this.canvas = canvas;
    this.groupOf = groupOf;
    this.groups = groups;
    this.bounds = { left: 0, right: 1, low: 0, high: 1 };
    /** @type {number[]} */
    this.places = [];
    this.chosen = -1;
    /** @type {number[][]} the way of the chosen row */
    this.way = [];
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  /** @param {number} x @param {number} y @returns {[number, number]} */
  place(x, y) {
    const { left, right, low, high } = this.bounds;
    return [((x - left) / (right - left)) * this.canvas.clientWidth,
            (1 - (y - low) / (high - low)) * this.canvas.clientHeight];
  }

  /** The row that is nearest to a place on the canvas, of those that can be chosen. */
  nearest(x, y, rows) {
    let best = -1, least = Infinity;
    for (const row of rows) {
      const [u, v] = this.place(this.places[2 * row], this.places[2 * row + 1]);
      const distance = (u - x) ** 2 + (v - y) ** 2;
      if (distance < least) [best, least] = [row, distance];
    }
    return best;
  }

  draw() {
    const { canvas } = this;
    const dots = devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * dots);
    canvas.height = Math.round(canvas.clientHeight * dots);
    const pen = canvas.getContext("2d");
    if (!pen || canvas.width === 0) return;
    pen.scale(dots, dots);
    const style = getComputedStyle(canvas);
    pen.lineWidth = 1.4;
    pen.globalAlpha = 0.75;
    for (let i = 0; 2 * i < this.places.length; ++i) {
      const look = lookOf(this.groups, this.groupOf[i]);
      pen.strokeStyle = style.getPropertyValue(look.color);
      const [x, y] = this.place(this.places[2 * i], this.places[2 * i + 1]);
      mark(pen, look.shape, x, y, 2.6);
    }
    if (this.chosen >= 0) this.drawChosen(pen, style.getPropertyValue("--ink"));
  }

  drawChosen(pen, ink) {
    pen.globalAlpha = 1;
    pen.strokeStyle = ink;
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (const places of this.way) {
      pen.lineTo(...this.place(places[2 * this.chosen], places[2 * this.chosen + 1]));
    }
    pen.stroke();
    pen.lineWidth = 3;
    const [x, y] = this.place(this.places[2 * this.chosen], this.places[2 * this.chosen + 1]);
    mark(pen, "circle", x, y, 6);
  }
}

/** A list that says which group looks how. */
export function legendOf(names) {
  const list = document.createElement("ul");
  list.className = "legend";
  names.slice(0, names.length > FEW ? COLORED : FEW).forEach((name, group) => {
    const item = document.createElement("li");
    const canvas = document.createElement("canvas");
    canvas.className = "swatch";
    canvas.width = canvas.height = 28;
    canvas.setAttribute("aria-hidden", "true");
    item.append(canvas, name);
    list.append(item);
    const draw = () => {
      const pen = canvas.getContext("2d");
      if (!pen) return;
      const look = lookOf(names.length, group);
      pen.reset();
      pen.scale(2, 2);
      pen.lineWidth = 1.6;
      pen.strokeStyle = getComputedStyle(canvas).getPropertyValue(look.color);
      mark(pen, look.shape, 7, 7, 4);
    };
    // Colors are known only when it is part of the page.
    new ResizeObserver(draw).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  });
  if (names.length > FEW) {
    const item = document.createElement("li");
    item.textContent = `${names.length - COLORED} more groups in gray`;
    list.append(item);
  }
  return list;
}
