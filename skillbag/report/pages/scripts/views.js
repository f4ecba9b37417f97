// The views of a page, of which one is shown at a time; `view` in the address names it.

function showViews() {
  const sections = [...document.querySelectorAll("[data-view]")];
  const links = [...document.querySelectorAll("[data-view-link]")];
  if (!sections.length) return;

  function show() {
    const known = sections.map((section) => section.dataset.view);
    const current = known.includes(address.get("view")) ? address.get("view") : known[0];
    for (const section of sections) section.classList.toggle("current", section.dataset.view === current);
    for (const link of links) {
      if (link.dataset.viewLink === current) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.dispatchEvent(new CustomEvent("viewshown", { detail: current }));
  }

  for (const link of links) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const first = sections[0].dataset.view;
      address.change({ view: link.dataset.viewLink === first ? "" : link.dataset.viewLink });
    });
  }
  address.listen(show);
  show();
}

/** Links that set parameters of the address and keep the others: `<a href="#?rule=x" data-state>`. */
function stateLinks() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-state]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    address.change(Object.fromEntries(new URLSearchParams(link.getAttribute("href").slice(2))));
    document.getElementById(link.dataset.state)?.scrollIntoView();
  });
}
