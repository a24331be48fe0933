// The page: what is shown at the c and the threshold that the sliders choose.

(() => {
  const data = JSON.parse(byId("data").textContent);
  const { names, ranking, drawn, excess, reference, thresholds, own, groups } = data;
  // About how many new groups: that of the run first, and alone without groups.
  const horizons = [{ horizon: data.horizon, runs: data.runs }, ...data.others];
  let { runs } = data;
  const n = names.length;
  // Of more models the table shows the first dozen, until asked for more; the table of pairs never
  // shows more.
  const MANY = 20;
  const DOZEN = 12;
  const PRINTED = 680;
  const LISTED_CHANGES = 4;
  // Where one hopeless model would press the survivors into a line.
  const HOPELESS = 8;
  const state = {
    c: own.c,
    threshold: own.threshold,
    horizon: 0,
    model: drawn[0],
    // What one calls a baseline is seldom the best.
    baseline: drawn[drawn.length - 1],
    beside: drawn.find((model) => model !== groups?.best),
    query: "",
    unfolded: false,
    print: false,
  };
  const atHome = () =>
    state.c === own.c && state.threshold === own.threshold && state.horizon === 0;

  // ------------------------------------------------------------------ what the library found

  // Pairs a < b are stored row by row.
  const placeOf = (a, b) => a * n - (a * (a + 1)) / 2 + (b - a - 1);
  function raw(run, a, b) {
    if (a === b) return 0.5;
    return a < b ? run.p[placeOf(a, b)] : 1 - run.p[placeOf(b, a)];
  }
  const probability = (run, a, b) => (data.calibrated ? data.calibrated[a][b] : raw(run, a, b));
  function survivorsAt(c, threshold) {
    const { rejectedBy } = verdictOf(runs[c], threshold);
    return ranking.filter((model) => rejectedBy(model) === null);
  }

  // ------------------------------------------------------------------ words

  function list(models) {
    const first = models.slice(0, DOZEN).map((model) => names[model]).join(", ");
    const rest = models.length - DOZEN;
    return rest > 0 ? `${first} and ${rest} more` : first;
  }

  // As many digits as the narrowest distribution gives meaning to, for all models alike.
  function formatter(run) {
    let largest = 0;
    for (const value of [...run.low, ...run.high]) {
      largest = Math.max(largest, Math.abs(reference + value));
    }
    let narrowest = largest;
    run.high.forEach((high, model) => {
      const width = high - run.low[model];
      if (width > 0) narrowest = Math.min(narrowest, width);
    });
    if (!(largest > 1e-4 && largest < 1e7)) {
      const ratio = largest / Math.max(narrowest, 1e-15 * largest);
      const digits = largest > 0 ? Math.ceil(Math.log10(ratio)) + 2 : 6;
      return (value) => (reference + value).toPrecision(Math.min(Math.max(digits, 4), 16));
    }
    const decimals = Math.ceil(-Math.log10(Math.max(narrowest, 1e-13 * largest))) + 2;
    return (value) => (reference + value).toFixed(Math.min(Math.max(decimals, 0), 8));
  }

  function showSentence(verdict) {
    const kept = survivorsAt(state.c, state.threshold);
    byId("sentence").textContent =
      kept.length === n
        ? `No model is rejected: all may be worth keeping (${list(kept)}).`
        : `Worth keeping: ${list(kept)}. Rejected: ${n - kept.length} of ${n}.`;
    byId("conclusion").toggleAttribute("hidden", !atHome());
    // At home the remarks of the run say what is undecided, and why; elsewhere they do not hold.
    byId("remarks")?.toggleAttribute("hidden", !atHome());
    const doubts = atHome() ? [] : doubtsOf(verdict);
    byId("doubt").hidden = doubts.length === 0;
    byId("doubt").textContent = doubts.join(" ");
  }
  function doubtsOf(verdict) {
    const close = ranking.filter((model) => verdict.undecided(model) === "draws");
    const unstable = ranking.filter((model) => verdict.undecided(model) === "simulations");
    const doubts = [];
    if (close.length) {
      doubts.push(
        `Too close to the threshold for the number of draws: ${list(close)}. ` +
          "A run at these settings would use more draws; treat it as undecided."
      );
    }
    if (unstable.length) {
      doubts.push(
        `Undecided: ${list(unstable)}. Too few of the single simulations share the rejection, ` +
          "so that it does not stand."
      );
    }
    return doubts;
  }

  // ------------------------------------------------------------------ boxes under the sliders

  // Ranges [begin, end] of places with the same survivors.
  function rangesOf(survivors) {
    const keys = survivors.map((models) => models.join());
    const ranges = [];
    keys.forEach((key, place) => {
      if (place > 0 && key === keys[place - 1]) ranges[ranges.length - 1][1] = place;
      else ranges.push([place, place]);
    });
    return ranges;
  }
  function showStrip(what, survivors, values) {
    const strip = emptied(`${what}-strip`);
    const count = values.length;
    const ranges = rangesOf(survivors);
    for (const [begin, end] of ranges) {
      const from = forPeople(values[begin]);
      const range = begin === end ? from : `${from} … ${forPeople(values[end])}`;
      // A box of one or two steps has no room for its number.
      const label = end - begin > 0.03 * count ? String(survivors[begin].length) : "";
      const title = `${what} = ${range}: worth keeping ${list(survivors[begin])}`;
      const box = element(strip, "span", label, { title });
      box.classList.toggle("here", begin <= state[what] && state[what] <= end);
      box.style.left = `${(100 * Math.max(begin - 0.45, 0)) / (count - 1)}%`;
      box.style.right = `${100 - (100 * Math.min(end + 0.45, count - 1)) / (count - 1)}%`;
    }
    byId(`${what}-changes`).textContent =
      `Each box above is a range of ${what} with the same verdict; its number says how many ` +
      `models survive. ${changesBetween(what, ranges, values)}`;
  }
  function changesBetween(what, ranges, values) {
    const ends = ranges.slice(0, -1).map(([, end]) => end);
    if (!ends.length) return `The verdict is the same for every ${what} offered here.`;
    const changes = ends.map((end) => `${forPeople(values[end])} and ${forPeople(values[end + 1])}`);
    const rest = changes.length - LISTED_CHANGES;
    const more = rest > 0 ? ` and at ${rest} more places` : "";
    const listed = changes.slice(0, LISTED_CHANGES).join("; ");
    return `The verdict changes between ${what} = ${listed}${more}.`;
  }

  // ------------------------------------------------------------------ tables

  // The models to show, best first: those that match the search, or the first ones.
  function found() {
    const matches = (model) => names[model].toLowerCase().includes(state.query);
    if (state.query) return ranking.filter(matches);
    return n > MANY && !state.unfolded ? ranking.slice(0, DOZEN) : ranking;
  }

  function showTable(run, verdict) {
    const body = document.querySelector("#models tbody");
    const visible = state.print ? ranking : found();
    const number = formatter(run);
    body.replaceChildren();
    for (const model of visible) {
      const row = element(body, "tr");
      row.classList.toggle("rejected", verdict.rejectedBy(model) !== null);
      element(row, "th", names[model], { scope: "row" });
      data.columns.forEach((column, index) => {
        if (index === 0) return;
        const text = cellOf(run, verdict, number, model, column, data.cells[model][index]);
        element(row, "td", text, { "data-label": column[0] });
      });
    }
    byId("found").textContent = whatIsFound(visible.length);
    const first = `Show the first ${DOZEN}`;
    byId("unfold").textContent = state.unfolded ? first : `Show all ${n} models`;
  }
  function whatIsFound(count) {
    if (state.query) return `${count} of ${n} models match.`;
    return count < n ? `The ${count} of lowest mean loss are shown.` : "";
  }
  // The cells of the run itself, unless they change with c or the threshold: then they are written
  // anew, as far as the page knows them.
  function cellOf(run, verdict, number, model, [heading, , varies], ownText) {
    if (heading === "rejected by") {
      const known = atHome() && !data.calibrated;
      const duel = known ? ownText : duelOf(run, model, verdict.rejectedBy(model));
      return verdict.undecided(model) ? `${duel} undecided` : duel;
    }
    // Beside the best, which column decided in the run; at another horizon the switch says it.
    if (ownText === "counts") return state.horizon === 0 ? ownText : "";
    const same = varies === "threshold" ? atHome() : state.c === own.c;
    if (same || !varies) return ownText;
    if (heading === "risk, 90 % interval") {
      return `${number(run.low[model])} … ${number(run.high[model])}`;
    }
    return "–";
  }
  function duelOf(run, model, rival) {
    if (rival === null) return "";
    const text = asText(probability(run, rival, model));
    if (!data.calibrated) return `${names[rival]} (${text})`;
    return `${names[rival]} (${text} calibrated, ${asText(raw(run, rival, model))} raw)`;
  }

  function showMatrix(run, verdict) {
    const table = emptied("matrix");
    const models = found().slice(0, DOZEN);
    const rank = new Map(ranking.map((model, index) => [model, index + 1]));
    const head = element(element(table, "thead"), "tr");
    element(head, "td", "");
    for (const column of models) {
      element(head, "th", rank.get(column), { scope: "col", title: names[column] });
    }
    const body = element(table, "tbody");
    for (const row of models) {
      const line = element(body, "tr");
      const label = `${rank.get(row)} ${short(names[row], 40)}`;
      element(line, "th", label, { scope: "row", title: names[row] });
      for (const column of models) showPair(line, run, verdict, row, column, rank.get(column));
    }
    const cut = `Shown are ${models.length} of ${n} models; the search above chooses others.`;
    byId("paired").textContent = models.length < n ? cut : "";
  }
  function showPair(line, run, verdict, row, column, rank) {
    if (row === column) {
      element(line, "td", "–", { "data-label": rank, class: "itself" });
      return;
    }
    const p = probability(run, row, column);
    const beside = data.calibrated ? ` (${asText(raw(run, row, column))})` : "";
    const rejects = verdict.rejectedBy(column) === row;
    const cell = element(line, "td", asText(p) + beside, { "data-label": rank });
    const strength = (0.55 * Math.abs(p - 0.5)).toFixed(3);
    cell.style.backgroundColor = `rgba(var(--${p > 0.5 ? "high" : "low"}), ${strength})`;
    cell.classList.toggle("rejects", rejects);
    const sentence = `P(${names[row]} is better than ${names[column]}) = ${asText(p)}`;
    cell.title = rejects ? `${sentence}: rejects ${names[column]}` : sentence;
  }

  // ------------------------------------------------------------------ pictures

  // Read before anything is changed: in between, the browser would have to lay out the page again
  // for each.
  const widths = {};
  function measure() {
    for (const id of ["risks", "sweep", "quantiles", "groups"]) {
      widths[id] = state.print ? PRINTED : byId(id)?.clientWidth;
    }
  }

  function showRisks(run, verdict) {
    const number = formatter(run);
    const rejected = (model) => verdict.rejectedBy(model) !== null;
    const sentence = (model) =>
      `${names[model]}: mean loss ${number(excess[model])}, ` +
      `90 % interval ${number(run.low[model])} … ${number(run.high[model])}`;
    const entry = (model) => ({
      look: lookOf(model),
      label: (rejected(model) ? "✗ " : "") + names[model],
    });
    const svg = picture(emptied("risks"), "risks", {
      title: "Distributions of the risk",
      description: drawn.map(sentence).join("; "),
      legend: drawn.map(entry),
      width: widths.risks,
    });
    const [low, high, cut] = frameOf(run, rejected);
    byId("cut").textContent = cut ? "Rejected models far from the others leave the frame." : "";
    const peak = Math.max(...run.density.map((curve) => curve.peak), 0) || 1;
    const x = { low: reference + low, high: reference + high };
    x.ticks = ticksOf(x.low, x.high, Math.min(room(60), 8));
    x.label = "risk R (expected loss; lower is better)";
    const y = { low: 0, high: 1.05 * peak, ticks: ticksOf(0, 1.05 * peak) };
    y.label = "probability density";
    const { toX, toY } = axes(svg, x, y);
    const frame = shape(svg, "clipPath", { id: "risks-frame" });
    const inside = FRAME.width - FRAME.right - FRAME.left;
    shape(frame, "rect", { x: FRAME.left, y: 0, width: inside, height: FRAME.height });
    const curves = shape(svg, "g", { "clip-path": "url(#risks-frame)" });
    drawn.forEach((model, index) => {
      const group = shape(curves, "g", rejected(model) ? { class: "faded" } : {});
      shape(group, "title", {}, sentence(model));
      drawDensity(group, model, run.density[index], toX, toY, peak);
      const tick = toX(reference + excess[model]);
      const look = { stroke: colour(model), "stroke-width": 3 };
      line(curves, [tick, toY(0)], [tick, toY(0) - 14], look);
    });
  }
  function drawDensity(group, model, curve, toX, toY, peak) {
    const last = curve.heights.length - 1;
    const from = toX(reference + curve.from);
    if (last <= 0) {
      line(group, [from, toY(0)], [from, toY(peak)], { class: "curve", ...lookOf(model) });
      return;
    }
    const step = (curve.to - curve.from) / last;
    const points = curve.heights.map((height, k) => [
      toX(reference + curve.from + step * k),
      toY((curve.peak * height) / 999),
    ]);
    const below = `L${round(points[last][0])} ${toY(0)}L${round(from)} ${toY(0)}Z`;
    shape(group, "path", { d: pathOf(points) + below, class: "area", fill: colour(model) });
    shape(group, "path", { d: pathOf(points), class: "curve", ...lookOf(model) });
  }

  // All curves; but where one hopeless model would press the survivors into a line, these and as
  // much room on either side.
  function frameOf(run, rejected) {
    const ends = (models) => {
      const curves = models.map((model) => run.density[drawn.indexOf(model)]);
      const means = models.map((model) => excess[model]);
      return [
        Math.min(...means, ...curves.map((curve) => curve.from)),
        Math.max(...means, ...curves.map((curve) => curve.to)),
      ];
    };
    const [low, high] = ends(drawn);
    const [from, to] = ends(drawn.filter((model) => !rejected(model)));
    if (!(high > low)) return [low - 0.5, high + 0.5, false];
    if (to > from && high - low > HOPELESS * (to - from)) {
      return [Math.max(low, 2 * from - to), Math.min(high, 2 * to - from), true];
    }
    return [low, high, false];
  }

  function showSweep() {
    // The model of lowest mean loss has no rival that could reject it.
    const places = drawn.map((_, index) => index);
    const curves = places.filter((index) => runs[0].strongest[index] !== null);
    const here = runs[state.c].strongest;
    const place = `at c = ${forPeople(data.c[state.c])}`;
    const sentence = (index) => `${names[drawn[index]]}: ${here[index].toFixed(3)}`;
    const svg = picture(emptied("sweep"), "sweep", {
      title: "How the verdict depends on c",
      description:
        `${curves.map(sentence).join("; ")} ${place}; ` +
        `threshold ${thresholds[state.threshold]}`,
      legend: curves.map((index) => ({ look: lookOf(drawn[index]), label: names[drawn[index]] })),
      width: widths.sweep,
    });
    const position = data.c.map((value) => Math.log2(value));
    const x = { low: position[0] - 0.2, high: position[position.length - 1] + 0.2 };
    x.ticks = powersOfTwo(x.low, x.high);
    x.label = "sensitivity c (logarithmic)";
    const shown = runs.flatMap((run) => curves.map((index) => run.strongest[index]));
    const y = oddsAxis(Math.min(0.5, ...shown), "P(its strongest rival is better)");
    const { toX, toY } = axes(svg, x, y);
    const level = toY(logOdds(thresholds[state.threshold]));
    const chosen = toX(position[state.c]);
    line(svg, [toX(x.low), level], [toX(x.high), level], { class: "mark" });
    const dotted = { class: "mark", "stroke-dasharray": "3 3" };
    line(svg, [chosen, toY(y.low)], [chosen, toY(y.high)], dotted);
    for (const index of curves) {
      const points = runs.map((run, k) => [toX(position[k]), toY(logOdds(run.strongest[index]))]);
      const look = { d: pathOf(points), class: "curve", ...lookOf(drawn[index]) };
      const curve = shape(svg, "path", look);
      shape(curve, "title", {}, `${sentence(index)} ${place}`);
      runs.forEach((run, k) => {
        const undecided = lookUp(run.undecided[drawn[index]], state.threshold);
        if (!undecided) return;
        const [cx, cy] = points[k];
        const hollow = { cx, cy, r: 4, class: "undecided", stroke: colour(drawn[index]) };
        shape(shape(svg, "circle", hollow), "title", {}, `${names[drawn[index]]}: undecided`);
      });
    }
  }
  function powersOfTwo(low, high) {
    const step = Math.ceil((high - low) / ((widths.sweep || PRINTED) / 75));
    const ticks = [];
    for (let power = Math.ceil(low); power <= high; power += step) {
      ticks.push([power, forPeople(2 ** power)]);
    }
    return ticks;
  }
  function oddsAxis(lowest, label) {
    const inside = ODDS_TICKS.filter((tick) => tick >= Math.max(lowest, ODDS.low));
    const low = logOdds(lowest);
    const high = logOdds(1);
    const margin = 0.04 * (high - low);
    const ticks = inside.map((tick) => [logOdds(tick), asText(tick)]);
    return { low: low - margin, high: high + margin, ticks, label };
  }

  function showQuantiles(run) {
    drawQuantiles(emptied("quantiles"), "quantiles", run, state.model, widths.quantiles, true);
    if (byId("gap") && data.distance) {
      byId("gap").textContent = `: W = ${distanceOf(state.model)} for ${names[state.model]}`;
    }
  }
  const distanceOf = (model) => general(data.distance[model], 3);
  // On paper nothing can be chosen, so that all models are there.
  function showAllQuantiles(run) {
    const all = emptied("quantiles-of-all");
    if (!state.print) return;
    for (const model of drawn) {
      const figure = element(all, "figure");
      const distance = data.distance ? `, W = ${distanceOf(model)}` : "";
      element(figure, "figcaption", names[model] + distance);
      drawQuantiles(figure, `quantiles-${model}`, run, model, PRINTED / 2 - 10, false);
    }
  }
  function drawQuantiles(figure, id, run, model, width, withLegend) {
    const curves = data.quantiles[model];
    const onData = { look: { stroke: "var(--m0)" }, label: "losses on the data, q*" };
    const simulated = { stroke: "var(--m1)", "stroke-dasharray": "8 4" };
    const entries = [onData];
    if (curves.synthetic) entries.push({ look: simulated, label: "on its own simulations, q~" });
    const svg = picture(figure, id, {
      title: `Quantile functions of ${names[model]}`,
      description: mediansOf(curves),
      legend: withLegend ? entries : [],
      width,
    });
    const y = heightsOf(curves);
    const last = data.phi.length - 1;
    const end = data.tail ? -Math.log10(1 - data.phi[last]) : 1;
    const x = { low: 0, high: end, ticks: data.tail ? tailTicks(end) : ticksOf(0, 1, 5) };
    x.label = `cumulative probability Φ${data.tail ? " (tail stretched)" : ""}`;
    const { toX, toY } = axes(svg, x, y);
    const clip = (value) => Math.min(Math.max(reference + value, y.low), y.high);
    // Points are evenly spaced on either axis.
    const edge = (values) =>
      values.map((value, k) => [toX((end * k) / (values.length - 1)), toY(clip(value))]);
    const between = (low, high, look) => {
      const outline = edge(low).concat(edge(high).reverse());
      shape(svg, "path", { d: `${pathOf(outline)}Z`, class: look });
    };
    const band = run.band[drawn.indexOf(model)];
    if (band) between(band[0], band[1], "band");
    if (curves.lowest) between(curves.lowest, curves.highest, "range");
    shape(svg, "path", { d: pathOf(edge(curves.observed)), class: "curve", ...onData.look });
    if (!curves.synthetic) return;
    shape(svg, "path", { d: pathOf(edge(curves.synthetic)), class: "curve", ...simulated });
  }
  function mediansOf(curves) {
    const middle = data.phi.findIndex((phi) => phi >= 0.5);
    const median = (curve) => general(reference + curve[middle], 4);
    const onData = `Median loss on the data ${median(curves.observed)}`;
    return curves.synthetic ? `${onData}, on simulations ${median(curves.synthetic)}` : onData;
  }
  function heightsOf(curves) {
    const last = data.phi.length - 1;
    const highest = data.tail ? last : Math.floor(0.99 * last);
    const kinds = ["observed", "synthetic", "lowest", "highest"];
    const shown = kinds.map((kind) => curves[kind]).filter(Boolean);
    const bottom = Math.min(...shown.map((curve) => curve[0]));
    const top = Math.max(...shown.map((curve) => curve[highest]));
    const margin = top - bottom || 1;
    const above = data.tail ? 0.05 : 0.2;
    const low = reference + bottom - 0.05 * margin;
    const high = reference + top + above * margin;
    return { low, high, ticks: ticksOf(low, high), label: "loss" };
  }

  // ------------------------------------------------------------------ all of it

  function show() {
    measure();
    const run = runs[state.c];
    const verdict = verdictOf(run, state.threshold);
    showSentence(verdict);
    if (byId("c")) {
      const text = forPeople(data.c[state.c]);
      byId("c-value").textContent = text;
      byId("c").setAttribute("aria-valuetext", `c = ${text}`);
      showStrip("c", runs.map((_, index) => survivorsAt(index, state.threshold)), data.c);
      showSweep();
    }
    if (byId("threshold")) {
      const text = String(thresholds[state.threshold]);
      byId("threshold-value").textContent = text;
      byId("threshold").setAttribute("aria-valuetext", `threshold ${text}`);
      const survivors = thresholds.map((_, index) => survivorsAt(state.c, index));
      showStrip("threshold", survivors, thresholds);
    }
    showTable(run, verdict);
    showRisks(run, verdict);
    showMatrix(run, verdict);
    showQuantiles(run);
    showAllQuantiles(run);
    showGroups();
    showBaseline(run);
  }
  function showBaseline(run) {
    if (!byId("baseline")) return;
    const base = state.baseline;
    const models = drawn.filter((model) => model !== base);
    const better = (model) => probability(run, model, base);
    const table = emptied("beside-baseline");
    listBeside(table, data.baselines[base], models, names, better, groups?.kind);
  }
  function showGroups() {
    if (!groups) return;
    drawGroups(emptied("groups"), groups, state.beside, names, widths.groups);
    listGroups(emptied("group-list"), groups, state.beside);
  }

  // ------------------------------------------------------------------ controls

  function change(part, value) {
    state[part] = value;
    show();
  }
  const counts = { c: runs.length, threshold: thresholds.length };
  const sliders = Object.keys(counts).filter(byId);
  for (const id of sliders) {
    const slider = byId(id);
    slider.max = counts[id] - 1;
    slider.value = state[id];
    slider.addEventListener("input", () => change(id, Number(slider.value)));
  }
  const switches = [...document.querySelectorAll("input[name=horizon]")];
  function ask(horizon) {
    state.horizon = horizon;
    ({ runs } = horizons[horizon]);
    switches.forEach((one, index) => {
      one.checked = index === horizon;
    });
    show();
  }
  switches.forEach((one, index) => one.addEventListener("change", () => ask(index)));
  byId("reset")?.addEventListener("click", () => {
    if (switches.length) ask(0);
    for (const id of sliders) {
      state[id] = own[id];
      byId(id).value = own[id];
    }
    show();
  });
  for (const model of drawn) {
    element(byId("model"), "option", short(names[model], 60), { value: model });
  }
  byId("model").addEventListener("change", (event) => change("model", Number(event.target.value)));
  for (const model of groups ? drawn.filter((one) => one !== groups.best) : []) {
    element(byId("beside"), "option", short(names[model], 60), { value: model });
  }
  byId("beside")?.addEventListener("change", (event) => {
    change("beside", Number(event.target.value));
  });
  if (byId("baseline")) {
    for (const model of drawn) {
      element(byId("baseline"), "option", short(names[model], 60), { value: model });
    }
    byId("baseline").value = state.baseline;
    byId("baseline").addEventListener("change", (event) => {
      change("baseline", Number(event.target.value));
    });
  }
  if (drawn.length < n) {
    byId("drawn").textContent =
      `Pictures show the ${drawn.length} models of lowest mean loss; the table has all ${n}.`;
  }
  byId("find").hidden = n <= DOZEN;
  byId("unfold").hidden = n <= MANY;
  const search = (event) => change("query", event.target.value.trim().toLowerCase());
  byId("search").addEventListener("input", search);
  byId("unfold").addEventListener("click", () => change("unfolded", !state.unfolded));
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    show();
  });
  window.addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    change("print", true);
  });
  window.addEventListener("afterprint", () => change("print", false));
  show();
})();
