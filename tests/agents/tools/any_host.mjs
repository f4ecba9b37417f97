// A host in another language: it drives `skillbag runtime host` through a conversation, and prints what it got.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [folder, ...command] = process.argv.slice(2);
const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map();
const questions = [];
let last = 0;

createInterface({ input: child.stdout }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.question) {
    questions.push(message.question);
    const answer = message.question.kind === "call" ? "allow" : "session";
    child.stdin.write(JSON.stringify({ do: "answer", question: message.question.name, answer }) + "\n");
    return;
  }
  const { resolve, reject } = waiting.get(message.id);
  waiting.delete(message.id);
  message.error ? reject(new Error(message.error.message)) : resolve(message.result);
});

function ask(what, values = {}) {
  const id = ++last;
  child.stdin.write(JSON.stringify({ id, do: what, ...values }) + "\n");
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

const got = { questions };
got.start = await ask("start", { protocol: 1, folder, session: "node" });
got.message = await ask("message", { text: "look here" });
got.prompt = await ask("build_prompt", { base: "You help." });
got.tools = await ask("tools");
got.before = await ask("before_tool", { tool: "Bash", input: { command: "git status" } });
got.refused = await ask("before_tool", { tool: "Bash", input: { command: "cat secret" } });
got.after = await ask("after_tool", { tool: "Bash", input: {}, content: "clean", is_error: false });
got.called = await ask("call_tool", { tool: "peek", input: { at: 1 } });
got.failed = await ask("call_tool", { tool: "nothing" }).catch((error) => error.message);
got.reply = await ask("respond", { text: "done" });
got.deactivated = await ask("deactivate", { skill: "watch" });
got.closed = await ask("close");
child.stdin.end();
got.code = await new Promise((resolve) => child.on("exit", resolve));
console.log(JSON.stringify(got));
