// The page of a check: its findings as one listing.

const LEVELS = ["error", "warning", "note"];

function startPage(data) {
  skillsView(data.graph);
  graphView(data.graph);
  const findings = findingsOf(data);
  const root = document.getElementById("findings");
  if (!findings.length) {
    root.append(element("p", { class: "nothing" }, "No findings."));
    return;
  }
  const names = new Map(data.skills);
  const hasInstalled = findings.some((finding) => finding.installed);
  listing(root, {
    items: findings,
    noun: "finding",
    text: (finding) => [finding.message, finding.path, finding.rule, finding.clause ?? "", finding.fix ?? "",
      ...(finding.excerpt ?? [])].join(" "),
    facets: [
      { name: "level", label: "Level", order: LEVELS, values: (finding) => [finding.level] },
      { name: "rule", label: "Rule", values: (finding) => [finding.rule] },
      { name: "skill", label: "Skill", values: (finding) => (finding.skill ? [finding.skill] : []),
        shown: (path) => names.get(path) ?? path },
      { name: "is", label: "More", order: ["fixable", "installed", "own"], values: (finding) => kindsOf(finding, hasInstalled),
        shown: (kind) => ({ fixable: "Fixable by --fix", installed: "In installed skills", own: "In own files" })[kind] },
      { name: "family", label: "Family", values: (finding) => (finding.family ? [finding.family] : []) },
      { name: "clause", label: "Clause", values: (finding) => (finding.clause ? [finding.clause] : []) },
      { name: "file", label: "File", values: (finding) => [finding.path] },
    ],
    groups: [
      { name: "file", label: "file", key: (finding) => finding.path, title: (path) => element("span", { class: "code" }, path) },
      { name: "skill", label: "skill", key: (finding) => finding.skill, compare: worstFirst,
        title: (path) => (path ? element("span", { class: "code" }, path) : "Outside of skills") },
      { name: "rule", label: "rule", key: (finding) => finding.rule, compare: worstFirst,
        title: (rule, [finding]) => element("span", { class: "code" }, webLink(finding.url, rule)) },
      { name: "none", label: "nothing" },
    ],
    sorts: [
      { name: "place", label: "by place" },
      { name: "level", label: "errors first", compare: (a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) },
    ],
    draw: findingCards,
  });
}

function findingsOf({ columns, rules, skills, files, fixes, findings }) {
  return findings.map((row) => {
    const finding = Object.fromEntries(columns.map((column, at) => [column, row[at]]));
    const { id, clause, family, url } = rules[finding.rule];
    const [path, skill] = files[finding.file];
    const fix = finding.fix === null ? null : fixes[finding.fix];
    return { ...finding, rule: id, clause, family, url, path, fix, skill: skill === null ? "" : skills[skill][0] };
  });
}

/** What a finding is, besides its level. */
function kindsOf(finding, hasInstalled) {
  const owner = finding.installed ? "installed" : "own";
  return [finding.fixable ? "fixable" : null, hasInstalled ? owner : null].filter(Boolean);
}

/** Groups with errors first, then those with most findings. */
function worstFirst(a, b) {
  const errors = (findings) => findings.filter((finding) => finding.level === "error").length;
  return errors(b) - errors(a) || b.length - a.length;
}
