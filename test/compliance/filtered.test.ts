import { judgeGroups } from '../../src/modules/compliance/judge-groups';
import { AuditReplay } from '../../src/modules/compliance/replay';
import type { InstanceTrail } from '../../src/modules/compliance/trail';
import type { StoredAuditEvent } from '../../src/store/rows/audit-event-reader';

const MADE = 'CREATE SERVER AUDIT SPECIFICATION S FOR SERVER AUDIT Main ADD (LOGOUT_GROUP) WITH (STATE = ON)';
const FILTERED = "ALTER SERVER AUDIT Main WHERE (server_principal_name <> 'eve')";
const REMOVED = 'ALTER SERVER AUDIT Main REMOVE WHERE';

function judged(...statements: readonly string[]) {
  const replay = new AuditReplay(() => true);
  for (const [i, statement] of statements.entries())
    replay.take({
      recordId: `record-${i}`,
      eventTime: `2026-05-04T08:0${i}:00.0000000Z`,
      actionId: 'AL',
      succeeded: true,
      serverPrincipalName: 'eve',
      objectName: null,
      statement,
      additional: {},
    } as unknown as StoredAuditEvent);
  const period = { from: '2026-04-05T00:00:00.0000000Z', to: '2026-05-05T00:00:00.0000000Z' };
  const trail = { replay, seen: new Map(), sources: [], period } as unknown as InstanceTrail;
  return judgeGroups({ groups: ['LOGOUT_GROUP'] }, trail, () => 'server');
}

describe('a control whose audit has a filter', () => {
  it('passes without one', () => {
    expect(judged(MADE)).toMatchObject({ status: 'pass' });
  });

  it('is unknown from the change on that set it, and says who did it', () => {
    expect(judged(MADE, FILTERED)).toMatchObject({
      status: 'unknown',
      reason:
        'Since 2026-05-04T08:01:00.0000000Z, the audit Main leaves out what a filter says that eve gave it. No record says what.',
      recordIds: ['record-1'],
    });
  });

  it('passes again when it is removed', () => {
    expect(judged(MADE, FILTERED, REMOVED)).toMatchObject({ status: 'pass' });
  });
});
