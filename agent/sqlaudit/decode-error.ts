/** Bytes that do not follow the format. `offset` counts from the start of the file. Decoding throws no other error. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
  constructor(
    readonly offset: number,
    readonly reason: string,
  ) {
    super(`${reason} (at byte ${offset})`);
  }
}

/** A name in the file, for the text of an error. Damage and malice put anything into names, such as line ends and escapes. */
export const quoted = (name: string): string =>
  JSON.stringify(name).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
