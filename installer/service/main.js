// Starts the service, as `npm start` does in a checkout.
const { scripts, version } = require('./package.json');

/** Memory is bounded as in the start script, unless the environment sets other bounds. */
const HEAP = 'max-old-space-size';
const bounds = scripts.start.match(/--max-[a-z-]+=\d+/g);
const settings = scripts.start.matchAll(/\b(MALLOC_[A-Z_]+)=(\d+)/g);
const env = { ...Object.fromEntries([...settings].map(([, name, value]) => [name, value])), ...process.env };
const isBounded = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((option) =>
  option.replaceAll('_', '-').includes(`--${HEAP}`),
);

if (process.argv[2] === '--version') console.log(version);
else if (isBounded) require('./dist/src/main.js');
else restart([...bounds, ...process.execArgv, __filename, ...process.argv.slice(2)]);

/** Node takes the bound only at its start, so this replaces the process, or else runs a child that ends with it. */
function restart(args) {
  if (process.execve && process.platform !== 'win32')
    return process.execve(process.execPath, [process.execPath, ...args], env);
  const leaveWithParent =
    "data:text/javascript,import{Socket}from'node:net';" +
    'new Socket({fd:3}).on("error",()=>{}).on("close",()=>process.kill(process.pid,"SIGTERM")).resume().unref()';
  const child = require('node:child_process').spawn(
    process.execPath,
    ['--import', leaveWithParent, ...args],
    { env, stdio: ['inherit', 'inherit', 'inherit', 'pipe'] },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code, signal) => {
    for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(each);
    if (signal) process.kill(process.pid, signal);
    else process.exit(code);
  });
}
