/** Bytes that do not follow the format. `offset` counts from the start of the file. The only error decoding throws. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
  constructor(
    readonly offset: number,
    readonly reason: string,
  ) {
    super(`${reason} (at byte ${offset})`);
  }
}

/** A name of the file for an error's text: damage and malice put anything into names, line ends and escapes included. */
export const quoted = (name: string): string =>
  JSON.stringify(name).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
