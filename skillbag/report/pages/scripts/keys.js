// Keys of the whole page: `/` goes to the search field of the view that is shown, Escape empties it.

function pageKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea, [contenteditable]")) return;
    const field = [...document.querySelectorAll("input.search-field")].find((input) => input.checkVisibility());
    if (!field) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
  document.querySelector(".skip").addEventListener("click", (event) => {
    // Without a change of the address, which holds the filters.
    event.preventDefault();
    document.getElementById("main").focus();
  });
}
