/** Addresses of a text, whatever separates them. */
export const addressesOf = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean);
