// The sources of an audit as a listing of cards.

const LABELS = ["errors", "failed", "warnings", "nothing", "clean", "conforms"];
const LABEL_LEVELS = { errors: "error", failed: "error", warnings: "warning", nothing: "note", clean: "good", conforms: "good" };

function sourcesOf({ rules, rows }) {
  return rows.map(([source, version, resolved, kind, label, errors, warnings, notes, skills, pinned, date, why, counts, examples]) => ({
    source, version, resolved, kind, label, errors, warnings, notes, skills, pinned, date, why, examples,
    rules: counts.map(([rule, count]) => [rules[rule], count]),
  }));
}

function sourceListing(root, sources) {
  listing(root, {
    items: sources,
    noun: "source",
    text: (item) => [item.source, item.version, item.resolved, item.why, ...item.rules.map(([rule]) => rule)].join(" "),
    facets: [
      { name: "label", label: "Label", order: LABELS, values: (item) => [item.label] },
      { name: "kind", label: "Kind", values: (item) => (item.kind ? [item.kind] : []) },
      { name: "pinned", label: "Version", values: (item) => (item.pinned === null ? [] : [item.pinned ? "pinned" : "not pinned"]) },
      { name: "date", label: "Audited", values: (item) => [item.date] },
      { name: "rule", label: "Rule", values: (item) => item.rules.map(([rule]) => rule) },
    ],
    sorts: [
      { name: "worst", label: "most errors" },
      { name: "warnings", label: "most warnings", compare: (a, b) => b.warnings - a.warnings || b.errors - a.errors },
      { name: "skills", label: "most skills", compare: (a, b) => b.skills - a.skills },
      { name: "newest", label: "latest audit", compare: (a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : 0) },
      { name: "name", label: "by name", compare: (a, b) => (a.source < b.source ? -1 : a.source > b.source ? 1 : 0) },
    ],
    draw: (parts) => element("ol", { class: "cards" }, ...parts.flatMap((part) => part.items.map(sourceCard))),
  });
}

function sourceCard(item) {
  const level = LABEL_LEVELS[item.label] ?? "note";
  const numbers = [[item.errors, "error"], [item.warnings, "warning"], [item.notes, "note"]].filter(([number]) => number);
  const rules = [...item.rules].sort((a, b) => b[1] - a[1]).slice(0, 8);
  return element("li", { class: `card ${level}` },
    element("p", { class: "card-title" }, element("span", { class: `badge ${level}` }, item.label), " ",
      element("span", { class: "code" }, item.source), item.version ? ` @ ${item.version}` : null),
    item.why ? element("p", {}, item.why) : null,
    numbers.length ? element("p", {}, numbers.map(([number, word]) => counted(number, word)).join(", "),
      ` in ${counted(item.skills, "skill")}`) : null,
    rules.length ? element("p", { class: "faint code" }, rules.map(([rule, count]) => `${rule} ${formatted(count)}`).join(" · ")) : null,
    examplesOf(item),
    element("p", { class: "meta" }, element("span", {}, item.date), item.kind ? element("span", {}, item.kind) : null,
      item.resolved ? element("span", { class: "code" }, item.resolved.slice(0, 20)) : null,
      item.pinned === false ? element("span", {}, "not pinned") : null),
  );
}

function examplesOf(item) {
  if (!item.examples.length) return null;
  const list = element("ul", { class: "plain" });
  const details = element("details", { class: "changes" }, element("summary", {}, "First findings"), list);
  details.addEventListener("toggle", () => {
    if (list.childElementCount) return;
    list.append(...item.examples.map(([rule, level, place, message]) => element("li", {},
      element("span", { class: `level ${level}` }, level), " ", element("span", { class: "code" }, place), ` ${message} `,
      element("span", { class: "faint code" }, rule))));
  });
  return details;
}
