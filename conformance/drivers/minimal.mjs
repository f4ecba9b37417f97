// A driver for the conformance kit that implements a part of SkillBag v0.3.0 from the standard's text alone: catalog, names,
// inputs, precedence and order. It needs node and no library. PROTOCOL.md describes the exchange.
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const LEVELS = ["conversation", "user-context", "context", "entrypoint", "skill"];
const FILES = { "user-context": "USER_CONTEXT.md", context: "CONTEXT.md", entrypoint: "SKILLBAG.md" };
const STATED = "Stated: "; // What `put` writes: a line of JSON after this word.

class Refused extends Error {}
class Unsupported extends Error {}

// --- Files

const read = (...parts) => {
  const file = path.join(...parts);
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").replaceAll("\r\n", "\n") : "";
};

function catalogLines(workspace) {
  const lines = read(workspace, ".skills/SKILLS.md").split("\n").map((line) => line.trimEnd()).filter(Boolean);
  return lines.map((line) => {
    const [, name, description] = line.match(/^([^\s:]+): (.*\S)$/) ?? [];
    return { line, name, description };
  });
}

const catalog = (workspace) =>
  new Map(catalogLines(workspace).filter((row) => row.name).map((row) => [row.name, row.description]));

const folders = (workspace) => {
  const root = path.join(workspace, ".skills");
  if (!fs.existsSync(root)) return [];
  return fs.readdirSync(root).filter((name) => !name.startsWith(".") && fs.existsSync(path.join(root, name, "SKILL.md")));
};

