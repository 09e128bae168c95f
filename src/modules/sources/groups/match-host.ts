/** Whether a pattern with `*` for any text matches a whole host name, in any letter case. */
export function matchesHost(pattern: string, hostName: string): boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const name = hostName.toLowerCase();
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  // Each part where it stands first: what follows has the most room.
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
