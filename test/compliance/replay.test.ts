import { formatTicks } from '../../src/event/event-time';
import { AuditReplay } from '../../src/modules/compliance/replay';
import type { StoredAuditEvent } from '../../src/store/rows/audit-event-reader';

const LOGINS = 'FAILED_LOGIN_GROUP';
const timeAt = (minute: number) => formatTicks(BigInt(Date.UTC(2026, 4, 4, 8, minute)) * 10_000n);

const byTime = (a: StoredAuditEvent, b: StoredAuditEvent) => (a.eventTime < b.eventTime ? -1 : 1);

/** A record of minute `minute` with the id `record-MINUTE`. */
function change(minute: number, statement: string, more: Partial<StoredAuditEvent> = {}): StoredAuditEvent {
  return {
    recordId: `record-${minute}`,
    eventTime: timeAt(minute),
    actionId: 'AL',
    succeeded: true,
    serverPrincipalName: 'CORP\\dba.ali',
    objectName: null,
    databaseName: 'master',
    statement,
    additional: {},
    ...more,
  } as StoredAuditEvent;
}

const session = (minute: number, what: 'enabled' | 'disabled', audit = 'Main') =>
  change(minute, '', {
    actionId: 'AUSC',
    additional: {
      additionalInformation: `<action_info><session><![CDATA[${audit}$A]]></session><action>event ${what}</action></action_info>`,
    },
  });

function replayed(...events: StoredAuditEvent[]): AuditReplay {
  const replay = new AuditReplay((group) => group.endsWith('_GROUP'));
  for (const event of events) replay.take(event);
  return replay;
}

const MADE = change(
  0,
  `CREATE SERVER AUDIT SPECIFICATION S FOR SERVER AUDIT Main ADD (${LOGINS}), ADD (LOGOUT_GROUP) WITH (STATE = ON)`,
);

