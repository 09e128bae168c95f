/** Words for `succeeded`. */
export const OUTCOMES: Readonly<Record<string, string>> = { true: 'Succeeded', false: 'Failed' };
