// A page of a listing as a table: `draw: tableOf({caption, columns})`.

/**
 * Columns are `{label, value(item), isNumber, bar, cell(item)}`: `cell` makes a node where the value is not enough,
 * `bar` (a function of the item, 0 to 1) draws a bar below the value.
 */
function tableOf({ caption, columns }) {
  return (parts) => {
    const head = columns.map((column) =>
      element("th", { scope: "col", class: column.isNumber ? "number" : null }, column.label));
    const bodies = parts.map((part) => element("tbody", {}, ...part.items.map((item) => tableRow(columns, item))));
    const table = element("table", {}, element("caption", { class: "unseen" }, caption),
      element("thead", {}, element("tr", {}, ...head)), ...bodies);
    return element("div", { class: "table", role: "region", tabindex: "0", "aria-label": caption }, table);
  };
}

function tableRow(columns, item) {
  return element("tr", {}, ...columns.map((column, at) => {
    const value = column.cell?.(item) ?? (column.isNumber ? formatted(column.value(item)) : column.value(item));
    const kind = column.isNumber ? "number" : null;
    const cell = at === 0 ? element("th", { scope: "row", class: kind }, value) : element("td", { class: kind }, value);
    if (column.bar) cell.append(barOf(column.bar(item)));
    return cell;
  }));
}

/** A bar, of which `share` (0 to 1) is full. */
function barOf(share) {
  const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("span"));
  bar.firstChild.style.inlineSize = `${Math.min(Math.max(share, 0), 1) * 100}%`;
  return bar;
}
