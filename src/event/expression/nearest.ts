const SHOWN_MAX = 3;

/** The names most like another text, the most alike first; none if all are too different. */
export function nearestNames(given: string, names: readonly string[]): readonly string[] {
  const text = given.toLowerCase();
  return names
    .map((name) => ({ name, changes: changesBetween(text, name.toLowerCase()) }))
    .filter(({ changes }) => changes <= Math.max(2, text.length / 3))
    .sort((a, b) => a.changes - b.changes)
    .slice(0, SHOWN_MAX)
    .map(({ name }) => name);
}

/** The number of letters to add, remove or change. A beginning or end of a name is one change away. */
function changesBetween(a: string, b: string): number {
  if (a.length > 2 && (b.startsWith(a) || b.endsWith(a) || a.startsWith(b) || a.endsWith(b))) return 1;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const changed = (row[j - 1] ?? 0) + (isSame ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
