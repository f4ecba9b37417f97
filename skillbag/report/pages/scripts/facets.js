// The filters of a listing: for each facet, its values with the number of items that have them.

const SHOWN_VALUES = 7;
const MOST_VALUES = 200;

/**
 * A facet `{name, label, values, shown, order}`: `values(item)` is a list of texts, `shown(value)` how one reads,
 * `order` the values in their order where that is not by number. `pick(value, isOn)` is called for a click.
 */
function facetField(facet, items, pick) {
  const totals = new Map();
  for (const item of items) for (const value of facet.values(item)) totals.set(value, (totals.get(value) ?? 0) + 1);
  const values = facet.order
    ? facet.order.filter((value) => totals.has(value))
    : [...totals.keys()].sort((a, b) => totals.get(b) - totals.get(a) || (a < b ? -1 : 1));
  const rows = new Map();
  const list = element("ul");
  let chosen = new Set();
  let counts = totals;
  let wanted = "";
  let isOpen = values.length <= SHOWN_VALUES + 1;

  function row(value) {
    if (!rows.has(value)) {
      const box = element("input", { type: "checkbox", onchange: () => pick(value, box.checked) });
      const count = element("span", { class: "number" });
      const name = element("span", { class: "facet-value" }, facet.shown?.(value) ?? value);
      rows.set(value, { box, count, node: element("li", {}, element("label", {}, box, name, count)) });
    }
    return rows.get(value);
  }

  function visibleValues() {
    if (wanted) return values.filter((value) => value.toLowerCase().includes(wanted)).slice(0, MOST_VALUES);
    if (isOpen) return values.slice(0, MOST_VALUES);
    return values.filter((value, at) => at < SHOWN_VALUES || chosen.has(value));
  }

  function fill() {
    const nodes = visibleValues().map((value) => {
      const { box, count, node } = row(value);
      const number = counts.get(value) ?? 0;
      box.checked = chosen.has(value);
      count.textContent = formatted(number);
      node.classList.toggle("none", number === 0);
      return node;
    });
    // Only where the values differ: moving a node would take the focus from it.
    if (nodes.length !== list.children.length || nodes.some((node, at) => node !== list.children[at])) {
      list.replaceChildren(...nodes);
    }
  }

  const field = element("fieldset", { class: "facet" }, element("legend", {}, facet.label));
  if (!isOpen) {
    const find = element("input", {
      type: "text", class: "facet-find", placeholder: `Find in ${formatted(values.length)}`,
      "aria-label": `Find a value of ${facet.label}`, autocomplete: "off", spellcheck: "false",
      oninput: () => { wanted = find.value.trim().toLowerCase(); fill(); },
    });
    const more = element("button", { type: "button", class: "quiet", "aria-expanded": "false", onclick: () => {
      isOpen = !isOpen;
      more.setAttribute("aria-expanded", String(isOpen));
      more.textContent = isOpen ? "Show fewer" : `Show all ${formatted(values.length)}`;
      fill();
    } }, `Show all ${formatted(values.length)}`);
    if (values.length > 2 * SHOWN_VALUES) field.append(find);
    field.append(list, more);
  } else {
    field.append(list);
  }
  return {
    field,
    isUseful: values.length > 1 || (values.length === 1 && totals.get(values[0]) < items.length),
    show(newChosen, newCounts) {
      chosen = newChosen;
      counts = newCounts;
      fill();
    },
  };
}

/** Which items pass the chosen values, and for each facet how many items each value would leave. */
function facetMatches(items, chosen, facets, passes) {
  const counts = facets.map(() => new Map());
  const matches = [];
  for (const item of items) {
    if (!passes(item)) continue;
    let failed = -1;
    let failures = 0;
    facets.forEach((facet, at) => {
      const wanted = chosen[at];
      if (wanted.size && !facet.values(item).some((value) => wanted.has(value))) {
        failed = at;
        failures += 1;
      }
    });
    if (failures === 0) matches.push(item);
    // A facet's counts heed all other facets: choosing another value of it adds, not narrows.
    facets.forEach((facet, at) => {
      if (failures === 0 || (failures === 1 && failed === at)) {
        for (const value of facet.values(item)) counts[at].set(value, (counts[at].get(value) ?? 0) + 1);
      }
    });
  }
  return { matches, counts };
}
