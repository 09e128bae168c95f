import 'reflect-metadata';
import type { Call } from '../../src/caller/call';
import { msOfTime } from '../../src/event/event-time';
import { DeclarationResolver } from '../../src/modules/compliance/declaration.resolver';
import { AuditSourceResolver } from '../../src/modules/sources/audit-source.resolver';
import { HoldResolver } from '../../src/modules/tenants/holds/hold.resolver';

const NOW_MS = Date.parse('2026-02-03T04:05:06.007Z');
/** One moment in forms that the parameters take, of which `Date.parse` reads some wrongly or not at all. */
const FORMS = [
  '2026-03-01T08:00:00.123Z',
  '2026-03-01T10:00:00.123+02',
  '2026-03-01T03:00:00,1230000-0500',
  '2026-03-01t08:00:00.123z',
  '2026-03-01T08:00:00.123',
];
const AT = new Date('2026-03-01T08:00:00.123Z');
const OPERATOR = {
  principal: { kind: 'operator', name: 'ops' },
  attempt: () => ({ at: new Date(NOW_MS) }),
} as unknown as Call;

describe.each(FORMS)('a time that a caller gives as %s', (text) => {
  it('is the same moment', () => {
    expect(new Date(msOfTime(text))).toEqual(AT);
  });

  it('ends a hold then', async () => {
    const made: unknown[] = [];
    const create = async (spec: unknown) => {
      made.push(spec);
      return null;
    };
    const holds = new HoldResolver({ create } as never, () => NOW_MS);
    const hold = { tenantId: '1', until: text, reason: 'r' } as never;
    await expect(holds.createHold(hold, OPERATOR)).rejects.toMatchObject({ code: 'not_found' });
    expect(made).toMatchObject([{ until: AT }]);
    const late = new HoldResolver({ create } as never, () => AT.getTime());
    await expect(late.createHold(hold, OPERATOR)).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  it('bounds the sources that are removed, five minutes ago at the latest', async () => {
    const asked: unknown[] = [];
    const remove = async (_: number, removal: unknown) => asked.push(removal);
    const at = (ms: number) =>
      new AuditSourceResolver(
        { remove } as never,
        { existing: async () => [1], list: async () => [] } as never,
        (async () => []) as never,
        {} as never,
        () => ms,
      );
    const given = { tenantId: '1', reportedBefore: text } as never;
    await at(AT.getTime() + 300_000).removeAuditSources(given, OPERATOR);
    expect(asked).toMatchObject([{ before: AT }]);
    await expect(at(AT.getTime() + 299_999).removeAuditSources(given, OPERATOR)).rejects.toMatchObject({
      code: 'invalid_parameter',
    });
  });

  it('begins and ends a declaration then, and chooses those that hold', async () => {
    const said: unknown[] = [];
    const declared = (from: number, until: number | null) => ({
      ...{ validFrom: new Date(AT.getTime() + from), createdAt: AT, reason: `${from}` },
      validUntil: until === null ? null : new Date(AT.getTime() + until),
    });
    const store = {
      insert: async (_: number, { validFrom }: { validFrom: Date }) => void said.push(validFrom),
      end: async (_: number, { validUntil }: { validUntil: Date }) => {
        said.push(validUntil);
        return null;
      },
      list: async () => [declared(0, null), declared(1, null), declared(-2, 0), declared(-3, 1)],
    };
    const declarations = new DeclarationResolver(store as never, { one: async () => 1 }, () => NOW_MS);
    const auditor = { tenantId: '1', kind: 'auditor', principalName: 'a', reason: 'r', validFrom: text };
    await expect(declarations.declareCompliance(auditor as never, OPERATOR)).rejects.toThrow();
    const declarationId = '638edcb2-98cc-48ad-a5fb-fc4fedb65f74';
    const end = { tenantId: '1', declarationId, validUntil: text };
    await expect(declarations.endComplianceDeclaration(end as never, OPERATOR)).rejects.toThrow();
    expect(said).toEqual([AT, AT]);
    const hold = await declarations.complianceDeclarations({ tenantId: '1', asOf: text } as never, OPERATOR);
    expect(hold.map(({ reason }) => reason)).toEqual(['0', '-3']);
  });
});
