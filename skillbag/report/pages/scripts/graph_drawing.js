// Draws the graph: groups of connected skills in layers from left to right, packed in rows; the others in a grid below.

const GRAPH_GAP = 60;

/** The drawing in `box`, not yet placed: call `placeGraph` once there is room. */
function drawGraph(box, graph) {
  // The library would add a style element, which the page's policy forbids; it looks for one with this id first.
  document.body.append(element("span", { id: "__________cytoscape_stylesheet", hidden: true }));
  cytoscape.use(cytoscapeDagre);
  const pen = element("canvas").getContext("2d");
  pen.font = "13px sans-serif";
  const nodes = graph.nodes.map((node, at) => {
    const label = node.name.length > 34 ? `${node.name.slice(0, 33)}…` : node.name;
    const classes = [node.state, node.cycle ? "cycle" : "", levelOf(node)].join(" ");
    return { data: { id: `n${at}`, label, width: Math.ceil(pen.measureText(label).width) + 16 }, classes };
  });
  const edges = graph.edges.map(([from, to, kind, isCircular], at) => ({
    data: { id: `e${at}`, source: `n${from}`, target: `n${to}` },
    classes: `${kind}${isCircular ? " cycle" : ""}`,
  }));
  return cytoscape({
    container: box, elements: { nodes, edges }, style: graphStyle(), layout: { name: "preset" }, minZoom: 0.04, maxZoom: 3,
    autoungrabify: true, boxSelectionEnabled: false,
  });
}

function levelOf(node) {
  return ["error", "warning", "note"].find((_, at) => node.found[at]) ?? "";
}

function placeGraph(cy) {
  const groups = cy.elements().components().filter((part) => part.nodes().length > 1);
  for (const group of groups) group.layout({ name: "dagre", rankDir: "LR", nodeSep: 14, rankSep: 80, fit: false }).run();
  const boxes = groups.map((group) => ({ group, box: group.boundingBox() }));
  boxes.sort((a, b) => b.group.length - a.group.length);
  const area = boxes.reduce((sum, { box }) => sum + (box.w + GRAPH_GAP) * (box.h + GRAPH_GAP), 0);
  const widest = Math.max(Math.sqrt(area) * 1.5, ...boxes.map(({ box }) => box.w), 0);
  let [x, y, height] = [0, 0, 0];
  for (const { group, box } of boxes) {
    if (x && x + box.w > widest) [x, y, height] = [0, y + height + GRAPH_GAP, 0];
    group.nodes().shift({ x: x - box.x1, y: y - box.y1 });
    [x, height] = [x + box.w + GRAPH_GAP, Math.max(height, box.h)];
  }
  placeRest(cy.nodes().filter((node) => node.closedNeighborhood().nodes().length === 1), y + height + GRAPH_GAP, widest);
}

function placeRest(nodes, top, width) {
  if (!nodes.length) return;
  const column = Math.max(...nodes.map((node) => node.outerWidth())) + 16;
  const columns = Math.max(1, Math.floor(Math.max(width, column * Math.ceil(Math.sqrt(nodes.length) / 2)) / column));
  nodes.positions((_, at) => ({ x: (at % columns) * column + column / 2, y: top + Math.floor(at / columns) * 40 }));
}

/** The styles, in the colours of the page as they are now, or in those of a scheme: `light` for paper. */
function graphStyle(scheme = "") {
  const probe = element("span", { hidden: true });
  probe.style.colorScheme = scheme;
  document.body.append(probe);
  const color = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const line = color("line-strong");
  const style = [
    { selector: "node", style: {
      shape: "round-rectangle", width: "data(width)", height: 30, label: "data(label)", "font-size": 13,
      "font-family": "sans-serif", "text-valign": "center", "text-halign": "center", color: color("text"),
      "background-color": color("surface"), "border-width": 1.5, "border-color": line, "min-zoomed-font-size": 5 } },
    ...["note", "warning", "error"].map((level) => ({ selector: `node.${level}`, style: {
      "background-color": color(`${level}-soft`), "border-color": color(`${level}-bar`) } })),
    { selector: "node.installed", style: { "border-width": 3 } },
    { selector: "node.missing", style: {
      "border-style": "dashed", "border-color": color("error"), color: color("error"), "background-opacity": 0 } },
    { selector: "node.absent", style: { "border-style": "dotted", color: color("faint"), "background-opacity": 0 } },
    { selector: "node.cycle", style: { "border-width": 3, "border-style": "double", "border-color": color("error") } },
    { selector: "edge", style: {
      width: 1.5, "line-color": line, "target-arrow-color": line, "target-arrow-shape": "triangle", "curve-style": "bezier",
      "arrow-scale": 0.9 } },
    { selector: "edge.optional", style: { "target-arrow-fill": "hollow" } },
    { selector: "edge.companion", style: { "line-style": "dashed" } },
    { selector: "edge.link", style: { "line-style": "dotted", "target-arrow-shape": "vee" } },
    { selector: "edge.cycle", style: { width: 3, "line-color": color("error"), "target-arrow-color": color("error") } },
    { selector: ".far", style: { opacity: 0.18 } },
    { selector: "node.chosen", style: { "border-width": 4, "border-color": color("accent"), "border-style": "solid" } },
    { selector: "edge.near", style: { "line-color": color("accent"), "target-arrow-color": color("accent"), width: 2.5 } },
    { selector: "core", style: { "active-bg-opacity": 0 } },
  ];
  probe.remove();
  return style;
}
