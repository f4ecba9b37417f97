// The button that goes from the system's colours to light to dark.

function themeButton(button) {
  const root = document.documentElement;
  const themes = ["system", "light", "dark"];

  function show() {
    button.textContent = `Theme: ${root.dataset.theme ?? "system"}`;
  }

  button.addEventListener("click", () => {
    const next = themes[(themes.indexOf(root.dataset.theme ?? "system") + 1) % themes.length];
    if (next === "system") delete root.dataset.theme;
    else root.dataset.theme = next;
    try {
      if (next === "system") localStorage.removeItem("skillbag-theme");
      else localStorage.setItem("skillbag-theme", next);
    } catch {
      // Not kept for the next page.
    }
    show();
  });
  button.hidden = false;
  show();
}
