"use strict";
// The rejection rule of rivals.core.verdict, on probabilities and errors that are already there.
//
// duels.ranking: models by empirical risk, lowest first; duels.excess[model]: that risk, less a common reference;
// duels.probability(a, b) = P(R_a < R_b), calibrated where there is a calibration, and duels.error(a, b), its Monte Carlo
// standard error: zero under laws of closed form, where nothing is unclear.

// Only a model of lower empirical risk can reject another; these are tried in the order of their risk.
const betterThan = ({ ranking, excess }, model) => ranking.filter((other) => excess[other] < excess[model]);

// rejectedBy[model] is a rival or null; unclear has the models whose fate hangs on Monte Carlo error.
function decide(duels, threshold) {
  const rejectedBy = Array(duels.excess.length).fill(null), unclear = [];
  if (threshold >= 1) return { rejectedBy, unclear };
  for (let model = 0; model < rejectedBy.length; model++) {
    const close = [];
    for (const rival of betterThan(duels, model)) {
      const p = duels.probability(rival, model), error = duels.error(rival, model);
      if (error > 0 && Math.abs(p - threshold) <= 2 * error) close.push(rival);
      else if (p > threshold) { rejectedBy[model] = rival; break; }
    }
    if (rejectedBy[model] === null && close.length) {
      unclear.push(model);
      rejectedBy[model] = close.find((rival) => duels.probability(rival, model) > threshold) ?? null;
    }
  }
  return { rejectedBy, unclear };
}

// For each model, how probably the strongest of its rivals is better: it is rejected where this exceeds the threshold. Null
// where it has no rival of lower empirical risk.
function strongestRivals(duels) {
  return duels.excess.map((_, model) => {
    let strongest = null;
    for (const rival of betterThan(duels, model)) strongest = Math.max(strongest ?? 0, duels.probability(rival, model));
    return strongest;
  });
}
