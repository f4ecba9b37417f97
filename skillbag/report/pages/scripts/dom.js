// Makes elements. Data become text nodes and attributes, never markup.

/** An element with attributes (`class`, `href`, …; null leaves one out), listeners (`onclick: f`) and children. */
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** A link to a page; plain text where the address is none of the web. */
function webLink(url, text) {
  if (!/^https?:\/\//i.test(url ?? "")) return document.createTextNode(text);
  return element("a", { href: url, rel: "noopener noreferrer" }, text);
}

/** Text in which `…` is code. */
function withCode(text) {
  return text.split(/(`[^`]+`)/).map((part) =>
    part.length > 2 && part.startsWith("`") && part.endsWith("`") ? element("code", {}, part.slice(1, -1)) : part);
}

/** A number as people read it: 12,345. */
function formatted(number) {
  return number.toLocaleString("en");
}

/** A number with its noun: 1 file, 2 files. */
function counted(number, noun) {
  return `${formatted(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** What the page was made of: the object given to `render_page` as `data`. */
function pageData() {
  return JSON.parse(document.getElementById("data").textContent);
}
