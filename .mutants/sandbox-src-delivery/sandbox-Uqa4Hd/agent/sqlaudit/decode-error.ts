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

/** A name in the file, quoted for an error message: damage or malice may have put line ends or escapes into it. */
export const quoted = (name: string): string =>
  JSON.stringify(name).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
