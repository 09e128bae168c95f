/** Kinds of objects a 32-bit object reference can name (bits 28 to 31; 10 to 27 the index, 0 to 9 the package). */
export const KIND = { event: 0, action: 1, map: 3, type: 6, package: 8 } as const;

export const kindOf = (ref: number): number => ref >>> 28;
export const indexOf = (ref: number): number => (ref >>> 10) & 0x3ffff;
export const packageOf = (ref: number): number => ref & 0x3ff;
