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

/** Links to a state of the page also go to where it shows: `<a href="#?rule=x" data-goes-to="findings">`. */
function stateLinks() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-goes-to]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // After the new state is drawn: the element may be in a view that is not shown yet.
    setTimeout(() => document.getElementById(link.dataset.goesTo)?.scrollIntoView());
  });
}
