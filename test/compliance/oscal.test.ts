import { oscalOf } from '../../src/modules/compliance/documents';
import { assessmentResults } from '../../src/modules/compliance/oscal';

const NIST = {
  ...{ frameworkId: 'nist-800-53', title: 'NIST' },
  controls: ['AU-2 a', 'AU-2 c', 'AU-12', 'AC-6 (9)'].map((controlId) => ({ controlId })),
};
const CIS = { frameworkId: 'cis', title: 'CIS', controls: [{ controlId: '5.4' }] };
const item = (frameworkId: string, controlId: string, more: object = {}) => ({
  ...{ frameworkId, controlId, title: 'T', tenantId: '1', serverInstanceName: 'SQL1', databaseName: null },
  ...{ status: 'pass', since: null, evaluatedThrough: null, reason: 'because', recordIds: [], ...more },
});
const made = (items: readonly object[], asOf = '2026-05-04T08:00:00Z') =>
  (
    assessmentResults([NIST, CIS] as never, items as never, { asOf, now: '2026-06-01T00:00:00Z' }) as {
      // biome-ignore lint/suspicious/noExplicitAny: a document of another form
      'assessment-results': any;
    }
  )['assessment-results'];

describe('assessment results in OSCAL', () => {
  it('name each control once, with all statements of it that are assessed', () => {
    const { results } = made([]);
    const controls = results[0]['reviewed-controls']['control-selections'][0]['include-controls'];
    expect(controls).toEqual([
      { 'control-id': 'au-2', 'statement-ids': ['au-2_smt.a', 'au-2_smt.c'] },
      { 'control-id': 'au-12', 'statement-ids': ['au-12_smt'] },
      { 'control-id': 'ac-6.9', 'statement-ids': ['ac-6.9_smt'] },
    ]);
    const [cis] = results[1]['reviewed-controls']['control-selections'][0]['include-controls'];
    expect(cis).toEqual({ 'control-id': 'cis_5.4' });
    expect(results[0]).not.toHaveProperty('findings');
  });

  it('are of the years that times of OSCAL may have', () => {
    const of = (asOf: string) => oscalOf([CIS] as never, [], { asOf, now: '2026-06-01T00:00:00Z' });
    for (const asOf of ['1900-01-01T00:00:00.0000000Z', '2999-12-31T23:59:59.9999999Z'])
      expect(of(asOf)).toContain(`"start":"${asOf}"`);
    for (const asOf of ['0000-01-03', '1899-12-31', '3000-01-01', '9999-12-31'])
      expect(() => of(`${asOf}T00:00:00.0000000Z`)).toThrow('asOf must be in a year from 1900 to 2999');
  });

  it('say of nothing that it is satisfied but of what passes', () => {
    const statuses = ['pass', 'fail', 'unknown', 'not_applicable'];
    const items = statuses.map((status, i) => item('cis', '5.4', { status, serverInstanceName: `SQL${i}` }));
    const { results } = made(items);
    const told = results[1].findings.map(({ target }: { target: { status: object } }) => target.status);
    expect(told).toMatchObject([
      { state: 'satisfied', reason: 'pass' },
      { state: 'not-satisfied', reason: 'fail' },
      { state: 'not-satisfied', reason: 'other' },
      { state: 'not-satisfied', reason: 'other' },
    ]);
    expect(results[0]).not.toHaveProperty('observations');
    expect(results[1]['local-definitions']['inventory-items']).toHaveLength(4);
  });

  it.each([
    ['CORP\\dba.ali took AUDIT_CHANGE_GROUP out.', 'CORP\\dba.ali took AUDIT_CHANGE_GROUP out.'],
    ['by *eve* and `bob`', 'by \\*eve\\* and \\`bob\\`'],
    ['by CORP\\_svc_', 'by CORP\\\\\\_svc\\_'],
    ['by [me](https://x.example) or <b>you</b>', 'by \\[me](https://x.example) or \\<b>you\\</b>'],
    ['R&amp;D ~x~ ^y^ {{ insert: param, z }}', 'R\\&amp;D \\~x\\~ \\^y\\^ \\{\\{ insert: param, z }}'],
    ['a\n\n# b\r\n- c\u2028d', 'a # b - c d'],
    ['ends in \\', 'ends in \\\\'],
  ])('show a reason as it is where Markdown is rendered: %j', (reason, wanted) => {
    const [, { findings, observations }] = made([item('cis', '5.4', { reason })]).results;
    expect([findings[0].description, findings[0].target.status.remarks, observations[0].description]).toEqual(
      Array(3).fill(wanted),
    );
    // Of Markdown, a backslash before a mark stands for the mark.
    expect(wanted.replace(/\\([!-/:-@[-`{-~])/g, '$1')).toBe(reason.replace(/\s+/g, ' '));
  });

  it('have the same ids for the same question, and others for another moment, tenant, instance or database', () => {
    const idsOf = (one: object, asOf?: string): string[] => {
      const { results } = made([one], asOf);
      const [, { findings, observations }] = results;
      expect(findings[0]['related-observations']).toEqual([{ 'observation-uuid': observations[0].uuid }]);
      return [findings[0].uuid, observations[0].uuid];
    };
    const own = item('cis', '5.4');
    expect(idsOf(own)).toEqual(idsOf(own));
    const all = [
      ...idsOf(own),
      ...idsOf(own, '2026-05-04T08:00:01Z'),
      ...[{ tenantId: '2' }, { serverInstanceName: 'SQL2' }, { databaseName: 'HR' }].flatMap((more) =>
        idsOf({ ...own, ...more }),
      ),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});
