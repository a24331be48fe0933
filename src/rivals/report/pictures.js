// What all pictures share: elements, frames, axes, legends.

const FRAME = { width: 760, height: 320, left: 64, right: 24, top: 12, bottom: 46 };
const LOW_FRAME = 220;
const NARROWEST = 280;
const LEGEND_COLUMN = 220;
const LEGEND_ROW = 18;
const LETTER = 6.8;
const COLOURS = 7;
const DASHES = ["", "8 4", "8 3 2 3", "2 3"];

const byId = (id) => document.getElementById(id);

function element(parent, tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  parent.append(made);
  return made;
}

function shape(parent, tag, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

function line(parent, [x1, y1], [x2, y2], attributes) {
  return shape(parent, "line", { x1, y1, x2, y2, ...attributes });
}

function emptied(id) {
  byId(id).replaceChildren();
  return byId(id);
}

// ------------------------------------------------------------------ words and numbers

const general = (value, digits = 6) => Number(value.toPrecision(digits)).toString();
const forPeople = (value) => general(value, 3);
const round = (value) => value.toFixed(1);

// Three decimals, but never a claim of certainty.
function asText(probability) {
  if (probability < 0.0005) return "< .001";
  if (probability > 0.9995) return "> .999";
  return probability.toFixed(3);
}

// Cut in the middle: names of variants often differ only at their end.
function short(text, longest) {
  const letters = [...text];
  if (letters.length <= longest) return text;
  const tail = Math.floor((longest - 1) / 2);
  const begin = letters.slice(0, longest - 1 - tail);
  return [...begin, "…", ...letters.slice(letters.length - tail)].join("");
}

// ------------------------------------------------------------------ how a model looks

const colour = (model) => `var(--m${model % COLOURS})`;
const dash = (model) => DASHES[((model % COLOURS) + Math.floor(model / COLOURS)) % DASHES.length];
const lookOf = (model) => ({ stroke: colour(model), "stroke-dasharray": dash(model) });

// ------------------------------------------------------------------ frames

// As wide as the page, so that text has its own size on any screen.
function picture(figure, id, { title, description, legend = [], width }) {
  FRAME.width = Math.max(width, NARROWEST);
  FRAME.height = legend.length ? 320 : LOW_FRAME;
  const columns = Math.max(1, Math.floor((FRAME.width - 10) / LEGEND_COLUMN));
  const height = FRAME.height + LEGEND_ROW * Math.ceil(legend.length / columns);
  const svg = shape(figure, "svg", {
    viewBox: `0 0 ${FRAME.width} ${height}`,
    role: "img",
    "aria-labelledby": `${id}-title ${id}-description`,
  });
  shape(svg, "title", { id: `${id}-title` }, title);
  shape(svg, "desc", { id: `${id}-description` }, description);
  const step = (FRAME.width - 10) / columns;
  legend.forEach((entry, index) => {
    const x = 10 + (index % columns) * step;
    const y = FRAME.height + 10 + LEGEND_ROW * Math.floor(index / columns);
    line(svg, [x, y], [x + 30, y], { class: "curve", ...entry.look });
    const label = short(entry.label, Math.floor((step - 44) / LETTER));
    const text = shape(svg, "text", { x: x + 36, y: y + 4 }, label);
    shape(text, "title", {}, entry.label);
  });
  return svg;
}

// How many marks of so many pixels fit on the x axis.
const room = (pixels) => Math.max(2, Math.floor((FRAME.width - FRAME.left) / pixels));

function ticksOf(low, high, count = 6) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const steps = [1, 2, 5, 10].map((factor) => factor * power);
  const step = steps.find((value) => value >= rough);
  const values = [];
  let value = Math.ceil(low / step) * step;
  while (value <= high + 1e-9 * step) {
    values.push(value);
    value += step;
  }
  const decimals = Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));
  const large = Math.max(Math.abs(low), Math.abs(high)) >= 1e7 || step < 1e-6;
  const label = (tick) => (large ? general(tick, 4) : tick.toFixed(decimals));
  return values.map((tick) => [tick, label(tick)]);
}

// Axes with ticks [value, label]; returns how values become places.
function axes(svg, x, y) {
  const { width, height, left, right, top, bottom } = FRAME;
  const end = width - right;
  const floor = height - bottom;
  const scale = (range, from, to) => (value) =>
    from + ((value - range.low) / (range.high - range.low)) * (to - from);
  const toX = scale(x, left, end);
  const toY = scale(y, floor, top);
  for (const [value, label] of x.ticks) {
    const place = toX(value);
    line(svg, [place, top], [place, floor], { class: "grid" });
    shape(svg, "text", { x: place, y: floor + 16, "text-anchor": "middle" }, label);
  }
  for (const [value, label] of y.ticks) {
    const place = toY(value);
    line(svg, [left, place], [end, place], { class: "grid" });
    shape(svg, "text", { x: left - 6, y: place + 4, "text-anchor": "end" }, label);
  }
  shape(svg, "path", { d: `M${left} ${top}V${floor}H${end}`, class: "axis" });
  const middle = { "text-anchor": "middle" };
  shape(svg, "text", { x: (left + end) / 2, y: height - 10, ...middle }, x.label);
  const turned = `translate(14 ${(top + floor) / 2}) rotate(-90)`;
  shape(svg, "text", { transform: turned, ...middle }, y.label);
  return { toX, toY };
}

const pathOf = (points) => "M" + points.map(([x, y]) => `${round(x)} ${round(y)}`).join("L");

// At −log10(1 − Φ) = 0, 1, 2, … and at the median.
function tailTicks(end) {
  const ticks = [[0, "0"], [Math.log10(2), "0.5"]];
  for (let nines = 1; nines <= end; nines++) ticks.push([nines, (1 - 10 ** -nines).toFixed(nines)]);
  return ticks;
}

// Log odds: near 1, where verdicts are stated, probabilities that differ can be told apart.
const ODDS = { low: 0.01, high: 0.9996 };
const ODDS_TICKS = [0.01, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.9996];
function logOdds(probability) {
  const inside = Math.min(Math.max(probability, ODDS.low), ODDS.high);
  return Math.log(inside / (1 - inside));
}