function skill(workspace, name) {
  const text = read(workspace, ".skills", name, "SKILL.md");
  const [, front, body] = text.match(/^---\n([\s\S]*?\n)---\n?([\s\S]*)$/) ?? [];
  if (front === undefined) throw new Refused(`${name}: its SKILL.md has no front matter`);
  // A plain description keeps its tags, although YAML takes them for a comment.
  const keys = parseYaml(front.replace(/^(description: [^"'|>\n]*?)\s(#[a-z]+\/.*)$/m, (_, text, tags) =>
    `description: ${JSON.stringify(`${text.slice(13)} ${tags}`)}`));
  return { keys, body: body ?? "" };
}

// --- The YAML that the standard shows: block mappings and lists, `[a, b]`, plain and quoted scalars, comments.

function parseYaml(text) {
  const lines = text.split("\n").map((line) => line.replace(/(^|\s)#.*$/, (tail, before, at) =>
    inQuotes(line.slice(0, at)) ? tail : "").trimEnd()).filter(Boolean);
  const [value, next] = parseBlock(lines, 0, indent(lines[0] ?? ""));
  if (next < lines.length) throw new Refused(`this is no YAML that the standard shows: ${lines[next].trim()}`);
  return value;
}

const indent = (line) => line.length - line.trimStart().length;
const inQuotes = (before) => (before.match(/"/g) ?? []).length % 2 === 1;

function parseBlock(lines, at, depth) {
  const isList = lines[at]?.trimStart().startsWith("- ") || lines[at]?.trim() === "-";
  const value = isList ? [] : {};
  while (at < lines.length && indent(lines[at]) === depth) {
    const line = lines[at].trimStart();
    if (isList !== (line === "-" || line.startsWith("- "))) break;
    if (isList) {
      const item = line.slice(2);
      if (/^[\w*"-][^:"]*"?:(\s|$)/.test(item)) {
        const inner = depth + 2;
        lines[at] = " ".repeat(inner) + item;
        const [mapping, next] = parseBlock(lines, at, inner);
        value.push(mapping);
        at = next;
      } else {
        value.push(scalar(item));
        at += 1;
      }
      continue;
    }
    const [, key, rest] = line.match(/^("[^"]*"|[^:]+?):(?:\s+(.*))?$/) ?? [];
    if (key === undefined) throw new Refused(`this is no YAML that the standard shows: ${line}`);
    at += 1;
    const below = at < lines.length ? indent(lines[at]) : -1;
    if (rest !== undefined && rest !== "") value[unquoted(key)] = scalar(rest);
    else if (below > depth || (below === depth && lines[at].trimStart().startsWith("- "))) {
      [value[unquoted(key)], at] = parseBlock(lines, at, below);
    } else value[unquoted(key)] = null;
  }
  return [value, at];
}

const unquoted = (text) => (/^".*"$|^'.*'$/.test(text) ? text.slice(1, -1) : text);

function scalar(text) {
  if (/^\[.*\]$/.test(text)) return text.slice(1, -1).split(",").map((part) => part.trim()).filter(Boolean).map(scalar);
  if (/^["']/.test(text)) return unquoted(text);
  if (/^(null|~)$/.test(text)) return null;
  if (/^(true|false)$/.test(text)) return text === "true";
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return Number(text);
  return text;
}

// --- What context files and skills state

function blocks(body, heading) {
  const found = [];
  let inside = false;
  for (const part of body.split(/^(#+ .*|```[\s\S]*?\n```)$/m)) {
    if (/^#+ /.test(part)) inside = part.replace(/^#+ /, "").trim() === heading;
    else if (inside && part.startsWith("```yaml")) found.push(parseYaml(part.split("\n").slice(1, -1).join("\n")));
  }
  return found;
}

function parameters({ body }, name) {
  const all = [];
  for (const block of blocks(body, "Parameters")) {
    if (block === null || Array.isArray(block)) throw new Refused(`${name}: its parameters are no lists`);
    for (const kind of ["required", "optional"]) {
      for (const row of block[kind] ?? []) {
        if (typeof row?.name !== "string") throw new Refused(`${name}: a parameter has no name`);
        if (all.some((other) => other.name === row.name)) throw new Refused(`${name}: ${row.name} is declared twice`);
        const required = kind === "required";
        all.push({ name: row.name, required, default: required ? undefined : row.default });
      }
    }
  }
  return all;
}

const stated = (workspace, file) =>
  read(workspace, file).split("\n").filter((line) => line.startsWith(STATED)).map((line) => JSON.parse(line.slice(STATED.length)));

function put({ workspace, inputs }) {
  const { file, ...what } = inputs;
  const known = file.endsWith("SKILL.md") ? ["allowed", "confirm", "required-if"] : ["values", "tags", "prohibit"];
  const unknown = Object.keys(what).filter((key) => !known.includes(key));
  if (unknown.length) throw new Unsupported(`there is no notation here for ${unknown[0]}`);
  fs.appendFileSync(path.join(workspace, file), `\n${STATED}${JSON.stringify(what)}\n`);
  return { status: "done" };
}

/** The last value that a file states for a parameter: for the skill itself, else for all. */
function statedValue(statements, name, parameter) {
  for (const scope of [name, "*"]) {
    const values = statements.map((each) => each.values?.[scope] ?? {}).filter((each) => parameter in each);
    if (values.length) return values.at(-1)[parameter];
  }
  return undefined;
}

// --- Inputs

const hasContent = (value) => (typeof value === "string" ? value.trim() !== "" : value !== undefined && value !== null);
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function canonical(workspace, identifier) {
  const name = identifier.replaceAll("_", "-");
  if (!catalog(workspace).has(name) || !folders(workspace).includes(name)) throw new Refused(`there is no skill ${name}`);
  return name;
}

function resolved(workspace, name, inputs) {
  const { set = {}, prohibit = {} } = inputs;
  const declared = parameters(skill(workspace, name), name);
  const unknown = Object.keys(set).find((key) => !declared.some((each) => each.name === key));
  if (unknown) throw new Refused(`${name} has no parameter ${unknown}`);
  const outcome = { values: {}, levels: {}, hidden: {}, dropped: {}, questions: [] };
  const files = Object.fromEntries(Object.entries(FILES).map(([level, file]) => [level, stated(workspace, file)]));
  for (const parameter of declared) {
    const { candidates, dropped } = candidatesOf(parameter, name, { set, prohibit, files });
    if (dropped.length) outcome.dropped[parameter.name] = dropped;
    if (candidates.length) {
      [outcome.levels[parameter.name], outcome.values[parameter.name]] = candidates[0];
      if (candidates.length > 1) outcome.hidden[parameter.name] = candidates.slice(1).map(([, value]) => value);
    } else if (parameter.required) outcome.questions.push({ kind: "missing", about: parameter.name, candidates: [] });
  }
  for (const { allowed = {}, "required-if": conditions = {} } of stated(workspace, `.skills/${name}/SKILL.md`)) {
    for (const [about, candidates] of Object.entries(allowed)) {
      const isAllowed = !(about in outcome.values) || candidates.some((each) => same(each, outcome.values[about]));
      if (!isAllowed) outcome.questions.push({ kind: "invalid", about, candidates });
    }
    for (const [about, condition] of Object.entries(conditions)) {
      const holds = Object.entries(condition).every(([key, value]) => same(outcome.values[key], value));
      if (holds && !(about in outcome.values)) outcome.questions.push({ kind: "condition", about, candidates: [] });
    }
  }
  for (const { confirm = [] } of stated(workspace, `.skills/${name}/SKILL.md`)) {
    const risks = confirm === true ? [name] : confirm.filter((key) => key in outcome.values);
    const open = risks.filter((about) => !(inputs.confirm ?? []).includes(about));
    outcome.questions.push(...open.map((about) => ({ kind: "confirm", about, candidates: [] })));
  }
  return { status: outcome.questions.length ? "question" : "done", ...outcome };
}

/** The values of a parameter from the highest level down, without those that a higher level prohibits. */
function candidatesOf(parameter, name, { set, prohibit, files }) {
  const candidates = [];
  const dropped = [];
  const banned = parameter.name in prohibit ? [prohibit[parameter.name]].flat() : [];
  for (const level of LEVELS) {
    let value;
    if (level === "conversation") value = set[parameter.name];
    else if (level === "skill") value = parameter.default ?? undefined;
    else if (files[level]) value = statedValue(files[level], name, parameter.name);
    const isBanned = banned.some((each) => each === "*" || same(each, value));
    if (hasContent(value)) {
      if (isBanned) dropped.push(value);
      else candidates.push([level, value]);
    }
    for (const statement of files[level] ?? []) {
      for (const scope of [name, "*"]) banned.push(...[statement.prohibit?.values?.[scope]?.[parameter.name] ?? []].flat());
    }
  }
  return { candidates, dropped };
}

const resolve = ({ workspace, inputs }) => resolved(workspace, canonical(workspace, inputs.skill), inputs);

function run({ workspace, inputs }) {
  if (inputs.run.includes("-")) throw new Refused("the execution identifier has no hyphens");
  const name = canonical(workspace, inputs.run);
  const { hidden, dropped, ...outcome } = resolved(workspace, name, inputs);
  const instructions = outcome.status === "done" ? skill(workspace, name).body : "";
  const used = companions(tags(workspace).all, name).filter((each) => !ruledOut(workspace, inputs).includes(each));
  return { ...outcome, skill: name, instructions, companions: used };
}

// --- Tags and order

/** Of each skill that is there, the tags that count; `disabled` are those that the user has removed. */
function tags(workspace) {
  const rules = stated(workspace, "USER_CONTEXT.md").map((each) => each.tags ?? {});
  const all = new Map();
  const disabled = [];
  for (const [name, description] of catalog(workspace)) {
    if (!folders(workspace).includes(name)) continue;
    const own = new Set(description.match(/(?<!\S)#[a-z0-9-]+\/[\w-]+/g));
    for (const rule of rules.flatMap((each) => [each["*"], each[name]]).filter(Boolean)) {
      rule.add?.forEach((tag) => own.add(tag));
      rule.remove?.filter((tag) => own.delete(tag)).forEach((tag) => disabled.push({ skill: name, tag }));
    }
    all.set(name, own);
  }
  return { all, disabled };
}

/** The skill's companions, those of each before it. */
function companions(all, name, seen = new Set([name])) {
  const used = [...all.get(name)].filter((tag) => tag.startsWith("#use/")).map((tag) => tag.slice(5));
  return used.flatMap((other) => {
    if (seen.has(other) || !all.has(other)) return [];
    seen.add(other);
    return [...companions(all, other, seen), other];
  });
}

/** What runs in this order: `#run/always`, the chosen ones and `#run/last`, each after its companions and once. */
function inOrder(all, chosen, last) {
  const having = (tag) => [...all.keys()].filter((name) => all.get(name).has(tag)).sort();
  const withCompanions = (names) => names.flatMap((name) => [...companions(all, name), name]);
  const names = [...new Set(withCompanions([...having("#run/always"), ...chosen]))];
  const atLast = having("#run/last").filter((name) => last || names.includes(name));
  const before = withCompanions(atLast).filter((name) => !atLast.includes(name));
  return [...new Set([...names.filter((name) => !atLast.includes(name)), ...before, ...atLast])];
}

/** The skills that do not run of themselves: what the conversation rules out, and what a context file prohibits. */
function ruledOut(workspace, inputs) {
  const statements = Object.values(FILES).flatMap((file) => stated(workspace, file));
  return [...(inputs.without ?? []), ...statements.flatMap((each) => each.prohibit?.skills ?? [])];
}

function order({ workspace, inputs }) {
  const { all, disabled } = tags(workspace);
  const chosen = (inputs.skills ?? []).map((name) => canonical(workspace, name));
  const out = ruledOut(workspace, inputs);
  const questions = chosen.filter((name) => out.includes(name)).map((about) => ({ kind: "prohibited", about, candidates: [] }));
  const names = inOrder(all, chosen, true).filter((name) => !out.includes(name));
  return { status: questions.length ? "question" : "done", order: names, disabled, questions };
}

function enter({ workspace, inputs }) {
  const { all, disabled } = tags(workspace);
  const out = ruledOut(workspace, inputs);
  const always = inOrder(all, [], false).filter((name) => !out.includes(name));
  const questions = always.flatMap((name) => resolved(workspace, name, {}).questions);
  const files = ["SKILLBAG.md", "CONTEXT.md", "USER_CONTEXT.md", ".skills/SKILLS.md"];
  const isRead = [...files, ...always.map((name) => `.skills/${name}/SKILL.md`)].filter((file) => read(workspace, file));
  const status = questions.length ? "question" : "done";
  return { status, read: isRead, catalog: [...catalog(workspace).keys()], always, disabled, questions };
}

// --- What files break

const namesOf = (folder) => catalogLines(folder).map((row) => row.name);
const nameOf = (folder, name) => skill(folder, name).keys.name;

const CHECKS = {
  "root.catalog-line": (folder) => namesOf(folder).some((name, at, all) => !name || all.indexOf(name) < at),
  "root.catalog-sorted": (folder) => !same([...catalog(folder).keys()], [...catalog(folder).keys()].sort()),
  "root.catalog-complete": (folder) => valid(folder).some((name) => !catalog(folder).has(name)),
  "root.catalog-real": (folder) => [...catalog(folder).keys()].some((name) => !folders(folder).includes(name)),
  "root.name-pattern": (folder) =>
    folders(folder).some((name) => !NAME.test(name) || name.length > 64) ||
    valid(folder).some((name) => nameOf(folder, name) !== name),
};

const valid = (folder) => folders(folder).filter((name) => {
  try {
    const { keys } = skill(folder, name);
    return Boolean(keys.name && keys.description);
  } catch {
    return false;
  }
});

function check({ workspace, inputs }) {
  const holds = CHECKS[inputs.clause];
  if (!holds) throw new Unsupported(`there is no check of ${inputs.clause} here`);
  const broken = (folder) => (holds(folder) ? [inputs.clause] : []);
  if (!inputs.folders) return { status: "done", broken: broken(workspace) };
  const names = Object.keys(inputs.folders);
  return { status: "done", broken: Object.fromEntries(names.map((name) => [name, broken(path.join(workspace, name))])) };
}

// --- The exchange

const OPERATIONS = { enter, resolve, run, order, check, put };
const CLAUSES = [
  ...Object.keys(CHECKS),
  ...["order", "last-wins", "prohibition", "conversation-supplies"].map((name) => `precedence.${name}`),
  ...["before-run", "order", "ask", "required", "conditional", "rerun", "report-kind"].map((name) => `inputs.${name}`),
  ...["naming.invocation", "tags.comply", "tags.run-always", "tags.run-last", "tags.use", "tags.user-override"],
];
const OFFERED = { operations: Object.keys(OPERATIONS), clauses: CLAUSES, features: [] };
const HELLO = { protocol: 1, name: "minimal", version: "1.0", ...OFFERED };

function answer(request) {
  if (request.operation === "hello") return HELLO;
  try {
    return { id: request.id, outcome: OPERATIONS[request.operation](request) };
  } catch (error) {
    if (error instanceof Unsupported) return { id: request.id, unsupported: error.message };
    if (error instanceof Refused) return { id: request.id, outcome: { status: "refused", error: error.message } };
    throw error;
  }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(answer(JSON.parse(line)))}\n`);
}
