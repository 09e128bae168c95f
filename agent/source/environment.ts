/** The variables of the process's environment. Only `main.ts` reads them. */
export type Environment = Readonly<Record<string, string | undefined>>;
