// The view with the graph. `node` in the address is the chosen skill.

function graphView(graph) {
  const root = document.getElementById("graph");
  if (!root) return;
  const box = element("div", { class: "canvas", tabindex: "0", role: "application", "aria-label":
    "Drawing of the graph. Arrow keys move it, plus and minus zoom, 0 shows all. The same as text: the graph as a list, below." });
  const details = element("div", { class: "details", role: "status" });
  const print = element("img", { class: "print-only", alt: "Drawing of the graph; the list has the same" });
  const place = element("div", { class: "graph-place" });
  const choose = (at) => address.change({ node: at < 0 ? "" : keyOf(graph.nodes[at]) });
  root.append(place, details, graphLegend(graph), relationList(graph, choose), print);
  root.classList.add("graph");
  let cy = null;

  function start() {
    place.append(box);
    cy = drawGraph(box, graph);
    placeGraph(cy);
    cy.fit(undefined, 20);
    place.before(element("div", { class: "toolbar" }, graphSearch(graph, choose), ...graphButtons(cy, box)));
    cy.on("tap", (event) => choose(event.target === cy ? -1 : event.target.isNode() ? Number(event.target.id().slice(1)) : -1));
    cy.on("mouseover", "node", () => { box.style.cursor = "pointer"; });
    cy.on("mouseout", "node", () => { box.style.cursor = ""; });
    const restyle = () => cy.style(graphStyle());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
    new MutationObserver(restyle).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  }

  function update() {
    const wanted = address.get("node");
    const at = wanted ? graph.nodes.findIndex((node) => keyOf(node) === wanted) : -1;
    details.replaceChildren(...(at < 0 ? [element("p", { class: "faint" }, "Choose a skill to see its relations and findings.")]
      : skillDetails(graph, at, choose)));
    if (cy) highlight(cy, at);
  }

  document.addEventListener("viewshown", (event) => {
    if (event.detail !== "graph") return;
    if (!cy) start();
    update();
  });
  addEventListener("beforeprint", () => {
    if (!cy) return;
    cy.style(graphStyle("light"));
    print.src = cy.png({ full: true, maxWidth: 3000, bg: "#ffffff" });
    cy.style(graphStyle());
  });
  address.listen(update);
}

/** What names a skill in the address. */
function keyOf(node) {
  return node.path || node.name;
}

/** Shows a skill with what it is related to; the rest fades. */
function highlight(cy, at) {
  cy.elements().removeClass("far chosen near");
  if (at < 0) return;
  const node = cy.getElementById(`n${at}`);
  const near = node.closedNeighborhood();
  cy.elements().not(near).addClass("far");
  near.edges().addClass("near");
  node.addClass("chosen");
  cy.fit(near, 40);
  if (cy.zoom() > 1.2) cy.zoom(1.2);
  cy.center(near);
}
