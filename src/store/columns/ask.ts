import type { Prisma, Row } from '../../database/clients';

/** Runs a statement in one snapshot. */
export type Ask = <R extends object = Row>(statement: Prisma.Sql) => Promise<readonly R[]>;
