"use strict";
// The verdicts are those of the library, computed when the page was written: they are looked up.
//
// run.rejected and run.undecided have an entry for each model that is rejected, or undecided, at
// some of the thresholds: stretches [first, last, value], from the first to the last of the places
// in the list of thresholds. The value is the rival that rejects the model, or what disagrees about
// it ("draws" or "simulations").

function lookUp(stretches, threshold) {
  const isHere = ([first, last]) => first <= threshold && threshold <= last;
  const found = (stretches ?? []).find(isHere);
  return found === undefined ? null : found[2];
}

// rejectedBy(model) is a rival or null; undecided(model) says what disagrees, or null.
function verdictOf(run, threshold) {
  return {
    rejectedBy: (model) => lookUp(run.rejected[model], threshold),
    undecided: (model) => lookUp(run.undecided[model], threshold),
  };
}
