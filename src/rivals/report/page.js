// Shows what the library decided beforehand at the setting that is chosen. Nothing is decided here.
"use strict";

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const MANY = 25;
const chosen = data.axes.map((axis) => axis.own);

// ------------------------------------------------------------------ tables

function element(parent, tag, attributes = {}, text = "") {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  parent.append(made);
  return made;
}
function shape(parent, tag, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  parent.append(made);
  return made;
}
const percent = (place) => `${place / 10}%`;
const isZero = (label) => !/[1-9]/.test(label);

function drawBar(parent, [low, high, centre], ticks) {
  const svg = shape(parent, "svg", { class: "bar", "aria-hidden": "true" });
  for (const [at, label] of ticks) {
    const x = percent(at);
    shape(svg, "line", { class: isZero(label) ? "zero" : "tick", x1: x, x2: x, y1: 0, y2: "100%" });
  }
  if (low !== null) {
    const ends = { x1: percent(low), x2: percent(high), y1: "50%", y2: "50%" };
    shape(svg, "line", { class: "span", ...ends });
  }
  if (centre !== null) shape(svg, "circle", { cx: percent(centre), cy: "50%", r: 3.5 });
}

// As the template makes it: a bar stands behind the first column.
function showTable(table, numbers, bar, nAnswers = 0) {
  const columns = numbers.map((number) => data.columns[number]);
  const { rows, ticks } = data.bars[bar];
  const head = document.createElement("thead");
  const spans = element(head, "tr");
  columns.forEach((column, place) => {
    const last = spans.lastChild;
    if (place && column.over === columns[place - 1].over) last.colSpan += 1;
    else if (column.over) element(spans, "th", { colspan: 1, scope: "colgroup" }, column.over);
    else element(spans, "td", { colspan: place ? 1 : 2 });
  });
  const heads = element(head, "tr");
  columns.forEach((column, place) => {
    element(heads, "th", { scope: "col", class: column.kind }, column.head);
    if (place) return;
    const scale = shape(element(heads, "td", { class: "drawn" }), "svg", { class: "scale" });
    scale.setAttribute("aria-hidden", "true");
    for (const [at, label] of ticks) shape(scale, "text", { x: percent(at), y: "1em" }, label);
  });
  const body = document.createElement("tbody");
  rows.forEach((ends, index) => {
    const cells = columns.map((column) => column.cells[index]);
    const row = element(body, "tr", { "data-decision": cells[cells.length - 1] });
    row.classList.toggle("answer", index < nAnswers);
    element(row, "th", { scope: "row" }, cells[0]);
    drawBar(element(row, "td", { class: "drawn" }), ends, ticks);
    columns.slice(1).forEach((column, place) => {
      const label = `${column.over} ${column.head}`.trim();
      element(row, "td", { class: column.kind, "data-label": label }, cells[place + 1]);
    });
  });
  table.replaceChildren(head, body);
}

// ------------------------------------------------------------------ the setting

function screenAt(places) {
  const index = data.axes.reduce((sum, axis, k) => sum * axis.labels.length + places[k], 0);
  return data.screens[index];
}

function showScreen() {
  const [columns, bar, conclusion, trackRecord, covered] = screenAt(chosen);
  showTable(byId("models"), columns, bar);
  byId("conclusion").textContent = data.texts[conclusion];
  byId("track-record").textContent = data.texts[trackRecord];
  byId("covered").textContent = data.texts[covered];
  data.axes.forEach((axis, k) => showChoice(axis, k));
  const reset = byId("reset");
  if (reset) reset.disabled = data.axes.every((axis, k) => chosen[k] === axis.own);
  search();
}

function showChoice(axis, k) {
  const slider = byId(axis.option);
  if (!slider) {
    document.querySelectorAll("input[name=new_groups]")[chosen[k]].checked = true;
    return;
  }
  slider.value = chosen[k];
  slider.setAttribute("aria-valuetext", axis.labels[chosen[k]]);
  document.querySelector(`output[for=${axis.option}]`).textContent = axis.labels[chosen[k]];
  const counts = slider.parentNode.querySelector(".counts");
  counts.replaceChildren();
  axis.labels.forEach((label, place) => {
    const there = chosen.map((own, other) => (other === k ? place : own));
    const box = element(counts, "span", { title: label }, screenAt(there)[5]);
    box.classList.toggle("here", place === chosen[k]);
  });
}

data.axes.forEach((axis, k) => {
  const choose = (event) => {
    chosen[k] = Number(event.target.value);
    showScreen();
  };
  const slider = byId(axis.option);
  const inputs = slider ? [slider] : document.querySelectorAll("input[name=new_groups]");
  inputs.forEach((input) => input.addEventListener("input", choose));
});
byId("reset")?.addEventListener("click", () => {
  data.axes.forEach((axis, k) => (chosen[k] = axis.own));
  showScreen();
});

// ------------------------------------------------------------------ many models

let all = false;
function search() {
  const rows = [...document.querySelectorAll("#models tbody tr")];
  const query = byId("search").value.toLowerCase();
  rows.forEach((row, place) => {
    const named = row.firstChild.textContent.toLowerCase().includes(query);
    row.classList.toggle("unseen", query ? !named : !all && place >= MANY);
  });
  byId("find").hidden = rows.length <= MANY;
  byId("unfold").hidden = Boolean(query);
}
byId("search").addEventListener("input", search);
byId("unfold").addEventListener("click", (event) => {
  all = !all;
  event.target.textContent = all ? `Show the first ${MANY}` : "Show all";
  search();
});

// ------------------------------------------------------------------ choices of a model, copying

function chooseIn(id, table, entries) {
  byId(id)?.addEventListener("input", (event) => {
    const { columns, bar, n_answers: nAnswers } = entries[event.target.value];
    showTable(byId(table), columns, bar, nAnswers);
  });
}
chooseIn("group-model", "groups", data.groups?.models);
chooseIn("beside-model", "beside", data.beside);

byId("copy").addEventListener("click", async (event) => {
  getSelection().selectAllChildren(byId("methods"));
  try {
    await navigator.clipboard.writeText(byId("methods").textContent);
  } catch {
    document.execCommand("copy"); // of pages opened as files, where there is no clipboard
  }
  event.target.textContent = "Copied";
});

// Without JavaScript there is nothing to choose.
document.querySelectorAll("#controls, #copy").forEach((each) => (each.hidden = false));
document.querySelectorAll("select").forEach((each) => (each.disabled = false));
showScreen();
