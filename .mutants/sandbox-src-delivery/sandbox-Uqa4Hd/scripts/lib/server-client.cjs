const { spawn } = require('node:child_process');
const { join } = require('node:path');
const { createInterface } = require('node:readline');

const SCRIPT = join(__dirname, '../servers.mjs');

/**
 * A private server that `scripts/servers.mjs` runs in a process of its own, which ends the server when this process ends,
 * for whatever reason. This file is CommonJS, since jest's modules cannot import an .mjs.
 */
async function openServer(kind, { durable = false } = {}) {
  const owner = spawn(process.execPath, [SCRIPT, kind, ...(durable ? ['--durable'] : [])], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Ctrl-C in the terminal does not reach it, since the caller decides when the server ends.
    detached: true,
  });
  const waiting = [];
  const exited = new Promise((resolve) => owner.once('exit', resolve));
  const answered = () => new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  const first = answered();
  createInterface({ input: owner.stdout })
    .on('line', (line) => {
      const { error, ...state } = JSON.parse(line);
      const next = waiting.shift();
      if (error === undefined) next?.resolve(state);
      else next?.reject(new Error(`${kind}: ${error}`));
    })
    .on('close', () => {
      for (const { reject } of waiting) reject(new Error(`${kind}: the server's owner has ended`));
    });
  owner.stdin.on('error', () => {});

  let state = await first;
  if (state.skipped) return { skipped: state.skipped };
  const command = async (line) => {
    const answer = answered();
    owner.stdin.write(`${line}\n`);
    state = await answer;
  };
  return {
    url: state.url,
    port: state.port,
    get pid() {
      return state.pid;
    },
    start: () => command('start'),
    stop: () => command('stop'),
    kill: (signal = 'SIGKILL') => command(`kill ${signal}`),
    async close() {
      owner.stdin.end();
      await exited;
    },
  };
}

module.exports = { openServer };
