// A list of many items with search, filters, groups, order and pages, all of them in the address.

/**
 * Fills the element `root`.
 *
 * - `items`: any objects. `noun`: what one is called. `text(item)`: what the search looks at.
 * - `facets`: see `facetField`. `groups`: `{name, label, key(item), title(key, items), compare}`; the first is the default.
 * - `sorts`: `{name, label, compare}`; the first is the default. Items are given in the order that has no name.
 * - `draw(parts)`: the node for a page of items, which are `parts` `{group, key, items, all, isContinued}`.
 * - `prefix`: before the names of its parameters, where a page has several listings. `size`: items of a page.
 */
function listing(root, options) {
  const { items, noun, text, draw, facets = [], groups = [], sorts = [], prefix = "", size = 100 } = options;
  const name = (parameter) => prefix + parameter;
  const words = new Map();
  const fields = facets.map((facet) => facetField(facet, items, (value, isOn) => pick(facet, value, isOn)));
  const useful = fields.filter((field) => field.isUseful);
  const search = searchField(noun, address.get(name("q")), (value) =>
    address.change({ [name("q")]: value, [name("page")]: "" }, { replace: true }));
  const count = element("p", { class: "count", role: "status", tabindex: "-1" });
  const clear = element("button", { type: "button", class: "quiet", onclick: clearFilters }, "Clear filters");
  const group = chooser("Group by", groups, name("group"), name("page"));
  const sort = chooser("Order", sorts, name("sort"), name("page"));
  const heading = element("summary", {}, "Filters");
  const entries = element("div", { class: "entries" });
  const pager = pagerOf(goTo, `Pages of ${noun}s`);
  let matches = items;

  function pick(facet, value, isOn) {
    const chosen = new Set(address.all(name(facet.name)));
    if (isOn) chosen.add(value);
    else chosen.delete(value);
    address.change({ [name(facet.name)]: [...chosen], [name("page")]: "" });
  }

  function clearFilters() {
    const empty = facets.map((facet) => [name(facet.name), ""]);
    address.change({ ...Object.fromEntries(empty), [name("q")]: "", [name("page")]: "" });
    search.input.focus();
  }

  function goTo(page) {
    address.change({ [name("page")]: page > 1 ? String(page) : "" });
    count.focus({ preventScroll: true });
    root.scrollIntoView();
  }

  function passes(wanted) {
    return (item) => {
      if (!words.has(item)) words.set(item, text(item).toLowerCase());
      const all = words.get(item);
      return wanted.every((word) => all.includes(word));
    };
  }

  function update() {
    const query = address.get(name("q"));
    if (search.input.value.trim() !== query) search.input.value = query;
    const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = facets.map((facet) => new Set(address.all(name(facet.name))));
    const found = facetMatches(items, chosen, facets, wanted.length ? passes(wanted) : () => true);
    fields.forEach((field, at) => field.show(chosen[at], found.counts[at]));
    matches = ordered(found.matches, sort.show(), group.show());
    const active = chosen.reduce((sum, values) => sum + values.size, 0);
    clear.hidden = !wanted.length && !active;
    heading.textContent = active ? `Filters (${formatted(active)})` : "Filters";
    showPage();
  }

  function showPage(from = null) {
    const pages = Math.max(1, Math.ceil(matches.length / size));
    const page = Math.min(Math.max(Number.parseInt(address.get(name("page")), 10) || 1, 1), pages);
    const [start, end] = from ?? [(page - 1) * size, page * size];
    pager.show(page, pages);
    const number = matches.length === items.length ? "" : `${formatted(matches.length)} of `;
    count.textContent = number + counted(items.length, noun) + (pages > 1 ? `, page ${page} of ${pages}` : "");
    const parts = partsOf(matches, start, end, group.current());
    entries.replaceChildren(parts.length ? draw(parts) : element("p", { class: "nothing" }, `No ${noun} matches.`));
  }

  const filters = element("details", { class: "facets" }, heading,
    element("div", { class: "facet-fields" }, ...useful.map(({ field }) => field)));
  filters.open = matchMedia("(min-width: 60rem)").matches;
  const controls = [group.node, sort.node].filter(Boolean);
  root.append(
    search.form,
    ...(useful.length ? [filters] : []),
    element("div", { class: "results" },
      element("div", { class: "toolbar" }, count, clear, ...controls), entries, pager.nav),
  );
  root.classList.add("listing");
  addEventListener("beforeprint", () => {
    showPage([0, matches.length]);
    for (const details of entries.querySelectorAll("details")) details.open = true;
  });
  addEventListener("afterprint", () => showPage());
  address.listen(update);
  update();
}

function searchField(noun, value, changed) {
  const input = element("input", {
    type: "search", class: "search-field", placeholder: `Search ${noun}s`, "aria-label": `Search ${noun}s`,
    "aria-keyshortcuts": "/", autocomplete: "off", spellcheck: "false",
  });
  let timer = 0;
  input.value = value;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => changed(input.value.trim()), 80);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { input.value = ""; changed(""); }
  });
  const hint = element("kbd", { "aria-hidden": "true" }, "/");
  const form = element("form", { class: "search", role: "search", onsubmit: (event) => event.preventDefault() }, input, hint);
  return { input, form };
}

/** A select whose choice is in the address; nothing to see where there is no choice. */
function chooser(label, choices, parameter, page) {
  const current = () => choices.find((choice) => choice.name === address.get(parameter)) ?? choices[0] ?? null;
  if (choices.length < 2) return { node: null, current, show: current };
  const select = element("select", { onchange: () => {
    address.change({ [parameter]: select.value === choices[0].name ? "" : select.value, [page]: "" });
  } }, ...choices.map((choice) => element("option", { value: choice.name }, choice.label)));
  const node = element("label", { class: "chooser" }, label, " ", select);
  return { node, current, show() { select.value = current().name; return current(); } };
}

/** The items in their order, those of a group together. */
function ordered(items, sort, group) {
  const sorted = sort?.compare ? [...items].sort(sort.compare) : items;
  if (!group?.key) return sorted;
  const byKey = groupedBy(sorted, group.key);
  const keys = [...byKey.keys()];
  if (group.compare) keys.sort((a, b) => group.compare(byKey.get(a), byKey.get(b)));
  return keys.flatMap((key) => byKey.get(key));
}

function groupedBy(items, key) {
  const groups = new Map();
  for (const item of items) {
    if (!groups.has(key(item))) groups.set(key(item), []);
    groups.get(key(item)).push(item);
  }
  return groups;
}

/** A page of the items in parts, one for each group; `all` is the number of the group's items on all pages. */
function partsOf(items, start, end, group) {
  const shown = items.slice(start, end);
  if (!shown.length) return [];
  if (!group?.key) return [{ group: null, key: null, items: shown, all: items.length, isContinued: start > 0 }];
  const numbers = new Map();
  for (const item of items) numbers.set(group.key(item), (numbers.get(group.key(item)) ?? 0) + 1);
  const before = start > 0 ? group.key(items[start - 1]) : null;
  return [...groupedBy(shown, group.key)].map(([key, part]) => ({
    group, key, items: part, all: numbers.get(key), isContinued: start > 0 && key === before,
  }));
}
