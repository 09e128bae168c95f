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
