#!/usr/bin/env node
// A child of the protocol, written from docs/runtime-protocol.md alone.
const lines = require("readline").createInterface({ input: process.stdin });
const waiting = new Map();
const cancelled = new Map();
let number = 0;

const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");

const host = (call, name, params) =>
  new Promise((resolve, reject) => {
    const id = `h${++number}`;
    waiting.set(id, { resolve, reject });
    send({ id, method: `host/${name}`, params: { ...params, call } });
  });

const tools = {
  echo: async (input) => input.text,
  read: async (input, call) => host(call, "read_file", { path: input.path }),
  denied: async (input, call) => host(call, "exec", { command: "ls", args: [] }),
  hang: (input, call) => new Promise((resolve, reject) => cancelled.set(call, () => reject(new Error("cancelled")))),
};

const workflows = {
  nest: async (input, call) => [input, await host(call, "invoke_skill", { name: "js/again", input: input - 1 })],
  again: async (input, call) => (input > 0 ? workflows.nest(input, call) : input),
};

const methods = {
  initialize: async () => ({
    tools: Object.keys(tools).map((name) => ({ name, description: `Tool ${name}`, input_schema: { type: "object" } })),
    hooks: ["OnBeforeToolCall", "OnBeforeToolCall"],
    workflows: Object.keys(workflows),
    scanners: ["words"],
  }),
  "tool/execute": async (params, call) => ({ content: await tools[params.name](params.input, call), is_error: false }),
  "hook/handle": async (params) => ({
    modified: { input: JSON.stringify({ seen: params.data.tool_name }) },
    cancel: params.handler === 1,
    reason: `handler ${params.handler}`,
  }),
  "workflow/run": async (params, call) => ({ value: await workflows[params.name](params.input, call) }),
  "scan/run": async (params) => ({
    findings: params.content.includes("TODO")
      ? [{ rule: "todo", message: `${params.path} has a TODO`, severity: "low", line: 1 }]
      : [],
  }),
  shutdown: async () => null,
};

lines.on("line", async (line) => {
  const message = JSON.parse(line);
  if (message.method === "$/cancel") {
    cancelled.get(message.params.id)?.();
  } else if (message.method) {
    try {
      send({ id: message.id, result: await methods[message.method](message.params, message.id) });
    } catch (error) {
      send({ id: message.id, error: { code: error.code ?? -32603, message: error.message } });
    }
  } else {
    const { resolve, reject } = waiting.get(message.id);
    waiting.delete(message.id);
    message.error ? reject(Object.assign(new Error(message.error.message), message.error)) : resolve(message.result);
  }
});
