// What happened in each group: a model beside the best, and what a new group would bring.

const MOST_GROUPS_NAMED = 24;

function drawGroups(figure, groups, model, names, width) {
  const { difference, error, new: next, won } = groups.models[model];
  const best = names[groups.best];
  const count = difference.length;
  const order = difference.map((_, group) => group);
  order.sort((a, b) => difference[a] - difference[b]);
  const svg = picture(figure, "groups", {
    title: `${names[model]} and ${best} in each ${groups.kind}`,
    description:
      `${best} has the lower mean loss in ${won} of ${count}; nine in ten new ones lie between ` +
      `${general(next[0], 3)} and ${general(next[1], 3)}`,
    legend: [
      { look: { stroke: "var(--m0)" }, label: `${best} is better` },
      { look: { stroke: "var(--m1)" }, label: `${names[model]} is better` },
      { look: { stroke: "currentColor" }, label: `nine in ten new ${groups.kind}s` },
    ],
    width,
  });
  const lowest = Math.min(0, next[0], ...difference.map((value, k) => value - error[k]));
  const highest = Math.max(0, next[1], ...difference.map((value, k) => value + error[k]));
  const margin = 0.03 * (highest - lowest || 1);
  const x = { low: lowest - margin, high: highest + margin };
  x.ticks = ticksOf(x.low, x.high, Math.min(room(60), 8));
  x.label = `mean loss of ${short(names[model], 20)} less that of ${short(best, 20)}`;
  // Below the groups there is room for a new one.
  const below = -1 - 0.06 * count;
  const named = count <= MOST_GROUPS_NAMED;
  const label = (group) => short(groups.names[group], 8);
  const y = { low: below - 1, high: count, label: named ? "" : `${groups.kind}s, in order` };
  y.ticks = named ? order.map((group, row) => [row, label(group)]) : [];
  const { toX, toY } = axes(svg, x, y);
  line(svg, [toX(0), toY(y.low)], [toX(0), toY(y.high)], { class: "mark" });
  order.forEach((group, row) => {
    const stroke = difference[group] > 0 ? "var(--m0)" : "var(--m1)";
    const mark = shape(svg, "g", { stroke, fill: stroke });
    shape(mark, "title", {}, sentenceOf(groups, model, group));
    const place = toY(row);
    const ends = [difference[group] - error[group], difference[group] + error[group]];
    const thin = named ? { "stroke-width": 1.5 } : { "stroke-width": 1, opacity: 0.35 };
    line(mark, [toX(ends[0]), place], [toX(ends[1]), place], thin);
    shape(mark, "circle", { cx: toX(difference[group]), cy: place, r: named ? 4 : 2.5 });
  });
  const wide = { stroke: "currentColor", "stroke-width": 5 };
  line(svg, [toX(next[0]), toY(below)], [toX(next[1]), toY(below)], wide);
}

function sentenceOf(groups, model, group) {
  const { difference, error } = groups.models[model];
  const amount = `${general(difference[group], 3)} ± ${general(error[group], 2)}`;
  return `${groups.names[group]} (${groups.sizes[group]} points): ${amount}`;
}

// The same as a list, for those who look for a group by its name.
function listGroups(table, groups, model) {
  const head = element(element(table, "thead"), "tr");
  for (const text of [groups.kind, "points", "difference ± error"]) {
    element(head, "th", text, { scope: "col" });
  }
  const { difference, error } = groups.models[model];
  const body = element(table, "tbody");
  groups.names.forEach((name, group) => {
    const row = element(body, "tr");
    element(row, "th", name, { scope: "row" });
    element(row, "td", groups.sizes[group], { "data-label": "points" });
    const amount = `${general(difference[group], 3)} ± ${general(error[group], 2)}`;
    element(row, "td", amount, { "data-label": "difference ± error" });
  });
}
