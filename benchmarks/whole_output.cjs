// Runs a program of this environment with a standard output that is written to its end: a pipe of Node's is written to
// later, and a program that calls process.exit() loses what it has not taken by then.
//
//     node whole_output.cjs PROGRAM [ARGUMENT ...]
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");

process.stdout._handle.setBlocking(true);
const programs = process.env.PATH.split(path.delimiter)[0];
const program = fs.realpathSync(path.join(programs, process.argv[2]));
process.argv.splice(1, 2, program);
import(pathToFileURL(program));
