// The page of an audit: its sources, the rules that they break, and the groups of copies.

function startPage(data) {
  sourceListing(document.getElementById("sources"), sourcesOf(data.sources));
  ruleListing(document.getElementById("rules"), data.rules);
  copyListing(document.getElementById("copies"), [
    ...data.copies.map((group) => ({ ...group, kind: "same files" })),
    ...data.near_copies.map((group) => ({ ...group, kind: "nearly the same text" })),
  ]);
}

function ruleListing(root, rules) {
  if (!rules.length) return root.append(element("p", { class: "nothing" }, "No findings."));
  const most = Math.max(...rules.map((rule) => rule.sources));
  const number = (label, name, bar) => ({ label, isNumber: true, value: (rule) => rule[name], bar });
  return listing(root, {
    items: rules,
    noun: "rule",
    prefix: "rules-",
    text: (rule) => `${rule.rule} ${rule.clause ?? ""} ${worstOf(rule)}`,
    facets: [{ name: "level", label: "Level", order: ["error", "warning", "note"], values: (rule) => [rule.level] }],
    sorts: [
      { name: "sources", label: "most sources" },
      { name: "findings", label: "most findings", compare: (a, b) => b.findings - a.findings },
      { name: "name", label: "by name", compare: (a, b) => (a.rule < b.rule ? -1 : 1) },
    ],
    draw: tableOf({
      caption: "Rules and how many break them",
      columns: [
        { label: "Rule", cell: (rule) => element("span", { class: "code" }, rule.rule) },
        { label: "Level", cell: (rule) => element("span", { class: `level ${rule.level}` }, rule.level) },
        number("Sources", "sources", (rule) => rule.sources / most), number("Skills", "skills"), number("Findings", "findings"),
        { label: "Most of them in", value: (rule) => worstOf(rule) },
      ],
    }),
  });
}

function copyListing(root, groups) {
  if (!groups.length) return root.append(element("p", { class: "nothing" }, "No copies."));
  return listing(root, {
    items: groups,
    noun: "group",
    prefix: "copies-",
    text: (group) => [group.name, ...group.places.map(placeText)].join(" "),
    facets: [{ name: "kind", label: "Each of", values: (group) => [group.kind] }],
    sorts: [
      { name: "largest", label: "largest first", compare: (a, b) => b.skills - a.skills },
      { name: "sources", label: "most sources", compare: (a, b) => b.sources - a.sources },
      { name: "likeness", label: "least alike", compare: (a, b) => a.likeness - b.likeness },
    ],
    draw: (parts) => element("ol", { class: "cards" }, ...parts.flatMap((part) => part.items.map(copyCard))),
  });
}

function copyCard(group) {
  const more = group.skills - group.places.length;
  return element("li", { class: "card note" },
    element("p", { class: "card-title" }, group.name, " ", element("span", { class: "faint" },
      `${counted(group.skills, "skill")} in ${counted(group.sources, "source")}, ${group.kind}, likeness ${group.likeness.toFixed(2)}`)),
    element("ul", { class: "plain code" }, ...group.places.map((place) => element("li", {}, placeText(place)))),
    more > 0 ? element("p", { class: "faint" }, `${formatted(more)} more`) : null);
}

function worstOf(rule) {
  return rule.worst.slice(0, 3).map(({ source, findings }) => `${source} (${formatted(findings)})`).join(", ");
}

function placeText({ source, path }) {
  return `${source} ${path}`;
}
