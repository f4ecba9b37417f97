// The page of the conformance kit: a matrix of clauses and kinds of cases, and the cases.

const VERDICTS = ["failed", "not-covered", "not-offered", "passed", "agent"];
const VERDICT_WORDS = { failed: "failed", "not-covered": "not covered", "not-offered": "not offered", passed: "passed", agent: "only an agent" };
const VERDICT_LEVELS = { failed: "error", "not-covered": "warning", "not-offered": "note", passed: "good", agent: "note" };

function startPage({ kinds, clauses, cases }) {
  listing(document.getElementById("clauses"), {
    items: clauses,
    noun: "clause",
    text: (row) => `${row.clause} ${row.gist} ${row.reason}`,
    facets: [
      { name: "verdict", label: "Verdict", order: VERDICTS, values: (row) => [row.verdict], shown: (verdict) => VERDICT_WORDS[verdict] },
      { name: "level", label: "Level", order: ["MUST", "SHOULD", "MAY"], values: (row) => [row.level] },
      { name: "group", label: "Group", values: (row) => [row.clause.split(".")[0]] },
    ],
    sorts: [
      { name: "standard", label: "as in the standard" },
      { name: "verdict", label: "failed first", compare: (a, b) => VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict) },
    ],
    size: 200,
    draw: tableOf({
      caption: "Matrix of clauses and kinds of cases",
      columns: [
        { label: "Clause", cell: clauseCell },
        { label: "Level", value: (row) => row.level },
        { label: "Verdict", cell: (row) => verdictBadge(row.verdict) },
        ...kinds.map((kind, at) => ({ label: kind, isNumber: true, cell: (row) => countCell(row, kind, at) })),
      ],
    }),
  });
  listing(document.getElementById("cases"), {
    items: cases,
    noun: "case",
    prefix: "cases-",
    text: (one) => [one.id, one.why, ...one.clauses, ...one.lines].join(" "),
    facets: [
      { name: "verdict", label: "Verdict", order: VERDICTS, values: (one) => [one.verdict], shown: (verdict) => VERDICT_WORDS[verdict] },
      { name: "kind", label: "Kind", order: kinds, values: (one) => [one.kind] },
      { name: "needs", label: "Part", order: ["core"], values: (one) => (one.needs.length ? one.needs : ["core"]) },
      { name: "clause", label: "Clause", values: (one) => one.clauses },
    ],
    draw: (parts) => element("ol", { class: "cards" }, ...parts.flatMap((part) => part.items.map(caseCard))),
  });
}

function verdictBadge(verdict) {
  return element("span", { class: `badge ${VERDICT_LEVELS[verdict]}` }, VERDICT_WORDS[verdict]);
}

function clauseCell(row) {
  return element("span", {}, element("span", { class: "code" }, row.clause), element("br"),
    element("span", { class: "faint" }, ...withCode(row.reason || row.gist)));
}

/** The number of passed cases of a kind, which leads to them. */
function countCell(row, kind, at) {
  const [passed, every] = row.kinds[at];
  if (!every) return document.createTextNode("–");
  const state = { view: "cases", "cases-clause": row.clause, "cases-kind": kind };
  return element("a", { href: `#?${new URLSearchParams(state)}`, class: passed < every ? "error-text" : null,
    "aria-label": `${row.clause}: ${passed} of ${every} ${kind} cases passed` }, `${passed}/${every}`);
}

function caseCard(one) {
  return element("li", { class: `card ${VERDICT_LEVELS[one.verdict]}` },
    element("p", { class: "card-title" }, verdictBadge(one.verdict), " ", element("span", { class: "code" }, one.id)),
    one.why ? element("p", {}, ...withCode(one.why)) : null,
    one.lines.length ? element("pre", { class: "command" }, element("code", {}, one.lines.join("\n"))) : null,
    element("p", { class: "meta" }, element("span", {}, [one.kind, ...one.needs].join(", ")), element("span", { class: "code" }, one.clauses.join(", "))),
  );
}