describe('a replay of changes to audits', () => {
  it('says which record switched a group on, and by whom', () => {
    expect(replayed(MADE).of(LOGINS)).toEqual({
      is: 'configured',
      since: timeAt(0),
      by: 'CORP\\dba.ali',
      recordId: 'record-0',
    });
  });

  it.each([
    `EXEC('ALTER SERVER AUDIT SPECIFICATION S DROP (${LOGINS})')`,
    `DECLARE @s AS nvarchar(200) = N'ALTER SERVER AUDIT SPEC' + N'IFICATION S DROP (${LOGINS})'; EXEC sp_executesql @s`,
  ])('reads what %s executes', (statement) => {
    const dropped = change(1, statement, { objectName: 'S', additional: { classType: 'SA' } });
    expect(replayed(MADE, dropped).of(LOGINS)).toMatchObject({ is: 'contradicted', recordId: 'record-1' });
  });

  it('knows nothing of a specification after a change whose statement does not say what it did', () => {
    const dark = change(1, 'EXEC dbo.Maintain', { objectName: 'S', additional: { classType: 'SA' } });
    expect(replayed(MADE, dark).of(LOGINS)).toBeNull();
    const other = change(1, 'EXEC dbo.Maintain', { objectName: 'T', additional: { classType: 'SA' } });
    expect(replayed(MADE, other).of(LOGINS)?.is).toBe('configured');
  });

  it('still says who took a group out of a specification that is dropped later', () => {
    const taken = change(1, `ALTER SERVER AUDIT SPECIFICATION S DROP (${LOGINS})`);
    const dropped = change(2, 'DROP SERVER AUDIT SPECIFICATION S');
    expect(replayed(MADE, taken, dropped).of(LOGINS)).toMatchObject({
      is: 'contradicted',
      recordId: 'record-1',
    });
    expect(replayed(MADE, taken, dropped).of('LOGOUT_GROUP')).toMatchObject({ recordId: 'record-2' });
  });

  it('knows nothing of an audit after a change that does not say what it did, whose class has a space behind', () => {
    const off = change(1, 'ALTER SERVER AUDIT Main WITH (STATE = OFF)');
    const dark = change(2, 'EXEC dbo.Maintain', { objectName: 'Main', additional: { classType: 'A ' } });
    expect(replayed(MADE, off).of(LOGINS)?.is).toBe('contradicted');
    expect(replayed(MADE, off, dark).of(LOGINS)?.is).toBe('configured');
  });

  it('says which filter leaves events out, until it is removed or another audit records them too', () => {
    const filterOf = (...events: StoredAuditEvent[]) =>
      replayed(...events).filterOf(null, ({ groups }) => groups.has(LOGINS));
    const set = change(1, "ALTER SERVER AUDIT Main WHERE (server_principal_name <> 'eve')");
    const found = { audit: 'Main', at: timeAt(1), by: 'CORP\\dba.ali', recordId: 'record-1' };
    expect(filterOf(MADE)).toBeNull();
    expect(filterOf(MADE, set)).toEqual(found);
    expect(filterOf(set, MADE)).toEqual(found);
    expect(filterOf(MADE, set, change(2, 'ALTER SERVER AUDIT Main MODIFY NAME = Other'))).toMatchObject({
      audit: 'Other',
    });
    expect(filterOf(MADE, set, change(2, 'ALTER SERVER AUDIT Main REMOVE WHERE'))).toBeNull();
    expect(filterOf(MADE, set, change(2, 'ALTER SERVER AUDIT Main WITH (QUEUE_DELAY = 0)'))).toEqual(found);
    const second = `CREATE SERVER AUDIT SPECIFICATION T FOR SERVER AUDIT B ADD (${LOGINS}) WITH (STATE = ON)`;
    expect(filterOf(MADE, set, change(2, second))).toBeNull();
    const made = change(0, "CREATE SERVER AUDIT Main TO APPLICATION_LOG WHERE object_name = 'x'", {
      actionId: 'CR',
    });
    expect(filterOf(made, MADE, session(1, 'enabled'))).toMatchObject({
      audit: 'Main',
      recordId: 'record-0',
    });
  });

  it('ends a stop at the first start after it', () => {
    const { stops } = replayed(
      MADE,
      ...[session(1, 'enabled'), session(2, 'disabled'), session(3, 'enabled'), session(9, 'enabled')],
    );
    expect(stops).toEqual([expect.objectContaining({ from: timeAt(2), to: timeAt(3) })]);
  });

  it('has one stop of an audit that stands still already when it is switched off', () => {
    const off = change(2, 'ALTER SERVER AUDIT Main WITH (STATE = OFF)');
    const replay = replayed(MADE, session(1, 'disabled'), off, session(3, 'enabled'));
    expect(replay.stops).toEqual([expect.objectContaining({ from: timeAt(1), to: timeAt(3) })]);
  });

  it('says nothing of a group that no record names', () => {
    expect(replayed(MADE).of('DBCC_GROUP')).toBeNull();
    expect(replayed(session(1, 'enabled')).of('AUDIT_CHANGE_GROUP')).toBeNull();
  });

  it('says nothing of a specification that was made and never switched on', () => {
    expect(
      replayed(change(0, `CREATE SERVER AUDIT SPECIFICATION S FOR SERVER AUDIT A ADD (${LOGINS})`)).of(
        LOGINS,
      ),
    ).toBeNull();
  });

  it.each([
    ['the group is taken out', change(5, `ALTER SERVER AUDIT SPECIFICATION s DROP (${LOGINS})`)],
    [
      'the specification is switched off',
      change(5, 'ALTER SERVER AUDIT SPECIFICATION [S] WITH (STATE = OFF)'),
    ],
    ['the specification is dropped', change(5, 'DROP SERVER AUDIT SPECIFICATION S')],
    ['the audit is switched off', change(5, 'ALTER SERVER AUDIT main WITH (STATE = OFF)')],
    ['the audit is dropped', change(5, 'DROP SERVER AUDIT Main')],
    ['the session of the audit ends', session(5, 'disabled')],
    ['the audit fails', change(5, '', { actionId: 'AUSF' })],
  ])('names the record by which a group ended: %s', (_, event) => {
    const replay = replayed(MADE, session(1, 'enabled'), event);

    expect(replay.of(LOGINS)).toMatchObject({ is: 'contradicted', since: timeAt(5), recordId: 'record-5' });
  });

  describe('of a specification whose audit no record names', () => {
    const S = change(1, `ALTER SERVER AUDIT SPECIFICATION S ADD (${LOGINS}) WITH (STATE = ON)`);
    const stop = session(5, 'disabled');

    it('say that its groups ended with the only audit that is known, until that starts again', () => {
      const ended = { is: 'contradicted', since: timeAt(5), recordId: 'record-5', by: 'CORP\\dba.ali' };
      expect(replayed(S, stop).of(LOGINS)).toEqual(ended);
      expect(replayed(S, stop, change(6, 'DROP SERVER AUDIT Main')).of(LOGINS)).toEqual(ended);
      expect(replayed(S, change(5, '', { actionId: 'AUSF' })).of(LOGINS)).toEqual(ended);
      expect(replayed(S, stop, session(9, 'enabled')).of(LOGINS)?.is).toBe('configured');
    });

    it('say nothing where another audit records, and take no earlier stop for its end', () => {
      const other = session(0, 'enabled', 'Other');
      expect(replayed(other, S, stop).of(LOGINS)).toBeNull();
      const unnamed = replayed(S, stop);
      unnamed.seenThrough(Date.parse(timeAt(6)));
      expect(unnamed.of(LOGINS)).toBeNull();
      expect(replayed(session(0, 'disabled'), S).of(LOGINS)?.is).toBe('configured');
      expect(replayed(S, change(5, 'CREATE SERVER AUDIT B TO APPLICATION_LOG')).of(LOGINS)?.is).toBe(
        'configured',
      );
    });
  });

  it('take a failure for the end of an audit of which nothing else is known, until it starts', () => {
    const failed = change(5, '', { actionId: 'AUSF' });

    expect(replayed(MADE, failed).of(LOGINS)).toMatchObject({ is: 'contradicted', recordId: 'record-5' });
    expect(replayed(MADE, failed, session(9, 'enabled')).of(LOGINS)).toMatchObject({ since: timeAt(9) });
    expect(replayed({ ...failed, eventTime: timeAt(-1) }, MADE).of(LOGINS)?.is).toBe('configured');
  });

  it('goes on when the audit starts again, and keeps the time in which it stood still', () => {
    const replay = replayed(MADE, session(1, 'enabled'), session(5, 'disabled'), session(9, 'enabled'));

    expect(replay.of(LOGINS)).toMatchObject({ is: 'configured' });
    expect(replay.stops).toMatchObject([{ from: timeAt(5), to: timeAt(9), recordId: 'record-5' }]);
  });

  it('does not take an audit that was made and never switched on for one that records', () => {
    const audit = change(1, 'CREATE SERVER AUDIT Main TO APPLICATION_LOG', { actionId: 'CR' });
    const specification = change(2, MADE.statement ?? '', { actionId: 'CR' });
    const never = replayed(audit, specification);

    expect(never.of(LOGINS)).toMatchObject({ is: 'contradicted', recordId: 'record-1' });
    expect(never.stops).toEqual([]);
    const begun = { is: 'configured', since: timeAt(4) };
    expect(replayed(audit, specification, session(4, 'enabled')).of(LOGINS)).toMatchObject(begun);
    const made = change(4, 'CREATE SERVER AUDIT Main TO APPLICATION_LOG WITH (STATE = ON)', {
      actionId: 'CR',
    });
    expect(replayed(specification, made).of(LOGINS)?.is).toBe('configured');
  });

  it('says that a group is recorded since its audit started again, and names the record of the group', () => {
    const off = session(5, 'disabled');

    expect(replayed(MADE, session(1, 'enabled'), session(3, 'enabled')).of(LOGINS)?.since).toBe(timeAt(0));
    expect(replayed(MADE, off, session(9, 'enabled')).of(LOGINS)).toMatchObject({
      since: timeAt(9),
      recordId: 'record-0',
    });
  });

  it('ends the stop of an audit that is renamed while it stands still, which is the only time for it', () => {
    const off = change(2, 'ALTER SERVER AUDIT Main WITH (STATE = OFF)');
    const renamed = change(3, 'ALTER SERVER AUDIT Main MODIFY NAME = Trail');
    const decoy = session(4, 'enabled', 'Main');
    const replay = replayed(MADE, off, renamed, decoy);

    expect(replay.stops).toMatchObject([{ from: timeAt(2), to: null }]);
    replay.take(change(5, 'ALTER SERVER AUDIT Trail WITH (STATE = ON)'));
    expect(replay.stops).toMatchObject([{ from: timeAt(2), to: timeAt(5) }]);
  });

  it('ends the stop of an audit that is dropped where another one records, or with the next start of any', () => {
    const [off, dropped] = [session(5, 'disabled'), change(6, 'DROP SERVER AUDIT Main')];
    const stop = (...events: StoredAuditEvent[]) => replayed(MADE, ...events).stops.map(({ to }) => to);

    expect(stop(session(1, 'enabled', 'Other'), off, dropped)).toEqual([timeAt(6)]);
    expect(stop(off, dropped)).toEqual([null]);
    expect(stop(off, dropped, session(9, 'enabled', 'Other'))).toEqual([timeAt(9)]);
    expect(stop(off, session(9, 'enabled', 'Other'))).toEqual([null]);
  });

  it('takes no audit for one that was dropped because it has its name, until a specification is given to it', () => {
    const audit = (minute: number, id = '') => [
      session(minute, 'disabled'),
      change(minute + 1, 'DROP SERVER AUDIT Main'),
      change(minute + 2, `CREATE SERVER AUDIT Main TO FILE (FILEPATH = 'x')${id}`, { actionId: 'CR' }),
      session(minute + 3, 'enabled'),
    ];
    const anew = audit(1);
    const ended = { is: 'contradicted', since: timeAt(1), recordId: 'record-1' };
    expect(replayed(MADE, ...anew).of(LOGINS)).toMatchObject(ended);
    expect(replayed(MADE, ...anew, ...audit(5)).of(LOGINS)).toMatchObject(ended);
    const given = change(9, 'ALTER SERVER AUDIT SPECIFICATION S FOR SERVER AUDIT Main');
    expect(replayed(MADE, ...anew, given).of(LOGINS)?.is).toBe('configured');
    // The id may be that of the audit before.
    expect(replayed(MADE, ...audit(1, " WITH (AUDIT_GUID = 'a')")).of(LOGINS)).toBeNull();
    const alone = change(0, `ALTER SERVER AUDIT SPECIFICATION S ADD (${LOGINS}) WITH (STATE = ON)`);
    expect(replayed(alone, ...anew).of(LOGINS)).toBeNull();
  });

  it('knows a specification that is made anew by what it is made with', () => {
    const again = change(
      5,
      'CREATE SERVER AUDIT SPECIFICATION S FOR SERVER AUDIT Main ADD (LOGOUT_GROUP) WITH (STATE = ON)',
    );

    expect(replayed(MADE, again).of(LOGINS)).toMatchObject({ is: 'contradicted', since: timeAt(5) });
    expect(replayed(MADE, again).of('LOGOUT_GROUP')).toMatchObject({ since: timeAt(5) });
  });

  it('knows nothing of the specifications of a database that was dropped or made since', () => {
    const made = change(
      1,
      `CREATE DATABASE AUDIT SPECIFICATION D FOR SERVER AUDIT Main ADD (${LOGINS}) WITH (STATE = ON)`,
      { databaseName: 'Sales' },
    );
    const atMs = (minute: number) => Date.parse(timeAt(minute));
    const replay = replayed(MADE, made, { ...made, databaseName: 'Hr' });
    replay.replaced('sales', atMs(0));
    expect(replay.databases).toEqual(['Hr', 'Sales']);
    replay.replaced('sales', atMs(2));
    expect(replay.databases).toEqual(['Hr']);
    expect(replay.of(LOGINS)?.is).toBe('configured');
  });

  it('keeps of a database that was restored what was changed since, or what a later snapshot shows', () => {
    const inSales = { databaseName: 'Sales' };
    const made = change(
      1,
      'CREATE DATABASE AUDIT SPECIFICATION D FOR SERVER AUDIT Main ADD (DBCC_GROUP), ADD (BACKUP_RESTORE_GROUP) WITH (STATE = ON)',
      inSales,
    );
    const added = change(
      5,
      'ALTER DATABASE AUDIT SPECIFICATION D ADD (DBCC_GROUP) WITH (STATE = ON)',
      inSales,
    );
    const restored = (...events: StoredAuditEvent[]) => {
      const replay = replayed(made, ...events);
      replay.replaced('Sales', Date.parse(timeAt(3)));
      return ['DBCC_GROUP', 'BACKUP_RESTORE_GROUP'].map((group) => replay.of(group, 'Sales')?.is ?? null);
    };
    expect(restored()).toEqual([null, null]);
    expect(restored(added)).toEqual(['configured', null]);
    const off = change(5, 'ALTER DATABASE AUDIT SPECIFICATION D DROP (DBCC_GROUP)', inSales);
    expect(restored(off)).toEqual(['contradicted', null]);

    const replay = replayed(made);
    const about = {
      ...{ name: 'D', database: 'Sales', audit: 'Main', auditIsOn: true, isOn: true },
      actions: [],
    };
    const specifications = [{ ...about, groups: ['DBCC_GROUP'] }];
    replay.load({ databaseName: 'Sales', specifications }, { at: timeAt(5), by: 'snapshot', recordId: null });
    replay.replaced('Sales', Date.parse(timeAt(3)));
    expect(replay.of('DBCC_GROUP', 'Sales')?.is).toBe('configured');
    expect(replay.of('BACKUP_RESTORE_GROUP', 'Sales')?.is).toBe('contradicted');
  });

  it('lets another audit, which is off, change nothing', () => {
    const replay = replayed(MADE, session(5, 'disabled', 'Decoy'));

    expect(replay.of(LOGINS)).toMatchObject({ is: 'configured' });
  });

  it('keeps a group that a second specification records', () => {
    const second = change(
      1,
      `CREATE SERVER AUDIT SPECIFICATION T FOR SERVER AUDIT B ADD (${LOGINS}) WITH (STATE = ON)`,
    );
    const replay = replayed(MADE, second, change(5, 'DROP SERVER AUDIT SPECIFICATION S'));

    expect(replay.of(LOGINS)).toMatchObject({ is: 'configured', recordId: 'record-1' });
    expect(replay.of('LOGOUT_GROUP')).toMatchObject({ is: 'contradicted', recordId: 'record-5' });
  });

  it('changes nothing by a statement that was refused', () => {
    const refused = change(5, 'DROP SERVER AUDIT SPECIFICATION S', { succeeded: false });

    expect(replayed(MADE, refused).of(LOGINS)).toMatchObject({ is: 'configured' });
  });

  it('takes of a batch the statement that its record is about', () => {
    const batch =
      'ALTER SERVER AUDIT SPECIFICATION S WITH (STATE = OFF); CREATE SERVER AUDIT B TO APPLICATION_LOG';
    const replay = replayed(MADE, change(5, batch, { objectName: 'B', additional: { classType: 'A' } }));

    expect(replay.of(LOGINS)).toMatchObject({ is: 'configured' });
  });

  it('keeps the specifications of databases apart', () => {
    const made = (database: string, minute: number) =>
      change(
        minute,
        `CREATE DATABASE AUDIT SPECIFICATION D FOR SERVER AUDIT Main ADD (${LOGINS}) WITH (STATE = ON)`,
        {
          databaseName: database,
        },
      );
    const dropped = change(3, 'DROP DATABASE AUDIT SPECIFICATION D', { databaseName: 'Sales' });
    const replay = replayed(made('Sales', 1), made('Hr', 2), dropped);

    expect(replay.of(LOGINS)).toBeNull();
    expect(replay.databasesOf(LOGINS)).toEqual(['Hr']);
  });

  it('says from when on no database records a group by itself', () => {
    const inHr = (minute: number, statement: string) => change(minute, statement, { databaseName: 'Hr' });
    const made = inHr(
      2,
      `CREATE DATABASE AUDIT SPECIFICATION D FOR SERVER AUDIT Main ADD (${LOGINS}) WITH (STATE = ON)`,
    );
    const ends = {
      'its audit is off': session(5, 'disabled'),
      'it is off': inHr(5, 'ALTER DATABASE AUDIT SPECIFICATION D WITH (STATE = OFF)'),
      'it lost the group': inHr(5, `ALTER DATABASE AUDIT SPECIFICATION D DROP (${LOGINS})`),
      'it was dropped': inHr(5, 'DROP DATABASE AUDIT SPECIFICATION D'),
    };
    const told = Object.entries(ends).map(([what, end]) => {
      const replay = replayed(made, end);
      const mayBe = [4, 5, 6].map((minute) => replay.mayBeOfDatabase(LOGINS, timeAt(minute)));
      return [what, replay.databasesOf(LOGINS), mayBe];
    });
    expect(told).toEqual(Object.keys(ends).map((what) => [what, [], [true, true, false]]));
    const replay = replayed(MADE, made);
    expect([replay.databasesOf(LOGINS), replay.mayBeOfDatabase(LOGINS, timeAt(9))]).toEqual([['Hr'], true]);
    expect(replayed(MADE, session(5, 'disabled')).mayBeOfDatabase(LOGINS, timeAt(4))).toBe(false);
  });

  describe('of single actions', () => {
    const SALARY = { databaseName: 'PAY', schemaName: 'dbo', objectName: 'Salary' };
    const onPay = (minute: number, text: string) => change(minute, text, { databaseName: 'Pay' });
    const made = (actions: string, minute = 0) =>
      onPay(
        minute,
        `CREATE DATABASE AUDIT SPECIFICATION D FOR SERVER AUDIT Main ADD (${actions}) WITH (STATE = ON)`,
      );
    const ALL = 'SELECT, INSERT, UPDATE, DELETE, EXECUTE';
    const GROUP = 'SCHEMA_OBJECT_ACCESS_GROUP';

    it.each([
      [`${ALL} ON dbo.Salary BY public`, 'configured'],
      [`${ALL} ON SCHEMA::DBO BY public`, 'configured'],
      [`${ALL} ON DATABASE::Pay BY public`, 'configured'],
      [GROUP, 'configured'],
      ['SELECT ON dbo.Salary BY public', null],
      [`${ALL} ON dbo.Salary BY auditor`, null],
      [`${ALL} ON dbo.Other BY public`, null],
      [`${ALL} ON SCHEMA::hr BY public`, null],
    ])('says of an object whether %s records it', (actions, is) => {
      expect(replayed(made(actions)).ofObject(SALARY, GROUP)?.is ?? null).toBe(is);
    });

    it('record an object since the first of several specifications did, in whatever order these were made', () => {
      const salary = `${ALL} ON dbo.Salary BY public`;
      const former = made('SELECT ON dbo.Other BY public');
      const late = onPay(4, `ALTER DATABASE AUDIT SPECIFICATION D ADD (${salary})`);
      const other = (minute: number) =>
        onPay(
          minute,
          `CREATE DATABASE AUDIT SPECIFICATION E FOR SERVER AUDIT Main ADD (${salary}) WITH (STATE = ON)`,
        );

      for (const minute of [2, 6])
        expect(replayed(former, ...[other(minute), late].sort(byTime)).ofObject(SALARY, GROUP)).toMatchObject(
          {
            ...{ is: 'configured', since: timeAt(Math.min(minute, 4)) },
            recordId: `record-${Math.min(minute, 4)}`,
          },
        );
    });

    it('are read once, however many objects are asked for', () => {
      const names = Array.from({ length: 40 }, (_, i) => `T${i}`);
      const replay = replayed(
        ...names.map((name, i) =>
          onPay(i, `ALTER DATABASE AUDIT SPECIFICATION D ADD (${ALL} ON ${name} BY public)`),
        ),
        onPay(50, 'ALTER DATABASE AUDIT SPECIFICATION D WITH (STATE = ON)'),
      );
      const parse = jest.spyOn(JSON, 'parse');
      try {
        const known = names.map((objectName) => {
          const object = { ...SALARY, objectName };
          return [replay.ofObject(object, GROUP)?.is, replay.mayBeOfActions(object, Date.parse(timeAt(9)))];
        });
        expect(known).toEqual(names.map(() => ['configured', true]));
        expect(parse.mock.calls.length).toBeLessThanOrEqual(40 * 5);
      } finally {
        parse.mockRestore();
      }
    });

    it('does not take the actions on an object for those on its database', () => {
      const replay = replayed(made(`${ALL} ON dbo.Salary BY public`));

      expect(replay.ofObject({ databaseName: 'Pay', schemaName: null, objectName: null }, GROUP)).toBeNull();
      expect(replay.databases).toEqual(['Pay']);
    });

    it.each([
      ['one is taken out', 'ALTER DATABASE AUDIT SPECIFICATION D DROP (DELETE ON dbo.Salary BY public)'],
      ['the specification is off', 'ALTER DATABASE AUDIT SPECIFICATION D WITH (STATE = OFF)'],
      ['the specification is dropped', 'DROP DATABASE AUDIT SPECIFICATION D'],
    ])('names the record by which they ended: %s', (_, text) => {
      const replay = replayed(made(`${ALL} ON dbo.Salary BY public`), onPay(5, text));

      expect(replay.ofObject(SALARY, GROUP)).toMatchObject({ is: 'contradicted', recordId: 'record-5' });
    });

    it.each([
      ['SELECT ON dbo.Salary BY public', 4],
      [`${ALL} ON dbo.Salary BY auditor`, 4],
      [`${ALL} ON SCHEMA::dbo BY public`, 4],
      ['SELECT ON dbo.Other BY public', null],
      ['SELECT ON SCHEMA::hr BY public', null],
      [GROUP, null],
    ])('may have recorded an access up to their end: %s', (actions, until) => {
      const mayBe = (replay: AuditReplay, minute: number, object = SALARY) =>
        replay.mayBeOfActions(object, Date.parse(timeAt(minute)));
      const off = onPay(4, 'ALTER DATABASE AUDIT SPECIFICATION D WITH (STATE = OFF)');
      const dropped = onPay(4, 'DROP DATABASE AUDIT SPECIFICATION D');
      const taken = onPay(4, `ALTER DATABASE AUDIT SPECIFICATION D DROP (${actions})`);

      expect(mayBe(replayed(made(actions)), 9)).toBe(until !== null);
      for (const end of [off, dropped, taken]) {
        const replay = replayed(made(actions), end);
        expect([4, 5].map((minute) => mayBe(replay, minute))).toEqual([until !== null, false]);
        expect(mayBe(replay, 4, { ...SALARY, databaseName: 'Other' })).toBe(false);
      }
    });
  });

  describe('with a snapshot', () => {
    const at = { at: timeAt(3), by: 'snapshot 12ab', recordId: null };
    const main = {
      name: 'S',
      database: null,
      audit: 'Main',
      auditIsOn: true,
      isOn: true,
      groups: [LOGINS],
      actions: [],
    };
    const taken = (specifications: (typeof main)[], before = MADE, after?: StoredAuditEvent) => {
      const replay = new AuditReplay(
        (group) => group.endsWith('_GROUP'),
        (group) => group !== 'DBCC_GROUP',
      );
      replay.take(before);
      replay.load({ databaseName: 'master', specifications }, at);
      if (after) replay.take(after);
      return replay;
    };

    it('keeps what its records say too, and ends what it does not have', () => {
      const replay = taken([main]);

      expect(replay.of(LOGINS)).toMatchObject({ is: 'configured', since: timeAt(0), recordId: 'record-0' });
      expect(replay.of('LOGOUT_GROUP')).toMatchObject({
        is: 'contradicted',
        since: timeAt(3),
        by: 'snapshot 12ab',
        recordId: null,
      });
    });

    it('shows what no record names: groups of the server are there, or not', () => {
      const replay = taken([{ ...main, name: 'T', groups: ['TRACE_CHANGE_GROUP'] }]);

      expect(replay.of('TRACE_CHANGE_GROUP')).toMatchObject({ is: 'configured', since: timeAt(3) });
      expect(replay.of('USER_DEFINED_AUDIT_GROUP')).toMatchObject({ is: 'contradicted', since: timeAt(3) });
      expect(replay.of('DBCC_GROUP')).toBeNull();
    });

    it('shows audits and specifications that are off', () => {
      expect(taken([{ ...main, isOn: false }]).of(LOGINS)).toMatchObject({ is: 'contradicted' });
      expect(taken([{ ...main, auditIsOn: false }]).of(LOGINS)).toMatchObject({ is: 'contradicted' });
    });

    it('ends the stop of an audit that it shows to be on, whose start no record tells', () => {
      const off = change(2, 'ALTER SERVER AUDIT Main WITH (STATE = OFF)');
      const stopsWith = (auditIsOn: boolean) => {
        const replay = replayed(MADE, off);
        replay.load({ databaseName: 'master', specifications: [{ ...main, auditIsOn }] }, at);
        return replay.stops;
      };

      expect(stopsWith(true)).toMatchObject([{ from: timeAt(2), to: timeAt(3), recordId: 'record-2' }]);
      expect(stopsWith(false)).toMatchObject([{ from: timeAt(2), to: null }]);
    });

    it('keeps who took out, and who switched off, what it shows to be so', () => {
      const without = change(1, `ALTER SERVER AUDIT SPECIFICATION S DROP (${LOGINS})`);
      const off = change(2, 'ALTER SERVER AUDIT SPECIFICATION S WITH (STATE = OFF)');
      const replay = new AuditReplay(
        (group) => group.endsWith('_GROUP'),
        () => false,
      );
      for (const event of [MADE, without, off]) replay.take(event);
      const shown = { ...main, isOn: false, groups: ['LOGOUT_GROUP'] };
      for (const minute of [3, 4])
        replay.load({ databaseName: 'master', specifications: [shown] }, { ...at, at: timeAt(minute) });

      expect(replay.of(LOGINS)).toMatchObject({ is: 'contradicted', recordId: 'record-1' });
      expect(replay.of('LOGOUT_GROUP')).toMatchObject({ is: 'contradicted', recordId: 'record-2' });
    });

    it('is followed by later records', () => {
      const dropped = change(5, `ALTER SERVER AUDIT SPECIFICATION S DROP (${LOGINS})`);

      expect(taken([main], MADE, dropped).of(LOGINS)).toMatchObject({
        is: 'contradicted',
        recordId: 'record-5',
      });
    });
  });

  it.each([
    ['is not there', null],
    [
      'is too long to be read',
      `/*${'x'.repeat(16_384)}*/ ALTER SERVER AUDIT SPECIFICATION S WITH (STATE = ON)`,
    ],
  ])('knows nothing of a specification after a change whose statement %s', (_, statement) => {
    const hidden = { statement, objectName: 'S', additional: { classType: 'SA' } };

    expect(replayed(MADE, change(5, '', hidden)).of(LOGINS)).toBeNull();
    expect(replayed(MADE, change(5, '', { ...hidden, objectName: 'T' })).of(LOGINS)).not.toBeNull();
  });

  it('knows nothing after a batch of several statements whose record names none of them', () => {
    const one = 'ALTER SERVER AUDIT SPECIFICATION S WITH (STATE = OFF)';
    const is = (statement: string) => replayed(MADE, change(5, statement)).of(LOGINS)?.is;
    expect([is(one), is(`${one}; ${one.replace(' S ', ' T ')}`)]).toEqual(['contradicted', undefined]);
  });

  it('follows an audit to its new name', () => {
    const renamed = change(2, 'ALTER SERVER AUDIT Main MODIFY NAME = Trail');
    const off = change(5, 'ALTER SERVER AUDIT Trail WITH (STATE = OFF)');

    expect(replayed(MADE, renamed, off).of(LOGINS)).toMatchObject({
      is: 'contradicted',
      recordId: 'record-5',
    });
  });
});
