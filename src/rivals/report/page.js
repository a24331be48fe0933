(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { names, ranking, drawn, excess, reference, runs, thresholds } = data;
  const n = names.length;
  const state = { c: data.own.c, threshold: data.own.threshold, model: drawn[0], query: "", unfolded: false, print: false };
  // Of more models the table shows the first dozen, until asked for more; the table of pairs never shows more.
  const MANY = 20, DOZEN = 12;
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

  // At its own threshold a run may have drawn until it could decide; elsewhere the rule is applied to what it drew.
  const decided = (cIndex, thresholdIndex) => thresholdIndex === data.own.threshold && runs[cIndex].by !== null;
  function verdictAt(cIndex, thresholdIndex) {
    const run = runs[cIndex];
    return decided(cIndex, thresholdIndex) ? { rejectedBy: run.by, unclear: run.unclear } : decide(duels(run), thresholds[thresholdIndex]);
  }
  // For each run, and all models: how probably the strongest rival is better. The rule rejects where that exceeds the threshold,
  // so that the strips need no more than this.
  const strength = new Map();
  function strongest(run, model) {
    if (!strength.has(run)) strength.set(run, strongestRivals(duels(run)));
    return strength.get(run)[model];
  }
  function survivorsAt(cIndex, thresholdIndex) {
    const run = runs[cIndex], threshold = thresholds[thresholdIndex];
    const survives = decided(cIndex, thresholdIndex) ? (model) => run.by[model] === null : (model) => threshold >= 1 || !(strongest(run, model) > threshold);
    return ranking.filter(survives);
  }
  const survivorsOf = (verdict) => ranking.filter((model) => verdict.rejectedBy[model] === null);

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
  // Cut in the middle: names of variants often differ only at their end.
  function short(text, longest) {
    const all = [...text], tail = Math.floor((longest - 1) / 2);
    return all.length > longest ? [...all.slice(0, longest - 1 - tail), "…", ...all.slice(all.length - tail)].join("") : text;
  }
  const general = (value, digits = 6) => Number(value.toPrecision(digits)).toString();
  const colour = (model) => `var(--m${model % 7})`;
  const dash = (model) => DASHES[((model % 7) + Math.floor(model / 7)) % 4];
  const list = (models) => models.slice(0, DOZEN).map((model) => names[model]).join(", ") + (models.length > DOZEN ? ` and ${models.length - DOZEN} more` : "");
  const forPeople = (value) => general(value, 3);
  const round = (value) => value.toFixed(1);

  // As many digits as the narrowest distribution gives meaning to, for all models alike.
  function formatter(run) {
    const largest = [...run.low, ...run.high].reduce((most, value) => Math.max(most, Math.abs(reference + value)), 0);
    const narrowest = run.high.reduce((least, high, model) => (high > run.low[model] ? Math.min(least, high - run.low[model]) : least), largest);
    if (!(largest > 1e-4 && largest < 1e7)) {
      const digits = largest > 0 ? Math.ceil(Math.log10(largest / Math.max(narrowest, 1e-15 * largest))) + 2 : 6;
      return (value) => (reference + value).toPrecision(Math.min(Math.max(digits, 4), 16));
    }
    const decimals = Math.ceil(-Math.log10(Math.max(narrowest, 1e-13 * largest))) + 2;
    return (value) => (reference + value).toFixed(Math.min(Math.max(decimals, 0), 8));
  }

  // ------------------------------------------------------------------ axes

  // As wide as the page, so that text has its own size on any screen.
  const FRAME = { width: 760, height: 320, left: 64, right: 24, top: 12, bottom: 46 };
  const PRINTED = 680, LETTER = 6.8;
  // Read before anything is changed: in between, the browser would have to lay out the page again for each.
  const widths = {};
  function measure() { for (const id of ["risks", "sweep", "quantiles"]) widths[id] = byId(id)?.clientWidth; }
  function picture(figure, id, title, description, legendEntries = [], width = state.print ? PRINTED : widths[id]) {
    FRAME.width = Math.max(width, 280);
    FRAME.height = legendEntries.length ? 320 : 220;
    const columns = Math.max(1, Math.floor((FRAME.width - 10) / 220)), step = (FRAME.width - 10) / columns;
    const height = FRAME.height + 18 * Math.ceil(legendEntries.length / columns);
    const svg = shape(figure, "svg", { viewBox: `0 0 ${FRAME.width} ${height}`, role: "img", "aria-labelledby": `${id}-title ${id}-description` });
    shape(svg, "title", { id: `${id}-title` }, title);
    shape(svg, "desc", { id: `${id}-description` }, description);
    legendEntries.forEach((entry, index) => {
      const x = 10 + (index % columns) * step, y = FRAME.height + 10 + 18 * Math.floor(index / columns);
      shape(svg, "line", { x1: x, x2: x + 30, y1: y, y2: y, class: "curve", stroke: entry.colour, "stroke-dasharray": entry.dash });
      const text = shape(svg, "text", { x: x + 36, y: y + 4 }, short(entry.label, Math.floor((step - 44) / LETTER)));
      shape(text, "title", {}, entry.label);
    });
    return svg;
  }
  function emptied(id) { byId(id).replaceChildren(); return byId(id); }
  const room = (pixels) => Math.max(2, Math.floor((FRAME.width - FRAME.left) / pixels));
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
      ? `No model is rejected: all may be worth keeping (${list(kept)}).`
      : `Worth keeping: ${list(kept)}. Rejected: ${n - kept.length} of ${n}.`;
    // At home the remarks of the run say what is undecided, and why; elsewhere they do not hold.
    byId("remarks")?.toggleAttribute("hidden", !atHome());
    const doubts = [];
    if (!atHome() && verdict.unclear.length) doubts.push(`Too close to the threshold for the number of draws: ${list(verdict.unclear)}. A run at these settings would use more draws; treat it as undecided.`);
    if (!atHome() && kept.length < n && data.columns.some(([heading]) => heading === "stable")) doubts.push("How many single simulations agree is known only at the settings of the run: here some of these rejections may be undecided.");
    byId("doubt").hidden = doubts.length === 0;
    byId("doubt").textContent = doubts.join(" ");
  }

  const LISTED_CHANGES = 4;
  function showStrip(id, survivors, current, changesId, values, what) {
    const strip = byId(id);
    strip.replaceChildren();
    const keys = survivors.map((models) => models.join()), count = keys.length;
    const changes = [];
    for (let begin = 0; begin < count; ) {
      let end = begin;
      while (end + 1 < count && keys[end + 1] === keys[begin]) end++;
      const here = begin <= current && current <= end;
      // A box of one or two steps has no room for its number.
      const label = end - begin > 0.03 * count ? String(survivors[begin].length) : "";
      const range = begin === end ? forPeople(values[begin]) : `${forPeople(values[begin])} … ${forPeople(values[end])}`;
      const box = element(strip, "span", label, { ...(here ? { class: "here" } : {}), title: `${what} = ${range}: worth keeping ${list(survivors[begin])}` });
      box.style.left = `${(100 * Math.max(begin - 0.45, 0)) / (count - 1)}%`;
      box.style.right = `${100 - (100 * Math.min(end + 0.45, count - 1)) / (count - 1)}%`;
      if (end + 1 < count) changes.push(`${forPeople(values[end])} and ${forPeople(values[end + 1])}`);
      begin = end + 1;
    }
    const rest = changes.length - LISTED_CHANGES;
    byId(changesId).textContent = `Each box above is a range of ${what} with the same verdict; its number says how many models survive. ` + (changes.length
      ? `The verdict changes between ${what} = ${changes.slice(0, LISTED_CHANGES).join("; ")}${rest > 0 ? ` and at ${rest} more places` : ""}.`
      : `The verdict is the same for every ${what} offered here.`);
  }

  function showTable(run, verdict) {
    const body = document.querySelector("#models tbody"), visible = state.print ? ranking : found();
    body.replaceChildren();
    const number = formatter(run);
    for (const model of visible) {
      const by = verdict.rejectedBy[model];
      const row = element(body, "tr");
      row.classList.toggle("rejected", by !== null);
      const cell = (label, text) => element(row, "td", text, { "data-label": label });
      element(row, "th", names[model], { scope: "row" });
      // What changes with c and the threshold is written anew; the other cells are the run's own.
      const anew = {
        "risk, 90 % interval": () => `${number(run.low[model])} … ${number(run.high[model])}`,
        "rejected by": () => (by === null ? "" : `${names[by]} (${duelOf(run, by, model)})`) + (verdict.unclear.includes(model) ? " undecided" : ""),
        stable: (own) => stabilityOf(model, own),
      };
      data.columns.slice(1).forEach(([heading], index) => cell(heading, (anew[heading] ?? ((own) => own))(data.cells[model][index + 1])));
    }
    byId("found").textContent = state.query
      ? `${visible.length} of ${n} models match.`
      : visible.length < n ? `The ${visible.length} of lowest mean loss are shown.` : "";
    byId("unfold").textContent = state.unfolded ? `Show the first ${DOZEN}` : `Show all ${n} models`;
  }
  // The models to show, best first: those that match the search, or the first ones.
  function found() {
    if (state.query) return ranking.filter((model) => names[model].toLowerCase().includes(state.query));
    return n > MANY && !state.unfolded ? ranking.slice(0, DOZEN) : ranking;
  }
  const atHome = () => state.c === data.own.c && state.threshold === data.own.threshold;
  // Known for the run itself only: at other settings each simulation would have to be judged anew.
  const stabilityOf = (model, own) => (atHome() ? own + (data.unstable.includes(model) ? ", unstable" : "") : "–");
  const duelOf = (run, by, model) => asText(probability(run, by, model)) + (data.calibrated ? ` calibrated, ${asText(raw(run, by, model))} raw` : "");
  const asText = (p) => (p < 0.0005 ? "< .001" : p > 0.9995 ? "> .999" : p.toFixed(3));

  function showMatrix(run, verdict) {
    const table = byId("matrix");
    table.replaceChildren();
    const models = found().slice(0, DOZEN), rank = new Map(ranking.map((model, index) => [model, index + 1]));
    const head = element(element(table, "thead"), "tr");
    element(head, "td", "");
    for (const column of models) element(head, "th", rank.get(column), { scope: "col", title: names[column] });
    const body = element(table, "tbody");
    for (const row of models) {
      const line = element(body, "tr");
      element(line, "th", `${rank.get(row)} ${short(names[row], 40)}`, { scope: "row", title: names[row] });
      for (const column of models) {
        const p = probability(run, row, column), rejects = verdict.rejectedBy[column] === row;
        const cell = element(line, "td", row === column ? "–" : asText(p) + (data.calibrated ? ` (${asText(raw(run, row, column))})` : ""), { "data-label": rank.get(column) });
        cell.style.backgroundColor = `rgba(var(--${p > 0.5 ? "high" : "low"}), ${(0.55 * Math.abs(p - 0.5)).toFixed(3)})`;
        cell.classList.toggle("rejects", rejects);
        cell.classList.toggle("itself", row === column);
        if (row !== column) cell.title = `P(${names[row]} is better than ${names[column]}) = ${asText(p)}` + (rejects ? `: rejects ${names[column]}` : "");
      }
    }
    byId("paired").textContent = models.length < n ? `Shown are ${models.length} of ${n} models; the search above chooses others.` : "";
  }

  function showRisks(run, verdict) {
    const number = formatter(run);
    const interval = (model) => `mean loss ${number(excess[model])}, 90 % interval ${number(run.low[model])} … ${number(run.high[model])}`;
    const spread = run.density.filter((curve) => curve.heights.length);
    const rejected = (model) => verdict.rejectedBy[model] !== null;
    const [low, high, cut] = frameOf(run, rejected);
    byId("cut").textContent = cut ? "Rejected models far from the others leave the frame." : "";
    const peak = Math.max(...spread.map((curve) => curve.peak), 0) || 1;
    const svg = picture(emptied("risks"), "risks", "Distributions of the risk",
      drawn.map((model) => `${names[model]}: ${interval(model)}`).join("; "),
      drawn.map((model) => ({ colour: colour(model), dash: dash(model), label: (rejected(model) ? "✗ " : "") + names[model] })));
    const x = { low: reference + low, high: reference + high };
    x.ticks = ticksOf(x.low, x.high, Math.min(room(60), 8));
    const { toX, toY } = axes(svg, x, { low: 0, high: 1.05 * peak, ticks: ticksOf(0, 1.05 * peak) }, "risk R (expected loss; lower is better)", "probability density");
    const inside = shape(shape(svg, "clipPath", { id: "risks-frame" }), "rect", { x: FRAME.left, y: 0, width: FRAME.width - FRAME.right - FRAME.left, height: FRAME.height });
    const curves = shape(svg, "g", { "clip-path": `url(#${inside.parentNode.id})` });
    drawn.forEach((model, i) => {
      const curve = run.density[i], last = curve.heights.length - 1, group = shape(curves, "g", rejected(model) ? { class: "faded" } : {});
      shape(group, "title", {}, `${names[model]}: ${interval(model)}`);
      if (last > 0) {
        const points = curve.heights.map((height, k) => [toX(reference + curve.from + ((curve.to - curve.from) * k) / last), toY((curve.peak * height) / 999)]);
        shape(group, "path", { d: `${pathOf(points)}L${round(points[last][0])} ${toY(0)}L${round(points[0][0])} ${toY(0)}Z`, class: "area", fill: colour(model) });
        shape(group, "path", { d: pathOf(points), class: "curve", stroke: colour(model), "stroke-dasharray": dash(model) });
      } else {
        shape(group, "line", { x1: toX(reference + curve.from), x2: toX(reference + curve.from), y1: toY(0), y2: toY(peak), class: "curve", stroke: colour(model), "stroke-dasharray": dash(model) });
      }
      const tick = toX(reference + excess[model]);
      shape(curves, "line", { x1: tick, x2: tick, y1: toY(0), y2: toY(0) - 14, stroke: colour(model), "stroke-width": 3 });
    });
  }

  // All curves; but where one hopeless model would press the survivors into a line, these and as much room on either side.
  const HOPELESS = 8;
  function frameOf(run, rejected) {
    const ends = (models) => {
      const curves = models.map((model) => [run.density[drawn.indexOf(model)], excess[model]]);
      return [Math.min(...curves.map(([curve, mean]) => Math.min(curve.from, mean))), Math.max(...curves.map(([curve, mean]) => Math.max(curve.to, mean)))];
    };
    const [low, high] = ends(drawn), [from, to] = ends(drawn.filter((model) => !rejected(model)));
    if (!(high > low)) return [low - 0.5, high + 0.5, false];
    if (to > from && high - low > HOPELESS * (to - from)) return [Math.max(low, 2 * from - to), Math.min(high, 2 * to - from), true];
    return [low, high, false];
  }

  function showSweep() {
    const models = drawn.filter((model) => betterThan(data, model).length);
    const position = data.c.map((value) => Math.log2(value));
    const low = position[0] - 0.2, high = position[position.length - 1] + 0.2;
    const ticks = [];
    const sweep = emptied("sweep");
    const step = Math.ceil((high - low) / ((widths.sweep || PRINTED) / 75));
    for (let power = Math.ceil(low); power <= high; power += step) ticks.push([power, forPeople(2 ** power)]);
    const svg = picture(sweep, "sweep", "How the verdict depends on c",
      models.map((model) => `${names[model]}: ${strongest(runs[state.c], model).toFixed(3)}`).join("; ") + ` at c = ${forPeople(data.c[state.c])}; threshold ${thresholds[state.threshold]}`,
      models.map((model) => ({ colour: colour(model), dash: dash(model), label: names[model] })));
    const { toX, toY } = axes(svg, { low, high, ticks }, { low: 0, high: 1.02, ticks: ticksOf(0, 1, 5) }, "sensitivity c (logarithmic)", "P(its strongest rival is better)");
    const level = toY(thresholds[state.threshold]), here = toX(position[state.c]);
    shape(svg, "line", { x1: toX(low), x2: toX(high), y1: level, y2: level, class: "mark" });
    shape(svg, "line", { x1: here, x2: here, y1: toY(0), y2: toY(1.02), class: "mark", "stroke-dasharray": "3 3" });
    for (const model of models) {
      const points = runs.map((run, index) => [toX(position[index]), toY(strongest(run, model))]);
      const curve = shape(svg, "path", { d: pathOf(points), class: "curve", stroke: colour(model), "stroke-dasharray": dash(model) });
      shape(curve, "title", {}, `${names[model]}: ${strongest(runs[state.c], model).toFixed(3)} at c = ${forPeople(data.c[state.c])}`);
    }
  }

  function showQuantiles(run) {
    drawQuantiles(emptied("quantiles"), "quantiles", run, state.model);
    if (byId("gap") && data.distance) byId("gap").textContent = `: W = ${general(data.distance[state.model], 3)} for ${names[state.model]}`;
  }
  // On paper nothing can be chosen, so that all models are there.
  function showAllQuantiles(run) {
    const all = emptied("quantiles-of-all");
    if (state.print) for (const model of drawn) {
      const figure = element(all, "figure");
      element(figure, "figcaption", names[model] + (data.distance ? `, W = ${general(data.distance[model], 3)}` : ""));
      drawQuantiles(figure, `quantiles-${model}`, run, model, PRINTED / 2 - 10);
    }
  }
  function drawQuantiles(figure, id, run, model, width = undefined) {
    const curves = data.quantiles[model], band = run.band[drawn.indexOf(model)];
    const last = data.phi.length - 1, highest = data.tail ? last : Math.floor(0.99 * last);
    const middle = data.phi.findIndex((phi) => phi >= 0.5);
    const shown = [curves.observed, curves.synthetic, curves.lowest, curves.highest].filter(Boolean);
    const bottom = Math.min(...shown.map((curve) => curve[0])), top = Math.max(...shown.map((curve) => curve[highest]));
    const margin = (top - bottom) || 1;
    const y = { low: reference + bottom - 0.05 * margin, high: reference + top + (data.tail ? 0.05 : 0.2) * margin };
    y.ticks = ticksOf(y.low, y.high);
    const entries = [{ colour: "var(--m0)", dash: "", label: "losses on the data, q*" }];
    if (curves.synthetic) entries.push({ colour: "var(--m1)", dash: "8 4", label: "on its own simulations, q~" });
    const svg = picture(figure, id, `Quantile functions of ${names[model]}`,
      `Median loss on the data ${general(reference + curves.observed[middle], 4)}` + (curves.synthetic ? `, on simulations ${general(reference + curves.synthetic[middle], 4)}` : ""),
      width ? [] : entries, width);
    const end = data.tail ? -Math.log10(1 - data.phi[last]) : 1;
    const { toX, toY } = axes(svg, { low: 0, high: end, ticks: data.tail ? tailTicks(end) : ticksOf(0, 1, 5) }, y, `cumulative probability Φ${data.tail ? " (tail stretched)" : ""}`, "loss");
    const clip = (value) => Math.min(Math.max(reference + value, y.low), y.high);
    // Points are evenly spaced on either axis.
    const edge = (values) => values.map((value, k) => [toX((end * k) / (values.length - 1)), toY(clip(value))]);
    const between = (low, high, look) => shape(svg, "path", { d: pathOf(edge(low).concat(edge(high).reverse())) + "Z", class: look });
    if (band) between(band[0], band[1], "band");
    if (curves.lowest) between(curves.lowest, curves.highest, "range");
    [curves.observed, curves.synthetic].filter(Boolean).forEach((values, index) => {
      shape(svg, "path", { d: pathOf(edge(values)), class: "curve", stroke: `var(--m${index})`, "stroke-dasharray": index ? "8 4" : "" });
    });
  }

  // At −log10(1 − Φ) = 0, 1, 2, … and at the median.
  function tailTicks(end) {
    const ticks = [[0, "0"], [Math.log10(2), "0.5"]];
    for (let nines = 1; nines <= end; nines++) ticks.push([nines, (1 - 10 ** -nines).toFixed(nines)]);
    return ticks;
  }

  function show() {
    measure();
    const run = runs[state.c], verdict = verdictAt(state.c, state.threshold);
    const thresholdText = String(thresholds[state.threshold]);
    byId("threshold-value").textContent = thresholdText;
    byId("threshold").setAttribute("aria-valuetext", `threshold ${thresholdText}`);
    showSentence(verdict);
    if (data.adjustable) {
      const cText = forPeople(data.c[state.c]);
      byId("c-value").textContent = cText;
      byId("c").setAttribute("aria-valuetext", `c = ${cText}`);
      showStrip("c-strip", runs.map((_, index) => survivorsAt(index, state.threshold)), state.c, "c-changes", data.c, "c");
      showSweep();
    }
    showStrip("threshold-strip", thresholds.map((_, index) => survivorsAt(state.c, index)), state.threshold, "threshold-changes", thresholds, "threshold");
    showTable(run, verdict);
    showRisks(run, verdict);
    showMatrix(run, verdict);
    showQuantiles(run);
    showAllQuantiles(run);
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
  if (drawn.length < n) byId("drawn").textContent = `Pictures show the ${drawn.length} models of lowest mean loss; the table has all ${n}.`;
  byId("find").hidden = n <= DOZEN;
  byId("unfold").hidden = n <= MANY;
  byId("search").addEventListener("input", (event) => { state.query = event.target.value.trim().toLowerCase(); show(); });
  byId("unfold").addEventListener("click", () => { state.unfolded = !state.unfolded; show(); });
  let width = window.innerWidth;
  window.addEventListener("resize", () => { if (window.innerWidth !== width) { width = window.innerWidth; show(); } });
  for (const [event, print] of [["beforeprint", true], ["afterprint", false]]) {
    window.addEventListener(event, () => {
      state.print = print;
      for (const details of document.querySelectorAll("details")) if (print) details.open = true;
      show();
    });
  }
  show();
})();
