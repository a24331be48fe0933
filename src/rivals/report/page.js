(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { names, ranking, drawn, excess, reference, runs, thresholds } = data;
  const n = names.length;
  const state = { c: data.own.c, threshold: data.own.threshold, model: drawn[0] };
  const DASHES = ["", "8 4", "8 3 2 3", "2 3"];
  const byId = (id) => document.getElementById(id);

  // ------------------------------------------------------------------ the verdict, by the rule of verdict.js

  // Pairs a < b are stored row by row.
  const at = (a, b) => a * n - (a * (a + 1)) / 2 + (b - a - 1);
  const raw = (run, a, b) => (a === b ? 0.5 : a < b ? run.p[at(a, b)] : 1 - run.p[at(b, a)]);
  const probability = (run, a, b) => (data.calibrated ? data.calibrated[a][b] : raw(run, a, b));
  // In closed form, and after a calibration, no error is known to the page.
  const error = (run, a, b) => (a === b || run.e === null || data.calibrated ? 0 : run.e[a < b ? at(a, b) : at(b, a)]);
  const duels = (run) => ({ ranking, excess, probability: (a, b) => probability(run, a, b), error: (a, b) => error(run, a, b) });

  // At its own threshold the run has drawn until it could decide; at the others the rule is applied to what it drew.
  function verdictAt(cIndex, thresholdIndex) {
    const run = runs[cIndex];
    if (thresholdIndex === data.own.threshold) return { rejectedBy: run.by, unclear: run.unclear };
    return decide(duels(run), thresholds[thresholdIndex]);
  }
  const key = (verdict) => verdict.rejectedBy.map((by) => (by === null ? "1" : "0")).join("");
  const survivorsOf = (verdict) => ranking.filter((model) => verdict.rejectedBy[model] === null);
  const strongest = (run, model) => strongestRival(duels(run), model);

  // ------------------------------------------------------------------ small helpers

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
  const short = (text, longest = 28) => { const all = [...text]; return all.length > longest ? all.slice(0, longest - 1).join("") + "…" : text; };
  const general = (value, digits = 6) => Number(value.toPrecision(digits)).toString();
  const colour = (model) => `var(--m${model % 7})`;
  const dash = (model) => DASHES[(model + Math.floor(model / 7)) % 4];
  const list = (models) => models.map((model) => names[model]).join(", ");
  const round = (value) => value.toFixed(1);

  // As many digits, for all rows alike, as the narrowest distribution gives meaning to.
  function formatter(run) {
    const largest = Math.max(...run.low.concat(run.high).map((value) => Math.abs(reference + value)));
    const narrowest = Math.min(...run.low.map((low, model) => run.high[model] - low));
    if (!(largest > 1e-4 && largest < 1e7)) {
      const digits = largest > 0 ? Math.ceil(Math.log10(largest / Math.max(narrowest, 1e-15 * largest))) + 2 : 6;
      return (value, base = reference) => (base ? (base + value).toPrecision(Math.min(Math.max(digits, 6), 16)) : general(value, 4));
    }
    const decimals = Math.ceil(-Math.log10(Math.max(narrowest, 1e-4 * largest))) + 2;
    return (value, base = reference) => (base + value).toFixed(Math.min(Math.max(decimals, 0), 8));
  }

  // ------------------------------------------------------------------ axes

  const FRAME = { width: 760, height: 320, left: 64, right: 12, top: 12, bottom: 46 };
  function picture(id, title, description, legendEntries = []) {
    const figure = byId(id);
    figure.replaceChildren();
    const rows = Math.ceil(legendEntries.length / 3);
    const height = FRAME.height + 18 * rows;
    const svg = shape(figure, "svg", { viewBox: `0 0 ${FRAME.width} ${height}`, role: "img", "aria-labelledby": `${id}-title ${id}-description` });
    shape(svg, "title", { id: `${id}-title` }, title);
    shape(svg, "desc", { id: `${id}-description` }, description);
    legendEntries.forEach((entry, index) => {
      const x = FRAME.left + (index % 3) * 228, y = FRAME.height + 10 + 18 * Math.floor(index / 3);
      shape(svg, "line", { x1: x, x2: x + 30, y1: y, y2: y, class: "curve", stroke: entry.colour, "stroke-dasharray": entry.dash });
      shape(svg, "text", { x: x + 36, y: y + 4 }, entry.label);
    });
    return svg;
  }
  function ticksOf(low, high, count = 6) {
    const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= rough);
    const ticks = [];
    for (let value = Math.ceil(low / step) * step; value <= high + 1e-9 * step; value += step) ticks.push(value);
    const decimals = Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));
    const large = Math.max(Math.abs(low), Math.abs(high)) >= 1e7 || step < 1e-6;
    return ticks.map((value) => [value, large ? general(value, 4) : value.toFixed(decimals)]);
  }
  function axes(svg, x, y, xLabel, yLabel) {
    const { width, height, left, right, top, bottom } = FRAME;
    const scale = (range, from, to) => (value) => from + ((value - range.low) / (range.high - range.low)) * (to - from);
    const toX = scale(x, left, width - right), toY = scale(y, height - bottom, top);
    for (const [value, label] of x.ticks) {
      shape(svg, "line", { x1: toX(value), x2: toX(value), y1: top, y2: height - bottom, class: "grid" });
      shape(svg, "text", { x: toX(value), y: height - bottom + 16, "text-anchor": "middle" }, label);
    }
    for (const [value, label] of y.ticks) {
      shape(svg, "line", { x1: left, x2: width - right, y1: toY(value), y2: toY(value), class: "grid" });
      shape(svg, "text", { x: left - 6, y: toY(value) + 4, "text-anchor": "end" }, label);
    }
    shape(svg, "path", { d: `M${left} ${top}V${height - bottom}H${width - right}`, class: "axis" });
    shape(svg, "text", { x: (left + width - right) / 2, y: height - 10, "text-anchor": "middle" }, xLabel);
    shape(svg, "text", { transform: `translate(14 ${(top + height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, yLabel);
    return { toX, toY };
  }
  const pathOf = (points) => "M" + points.map(([x, y]) => `${round(x)} ${round(y)}`).join("L");

  // ------------------------------------------------------------------ what is shown

  function showSentence(verdict) {
    const kept = survivorsOf(verdict);
    byId("sentence").textContent = kept.length === n
      ? `No model is rejected: all of them may be worth keeping (${list(kept)}).`
      : `Worth keeping: ${list(kept)}. Rejected: ${n - kept.length} of ${n}.`;
    const doubt = byId("doubt");
    doubt.hidden = verdict.unclear.length === 0;
    doubt.textContent = verdict.unclear.length
      ? `Too close to the threshold for the number of draws: ${list(verdict.unclear)}. A run at this threshold would use more draws; treat it as undecided.`
      : "";
  }

  function showStrip(id, verdicts, current, changesId, values, what) {
    const strip = byId(id);
    strip.replaceChildren();
    const keys = verdicts.map(key), count = keys.length;
    const changes = [];
    for (let begin = 0; begin < count; ) {
      let end = begin;
      while (end + 1 < count && keys[end + 1] === keys[begin]) end++;
      const here = begin <= current && current <= end;
      // A box of one or two steps has no room for its number.
      const label = end - begin > 0.03 * count ? String(survivorsOf(verdicts[begin]).length) : "";
      const box = element(strip, "span", label, here ? { class: "here" } : {});
      box.style.left = `${(100 * Math.max(begin - 0.45, 0)) / (count - 1)}%`;
      box.style.right = `${100 - (100 * Math.min(end + 0.45, count - 1)) / (count - 1)}%`;
      if (end + 1 < count) changes.push(`${general(values[end])} and ${general(values[end + 1])}`);
      begin = end + 1;
    }
    byId(changesId).textContent = changes.length
      ? `The boxes hold the number of survivors. The verdict changes between ${what} = ${changes.join("; ")}.`
      : `The verdict is the same for every ${what} on this slider.`;
  }

  function showTable(run, verdict) {
    const number = formatter(run), body = document.querySelector("#models tbody");
    body.replaceChildren();
    for (const model of ranking) {
      const by = verdict.rejectedBy[model];
      const row = element(body, "tr", undefined, by === null ? {} : { class: "rejected" });
      element(row, "th", names[model], { scope: "row" });
      const [gap, gapError] = data.difference[model];
      element(row, "td", number(excess[model]));
      element(row, "td", model === ranking[0] ? "best" : `${number(gap, 0)} ± ${number(gapError, 0)}`);
      element(row, "td", `${number(run.low[model])} … ${number(run.high[model])}`);
      if (data.stability) element(row, "td", stabilityOf(model));
      element(row, "td", (by === null ? "survives" : `rejected by ${names[by]} (${duelOf(run, by, model)})`)
        + (verdict.unclear.includes(model) ? ", undecided" : ""));
    }
  }
  const atHome = () => state.c === data.own.c && state.threshold === data.own.threshold;
  // Known for the run itself only: at other settings each simulation would have to be judged anew.
  const stabilityOf = (model) => (atHome() ? `${Math.round(100 * data.stability[model])} %${data.unstable.includes(model) ? ", unstable" : ""}` : "–");
  const duelOf = (run, by, model) => probability(run, by, model).toFixed(3) + (data.calibrated ? ` calibrated, ${raw(run, by, model).toFixed(3)} raw` : "");
  const asText = (p) => (p < 0.0005 ? "< .001" : p > 0.9995 ? "> .999" : p.toFixed(3));

  function showMatrix(run, verdict) {
    const table = byId("matrix");
    table.replaceChildren();
    const head = element(element(table, "thead"), "tr");
    element(head, "td", "");
    for (const column of ranking) element(head, "th", names[column], { scope: "col" });
    const body = element(table, "tbody");
    for (const row of ranking) {
      const line = element(body, "tr");
      element(line, "th", names[row], { scope: "row" });
      for (const column of ranking) {
        const p = probability(run, row, column), rejects = verdict.rejectedBy[column] === row;
        const cell = element(line, "td", row === column ? "–" : asText(p) + (data.calibrated ? ` (${asText(raw(run, row, column))})` : ""), rejects ? { class: "rejects" } : {});
        cell.style.backgroundColor = `rgba(var(--${p > 0.5 ? "high" : "low"}), ${(0.55 * Math.abs(p - 0.5)).toFixed(3)})`;
        if (rejects) cell.title = `rejects ${names[column]}`;
      }
    }
  }

  function showRisks(run, verdict) {
    const number = formatter(run);
    const spread = run.density.filter((curve) => curve.heights.length);
    let low = Math.min(...drawn.map((model, i) => Math.min(run.density[i].from, excess[model])));
    let high = Math.max(...drawn.map((model, i) => Math.max(run.density[i].to, excess[model])));
    if (!(high > low)) { low -= 0.5; high += 0.5; }
    const peak = Math.max(...spread.map((curve) => curve.peak), 0) || 1;
    const rejected = (model) => verdict.rejectedBy[model] !== null;
    const svg = picture("risks", "Distributions of the risk",
      drawn.map((model) => `${names[model]}: mean ${number(run.mean[model])}, 90 % interval ${number(run.low[model])} to ${number(run.high[model])}`).join("; "),
      drawn.map((model) => ({ colour: colour(model), dash: dash(model), label: short((rejected(model) ? "✗ " : "") + names[model]) })));
    const x = { low: reference + low, high: reference + high };
    x.ticks = ticksOf(x.low, x.high);
    const { toX, toY } = axes(svg, x, { low: 0, high: 1.05 * peak, ticks: ticksOf(0, 1.05 * peak, 4) }, "risk R (expected loss; lower is better)", "probability density");
    drawn.forEach((model, i) => {
      const curve = run.density[i], last = curve.heights.length - 1, group = shape(svg, "g", rejected(model) ? { class: "faded" } : {});
      if (last > 0) {
        const points = curve.heights.map((height, k) => [toX(reference + curve.from + ((curve.to - curve.from) * k) / last), toY((curve.peak * height) / 999)]);
        shape(group, "path", { d: `${pathOf(points)}L${round(points[last][0])} ${toY(0)}L${round(points[0][0])} ${toY(0)}Z`, class: "area", fill: colour(model) });
        shape(group, "path", { d: pathOf(points), class: "curve", stroke: colour(model), "stroke-dasharray": dash(model) });
      } else {
        shape(group, "line", { x1: toX(reference + curve.from), x2: toX(reference + curve.from), y1: toY(0), y2: toY(peak), class: "curve", stroke: colour(model), "stroke-dasharray": dash(model) });
      }
      const tick = toX(reference + excess[model]);
      shape(svg, "line", { x1: tick, x2: tick, y1: toY(0), y2: toY(0) - 14, stroke: colour(model), "stroke-width": 3 });
    });
  }

  function showSweep() {
    const models = drawn.filter((model) => betterThan(data, model).length);
    const position = data.c.map((value) => Math.log2(value));
    const low = position[0] - 0.2, high = position[position.length - 1] + 0.2;
    const ticks = [];
    for (let power = Math.ceil(low); power <= high; power += high - low > 8 ? 2 : 1) ticks.push([power, general(2 ** power, 3)]);
    const svg = picture("sweep", "How the verdict depends on c",
      models.map((model) => `${names[model]}: ${strongest(runs[state.c], model).toFixed(3)}`).join("; ") + ` at c = ${general(data.c[state.c])}; threshold ${thresholds[state.threshold]}`,
      models.map((model) => ({ colour: colour(model), dash: dash(model), label: short(names[model]) })));
    const { toX, toY } = axes(svg, { low, high, ticks }, { low: 0, high: 1.02, ticks: ticksOf(0, 1, 5) }, "sensitivity c (logarithmic)", "P(its strongest rival is better)");
    const level = toY(thresholds[state.threshold]), here = toX(position[state.c]);
    shape(svg, "line", { x1: toX(low), x2: toX(high), y1: level, y2: level, class: "mark" });
    shape(svg, "line", { x1: here, x2: here, y1: toY(0), y2: toY(1.02), class: "mark", "stroke-dasharray": "3 3" });
    for (const model of models) {
      const points = runs.map((run, index) => [toX(position[index]), toY(strongest(run, model))]);
      shape(svg, "path", { d: pathOf(points), class: "curve", stroke: colour(model), "stroke-dasharray": dash(model) });
    }
  }

  function showQuantiles(run) {
    const model = state.model, curves = data.quantiles[model], band = run.band[drawn.indexOf(model)];
    const highest = Math.floor(0.99 * (data.phi.length - 1)), middle = (data.phi.length - 1) / 2;
    const shown = [curves.observed, curves.synthetic, curves.lowest, curves.highest].filter(Boolean);
    const bottom = Math.min(...shown.map((curve) => curve[0])), top = Math.max(...shown.map((curve) => curve[highest]));
    const margin = (top - bottom) || 1;
    const y = { low: reference + bottom - 0.05 * margin, high: reference + top + 0.2 * margin };
    y.ticks = ticksOf(y.low, y.high, 5);
    const entries = [{ colour: "var(--m0)", dash: "", label: "losses on the data, q*" }];
    if (curves.synthetic) entries.push({ colour: "var(--m1)", dash: "8 4", label: "on its own simulations, q~" });
    const svg = picture("quantiles", `Quantile functions of ${names[model]}`,
      `Median loss on the data ${general(reference + curves.observed[middle])}` + (curves.synthetic ? `, on simulations ${general(reference + curves.synthetic[middle])}` : ""),
      entries);
    const { toX, toY } = axes(svg, { low: 0, high: 1, ticks: ticksOf(0, 1, 5) }, y, "cumulative probability Φ", "loss");
    const clip = (value) => Math.min(Math.max(reference + value, y.low), y.high);
    const edge = (values) => values.map((value, k) => [toX(k / (values.length - 1)), toY(clip(value))]);
    const between = (low, high, look) => shape(svg, "path", { d: pathOf(edge(low).concat(edge(high).reverse())) + "Z", class: look });
    if (band) between(band[0], band[1], "band");
    if (curves.lowest) between(curves.lowest, curves.highest, "range");
    [curves.observed, curves.synthetic].filter(Boolean).forEach((values, index) => {
      shape(svg, "path", { d: pathOf(edge(values)), class: "curve", stroke: `var(--m${index})`, "stroke-dasharray": index ? "8 4" : "" });
    });
  }

  function show() {
    const run = runs[state.c], verdict = verdictAt(state.c, state.threshold);
    const thresholdText = String(thresholds[state.threshold]);
    byId("threshold-value").textContent = thresholdText;
    byId("threshold").setAttribute("aria-valuetext", `threshold ${thresholdText}`);
    showSentence(verdict);
    if (data.adjustable) {
      const cText = general(data.c[state.c]);
      byId("c-value").textContent = cText;
      byId("c").setAttribute("aria-valuetext", `c = ${cText}`);
      showStrip("c-strip", runs.map((_, index) => verdictAt(index, state.threshold)), state.c, "c-changes", data.c, "c");
      showSweep();
    }
    showStrip("threshold-strip", thresholds.map((_, index) => verdictAt(state.c, index)), state.threshold, "threshold-changes", thresholds, "threshold");
    showTable(run, verdict);
    showRisks(run, verdict);
    showMatrix(run, verdict);
    showQuantiles(run);
  }

  // ------------------------------------------------------------------ controls

  const sliders = [["c", runs.length], ["threshold", thresholds.length]].filter(([id]) => byId(id));
  for (const [id, count] of sliders) {
    const slider = byId(id);
    slider.max = count - 1;
    slider.value = state[id];
    slider.addEventListener("input", () => { state[id] = Number(slider.value); show(); });
  }
  byId("reset").addEventListener("click", () => {
    for (const [id] of sliders) { state[id] = data.own[id]; byId(id).value = state[id]; }
    show();
  });
  for (const model of drawn) element(byId("model"), "option", short(names[model], 60), { value: model });
  byId("model").addEventListener("change", (event) => { state.model = Number(event.target.value); show(); });
  if (drawn.length < n) byId("drawn").textContent = `Pictures show the ${drawn.length} models of lowest mean loss, the table all ${n}.`;
  show();
})();
