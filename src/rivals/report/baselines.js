// Every model beside one of them, the baseline.

function listBeside(table, lines, models, names, probabilityOf, kind) {
  const withGroups = models.some((model) => lines[model].length > 1);
  const headings = ["model", "difference ± error", "P(better)"];
  if (withGroups) headings.push(`${kind ?? "group"}s won`);
  const head = element(element(table, "thead"), "tr");
  for (const heading of headings) element(head, "th", heading, { scope: "col" });
  const body = element(table, "tbody");
  for (const model of models) {
    const [difference, won] = lines[model];
    const row = element(body, "tr");
    element(row, "th", names[model], { scope: "row" });
    element(row, "td", difference, { "data-label": headings[1] });
    element(row, "td", asText(probabilityOf(model)), { "data-label": headings[2] });
    if (withGroups) element(row, "td", won, { "data-label": headings[3] });
  }
}
