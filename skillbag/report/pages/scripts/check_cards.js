// Findings as cards, in sections of a group each.

function findingCards(parts) {
  const box = document.createDocumentFragment();
  for (const part of parts) {
    const list = element("ol", { class: "cards" }, ...part.items.map((finding) => card(finding, part.group)));
    if (!part.group?.key) {
      box.append(list);
      continue;
    }
    const heading = element("h3", {}, part.group.title(part.key, part.items), " ",
      element("span", { class: "faint" }, formatted(part.all), part.isContinued ? ", continued" : ""));
    box.append(element("section", { class: "group" }, heading, list));
  }
  return box;
}

function card(finding, group) {
  const at = `${finding.line}:${finding.column}`;
  const isInFile = group?.name === "file";
  const place = element("span", { class: "code" }, isInFile ? at : `${finding.path}:${at}`);
  return element("li", { class: `card ${finding.level}` },
    element("p", { class: "card-title" }, element("span", { class: `level ${finding.level}` }, finding.level), " ",
      ...withCode(finding.message)),
    excerptOf(finding),
    finding.fix ? element("p", { class: "fix" }, element("strong", {}, "Fix:"), " ", ...withCode(finding.fix)) : null,
    changesOf(finding),
    element("p", { class: "meta" }, place, element("span", { class: "code" }, webLink(finding.url, finding.rule)),
      finding.clause ? element("span", { class: "code" }, finding.clause) : null,
      finding.fixable ? element("span", {}, "fixable by --fix") : null,
      finding.installed ? element("span", {}, "installed skill") : null),
  );
}

function excerptOf(finding) {
  if (!finding.excerpt) return null;
  const [before, place, after] = finding.excerpt;
  return element("pre", { class: "excerpt" }, element("span", { class: "line-number" }, formatted(finding.line)),
    element("code", {}, before, element("mark", { class: place ? null : "point" }, place), after));
}

function changesOf(finding) {
  if (!finding.changes.length) return null;
  const files = finding.changes.map(([path, lines]) => element("div", {},
    path === finding.path ? null : element("p", { class: "code" }, path),
    element("pre", { class: "diff" }, ...lines.map(([sign, text]) =>
      element("span", { class: { "-": "removed", "+": "added" }[sign] ?? "faint" }, `${sign} ${text}\n`)))));
  return element("details", { class: "changes" }, element("summary", {}, "What --fix changes"), ...files);
}
