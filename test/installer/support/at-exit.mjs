const tasks = new Set();
process.once('exit', () => {
  for (const task of tasks) task();
});
for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
  process.once(signal, () => process.exit(128 + number));
}

/** Has something done when this process ends, also by a signal. @returns a function that takes that back */
export function atExit(task) {
  tasks.add(task);
  return () => tasks.delete(task);
}
