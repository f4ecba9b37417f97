// What stands around the drawing: search, buttons, the legend, and the relations as a list.

function graphSearch(graph, choose) {
  const options = graph.nodes.map((node) => element("option", { value: node.path || node.name }, node.name));
  const input = element("input", { type: "search", class: "search-field", list: "graph-names", placeholder: "Find a skill",
    "aria-label": "Find a skill in the graph", autocomplete: "off", spellcheck: "false" });
  const find = () => {
    const wanted = input.value.trim().toLowerCase();
    const matches = (node, test) => [node.path, node.name].some((text) => test(text.toLowerCase()));
    const at = wanted ? [(text) => text === wanted, (text) => text.startsWith(wanted), (text) => text.includes(wanted)]
      .map((test) => graph.nodes.findIndex((node) => matches(node, test))).find((place) => place >= 0) : undefined;
    if (at !== undefined || !wanted) choose(at ?? -1);
    return at !== undefined;
  };
  input.addEventListener("change", find);
  const form = element("form", { class: "search", role: "search", onsubmit: (event) => { event.preventDefault(); find(); } },
    input, element("datalist", { id: "graph-names" }, ...options));
  return form;
}

function graphButtons(cy, box) {
  const zoom = (factor) => () => cy.zoom({ level: cy.zoom() * factor, renderedPosition: { x: cy.width() / 2, y: cy.height() / 2 } });
  const actions = [["Whole graph", () => cy.fit(undefined, 20)], ["Zoom in", zoom(1.4)], ["Zoom out", zoom(1 / 1.4)]];
  const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  const zooms = { "+": actions[1][1], "=": actions[1][1], "-": actions[2][1], 0: actions[0][1] };
  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in moves || event.key in zooms)) return;
    event.preventDefault();
    if (event.key in zooms) zooms[event.key]();
    else cy.panBy({ x: moves[event.key][0], y: moves[event.key][1] });
  });
  return actions.map(([text, action]) => element("button", { type: "button", onclick: action }, text));
}

/** A sign and a word for each kind of thing that there is in the graph. */
function graphLegend(graph) {
  const kinds = Object.keys(graph.relations).filter((kind) => graph.edges.some((edge) => edge[2] === kind));
  const states = Object.keys(graph.states).filter((state) => graph.states[state] && graph.nodes.some((node) => node.state === state));
  const levels = ["error", "warning", "note"].filter((level) => graph.nodes.some((node) => levelOf(node) === level));
  const cycle = graph.nodes.some((node) => node.cycle) ? [["cycle", "part of a cycle"]] : [];
  const entry = (shape) => ([kind, text]) =>
    element("li", {}, element("span", { class: `sign ${shape} ${kind}`, "aria-hidden": "true" }), text);
  return element("ul", { class: "legend", "aria-label": "Legend" },
    ...kinds.map((kind) => [kind, graph.relations[kind]]).map(entry("edge")),
    ...[...states.map((state) => [state, graph.states[state]]), ...cycle, ...levels.map((level) => [level, `has ${level}s`])]
      .map(entry("node")));
}

/** What a skill is, its relations as links, and the way to its findings. */
function skillDetails(graph, at, choose) {
  const node = graph.nodes[at];
  const label = (place) => `${graph.nodes[place].name}${missingWord(graph, place)}`;
  const link = (place) => element("button", { type: "button", class: "quiet", onclick: () => choose(place) }, label(place));
  const related = (rows, words) => (rows.length ? [element("dt", {}, words), ...rows.map((place) => element("dd", {}, link(place)))] : []);
  const rows = Object.entries(graph.relations).flatMap(([kind, words]) => [
    ...related(graph.edges.filter((edge) => edge[2] === kind && edge[0] === at).map((edge) => edge[1]), words),
    ...related(graph.edges.filter((edge) => edge[2] === kind && edge[1] === at).map((edge) => edge[0]), PASSIVE[kind]),
  ]);
  const findings = ["error", "warning", "note"].filter((_, part) => node.found[part])
    .map((level) => findingsLink(node, level, counted(node.found[["error", "warning", "note"].indexOf(level)], level)));
  return [
    element("h3", { tabindex: "-1" }, label(at)),
    node.path ? element("p", { class: "faint code" }, node.path) : null,
    node.cycle ? element("p", { class: "error-text" }, "Part of a cycle.") : null,
    node.requesters.length ? element("p", {}, `Asked for by ${node.requesters.join(", ")}.`) : null,
    findings.length ? element("p", {}, ...findings.flatMap((one, place) => (place ? [", ", one] : [one]))) : null,
    node.tokens ? element("p", { class: "faint" }, `About ${node.tokens.map(formatted).join(" + ")} tokens`) : null,
    element("dl", { class: "related" }, ...rows),
  ].filter(Boolean);
}

const PASSIVE = { dependency: "is required by", optional: "can be used by", companion: "also runs after", link: "is linked from" };

function missingWord(graph, at) {
  const { state } = graph.nodes[at];
  return state === "missing" || state === "absent" ? ` (${graph.states[state]})` : "";
}

/** All relations as text, for readers who do not see the drawing; filled when it is opened. */
function relationList(graph, choose) {
  const list = element("ul", { class: "plain" });
  const name = (at) => `${graph.nodes[at].name}${missingWord(graph, at)}`;
  const details = element("details", { class: "relations" }, element("summary", {}, "The graph as a list"), list);
  details.addEventListener("toggle", () => {
    if (list.childElementCount) return;
    list.append(...graph.edges.map(([from, to, kind, isCircular]) => element("li", {},
      element("button", { type: "button", class: "quiet", onclick: () => choose(from) }, name(from)),
      ` ${graph.relations[kind]} ${name(to)}${isCircular ? ", in a cycle" : ""}`)));
  });
  return details;
}
