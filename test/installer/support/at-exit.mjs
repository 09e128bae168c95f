const tasks = new Set();
process.once('exit', () => {
  for (const task of tasks) task();
});
for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
  process.once(signal, () => process.exit(128 + number));
}

/** Runs work when this process ends, also by a signal. @returns a function that cancels this */
export function atExit(task) {
  tasks.add(task);
  return () => tasks.delete(task);
}
