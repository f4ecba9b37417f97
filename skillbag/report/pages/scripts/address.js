// The state of the page is in its address, as `#?view=skills&level=error&q=name`: a bookmark or a link restores it.

const address = (() => {
  const listeners = [];
  let parameters = read();

  function read() {
    return new URLSearchParams(location.hash.startsWith("#?") ? location.hash.slice(2) : "");
  }

  function changed() {
    for (const listener of listeners) listener();
  }

  function refresh() {
    parameters = read();
    changed();
  }

  addEventListener("hashchange", refresh);

  return {
    get: (name) => parameters.get(name) ?? "",
    all: (name) => parameters.getAll(name),
    /** Calls the listener after each change, also by the back button. */
    listen: (listener) => listeners.push(listener),
    /**
     * Sets parameters to texts or lists of texts; what is empty is removed. With `replace`, the back button skips the
     * state before it: typing in a field is one step, not one for each key.
     */
    change(values, { replace = false } = {}) {
      const next = new URLSearchParams(parameters);
      for (const [name, value] of Object.entries(values)) {
        next.delete(name);
        for (const text of [value].flat()) if (text) next.append(name, text);
      }
      if (next.toString() === parameters.toString()) return;
      const hash = next.toString() ? `#?${next}` : "#";
      if (replace) history.replaceState(null, "", hash);
      else history.pushState(null, "", hash);
      refresh();
    },
  };
})();
