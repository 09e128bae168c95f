import type { Planning, Prisma, Row } from '../../database/clients';

/** Runs a statement in one snapshot. @param planning not given: `each` */
export type Ask = <R extends object = Row>(
  statement: Prisma.Sql,
  planning?: Planning,
) => Promise<readonly R[]>;
