/** Space that was reserved and is not written yet; no bytes at all are none. */
export const isBlank = (bytes: Buffer): boolean => bytes.length > 0 && bytes.every((byte) => byte === 0);
