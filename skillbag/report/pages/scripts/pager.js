// Which part of a long list is shown, and the buttons to the others.

function pagerOf(go, label) {
  const status = element("span", { class: "pager-status" });
  const buttons = [
    ["First", () => 1],
    ["Previous", (page) => page - 1],
    ["Next", (page) => page + 1],
    ["Last", (_page, pages) => pages],
  ].map(([text, target]) => ({ target, node: element("button", { type: "button" }, text) }));
  let current = 1;
  let pages = 1;
  for (const { node, target } of buttons) {
    node.addEventListener("click", () => {
      if (node.getAttribute("aria-disabled") !== "true") go(target(current, pages));
    });
  }
  const [first, previous, next, last] = buttons.map(({ node }) => node);
  const nav = element("nav", { class: "pager", "aria-label": label }, first, previous, status, next, last);
  return {
    nav,
    show(page, count) {
      [current, pages] = [page, count];
      nav.hidden = pages < 2;
      status.textContent = `Page ${formatted(page)} of ${formatted(pages)}`;
      for (const { node, target } of buttons) {
        // Not `disabled`: the button just used would lose the focus at the end.
        const to = Math.min(Math.max(target(page, pages), 1), pages);
        node.setAttribute("aria-disabled", String(to === page));
      }
    },
  };
}
