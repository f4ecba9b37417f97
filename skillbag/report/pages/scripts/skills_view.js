// The skills of a graph with their findings and token budgets.

function skillsView(graph) {
  const root = document.getElementById("skills");
  if (!root) return;
  const skills = graph.nodes.map((node, at) => ({ ...node, at })).filter((node) => node.tokens);
  const total = (skill) => skill.tokens.reduce((sum, number) => sum + number, 0);
  const most = [0, 1, 2].map((part) => Math.max(1, ...skills.map((skill) => skill.tokens[part])));
  const hasFindings = skills.some((skill) => skill.found.some(Boolean));
  const size = (label, part) =>
    ({ label, isNumber: true, value: (skill) => skill.tokens[part], bar: (skill) => skill.tokens[part] / most[part] });
  const found = (label, level, part) => ({ label, isNumber: true, value: (skill) => skill.found[part],
    cell: (skill) => (skill.found[part] ? findingsLink(skill, level, formatted(skill.found[part])) : "0") });
  const by = (key) => (a, b) => key(b) - key(a);
  listing(root, {
    items: skills,
    noun: "skill",
    prefix: "skills-",
    text: (skill) => `${skill.name} ${skill.path}`,
    facets: [{ name: "state", label: "Origin", values: (skill) => [skill.state] }],
    sorts: [
      { name: "name", label: "by name" },
      { name: "always", label: "most always loaded", compare: by((skill) => skill.tokens[0]) },
      { name: "activated", label: "longest body", compare: by((skill) => skill.tokens[1]) },
      { name: "demand", label: "most on demand", compare: by((skill) => skill.tokens[2]) },
      { name: "total", label: "most tokens", compare: by(total) },
      ...(hasFindings ? [{ name: "worst", label: "worst first",
        compare: (a, b) => b.found[0] - a.found[0] || b.found[1] - a.found[1] || b.found[2] - a.found[2] }] : []),
    ],
    draw: tableOf({
      caption: "Token budgets",
      columns: [
        { label: "Skill", cell: (skill) => skillCell(graph, skill) },
        ...(hasFindings ? [found("Errors", "error", 0), found("Warnings", "warning", 1)] : []),
        size("Always", 0), size("Activated", 1), size("On demand", 2),
      ],
    }),
  });
}

/** The name of a skill, which leads to its place in the graph if it has one. */
function skillCell(graph, skill) {
  const isDrawn = graph.edges.some(([from, to]) => from === skill.at || to === skill.at);
  const name = isDrawn ? stateLink({ view: "graph", node: skill.path }, skill.name) : skill.name;
  return element("span", {}, name, " ", element("span", { class: "faint code" }, skill.path));
}

/** A link that shows the findings of a skill; plain text on pages without findings. */
function findingsLink(skill, level, text) {
  if (!document.getElementById("findings")) return document.createTextNode(text);
  return stateLink({ view: "", skill: skill.path, level }, text, "findings-title");
}

/** A link to a state of the page; parameters that are not named stay as they are. */
function stateLink(parameters, text, goesTo = null) {
  const href = `#?${new URLSearchParams(Object.entries(parameters).filter(([, value]) => value))}`;
  return element("a", { href, "data-goes-to": goesTo, onclick: (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    address.change(parameters);
  } }, text);
}
