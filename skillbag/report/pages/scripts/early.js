// Runs before the first paint: the chosen theme, and that scripts run.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const theme = localStorage.getItem("skillbag-theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // A browser may refuse storage to a local file: the page then follows the system.
  }
})();
