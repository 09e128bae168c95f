import { failureOf, isServersOwn, isStatementsOwn, toDatabaseError } from '../../src/database/failure';
import { guarded } from '../../src/database/limited';
import { DomainError } from '../../src/errors';

/** An error as Prisma's adapters shape it. */
const prismaError = (originalCode: string) =>
  Object.assign(new Error(`Raw query failed: secret host db.internal`), {
    name: 'PrismaClientKnownRequestError',
    code: 'P2010',
    meta: {
      driverAdapterError: Object.assign(new Error('x'), { cause: { originalCode, kind: 'postgres' } }),
    },
  });

describe('the name of a failure', () => {
  it.each([
    ['a driver error', { code: '23514' }, 'check_violation'],
    ['an adapter error', { cause: { originalCode: '57014' } }, 'query_canceled'],
    ['a Prisma error', prismaError('42P01'), 'undefined_table'],
    ['a connection error', { code: 'ECONNREFUSED' }, null],
    ["Prisma's own code", { code: 'P1001' }, null],
    ['plain text', 'down', null],
    ['nothing', undefined, null],
  ])('is found in %s', (_, error, expected) => expect(failureOf(error)).toBe(expected));

  it('is searched for in a bounded number of causes', () => {
    const loop: { cause?: unknown } = {};
    loop.cause = loop;
    expect(failureOf(loop)).toBeNull();
  });
});

describe('a failed statement', () => {
  it.each(['08006', '53300', '55P03', '57P01', '57P03', '58030', 'XX000', '25006', '28P01', '3D000'])(
    'with state %s is a 503, since the database is unavailable',
    (state) => expect(toDatabaseError(prismaError(state))).toMatchObject({ code: 'service_unavailable' }),
  );

  it.each(['22P02', '23502', '42601', '42P01', '0A000', '54000'])(
    'with state %s is not a 503, since it is our defect and no retry helps',
    (state) => {
      const error = prismaError(state);
      expect(toDatabaseError(error)).toBe(error);
    },
  );

  it('that ran out of time tells the caller how to ask for less', () => {
    expect(toDatabaseError(prismaError('57014'))).toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('Narrow'),
    });
  });

  it.each([
    ['a lost connection', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
    ['a pool that gave up', new Error('timeout exceeded when trying to connect')],
  ])('because of %s is a 503', (_, error) =>
    expect(toDatabaseError(error)).toMatchObject({ code: 'service_unavailable', cause: error }),
  );

  it('never shows the text of the driver', () => {
    const answer = toDatabaseError(prismaError('08006')) as DomainError;
    expect(answer.message).not.toContain('db.internal');
  });

  it('does not change an earlier refusal or a programming error', () => {
    for (const error of [
      new DomainError('not_found', { public: 'x' }),
      new TypeError('x'),
      new RangeError('x'),
    ]) {
      expect(toDatabaseError(error)).toBe(error);
    }
  });
});

describe('a guarded call', () => {
  it('returns what the call returns', async () => {
    expect(await guarded(async () => 7, 1_000)).toBe(7);
  });

  it('fails as unavailable at its deadline, however long the database is silent', async () => {
    jest.useFakeTimers();
    try {
      const call = guarded(() => new Promise(() => {}), 4_500);
      const refused = expect(call).rejects.toMatchObject({
        code: 'service_unavailable',
        retryAfterSeconds: 5,
      });
      await jest.advanceTimersByTimeAsync(4_500);
      await refused;
    } finally {
      jest.useRealTimers();
    }
  });

  it('translates a failure, also one that is thrown synchronously', async () => {
    const fail = () => {
      throw prismaError('08006');
    };
    await expect(guarded(fail)).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});

describe('whose a failure is', () => {
  it.each([
    ['of a server that only reads', '25006', true, false],
    ['of a full disk', '53100', true, false],
    ['of a server without connections', '53300', true, false],
    ['of a broken disk', '58030', true, false],
    ['of a transaction that ended', '25P02', false, false],
    ['of a lock', '55P03', false, false],
    ['of a server that ends', '57P01', false, false],
    ['of a value', '22P02', false, true],
    ['of a row that is there', '23505', false, true],
    ['of a table that is not there', '42P01', false, true],
  ])("%s (%s): the server's %s, the statement's %s", (_, state, ofServer, ofStatement) => {
    const error = prismaError(state);
    expect([isServersOwn(error), isStatementsOwn(error)]).toEqual([ofServer, ofStatement]);
  });

  it("is nobody's where the database did not say", () => {
    for (const error of [new Error('reset'), { code: 'ECONNREFUSED' }, undefined])
      expect([isServersOwn(error), isStatementsOwn(error)]).toEqual([false, false]);
  });
});
