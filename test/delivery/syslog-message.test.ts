import { SYSLOG_SEVERITY, syslogMessage } from '../../src/delivery/syslog-message';

const HEAD = {
  time: '2026-01-05T08:00:00.1234567Z',
  hostName: 'SQL01',
  appName: 'audit-activity',
  messageId: 'SL',
  severity: SYSLOG_SEVERITY.informational,
};

describe('a message of syslog', () => {
  it('has the facility "log audit", and a time of six decimals at most', () => {
    expect(syslogMessage(HEAD, '{"é":1}').toString('utf8')).toBe(
      '<110>1 2026-01-05T08:00:00.123456Z SQL01 audit-activity - SL - {"é":1}',
    );
    expect(syslogMessage({ ...HEAD, time: '2026-01-05T08:00:00.123Z' }, '').toString()).toContain(
      ' 2026-01-05T08:00:00.123Z ',
    );
  });

  it.each([
    ['critical', '<106>'],
    ['error', '<107>'],
    ['warning', '<108>'],
    ['notice', '<109>'],
  ] as const)('of severity %s begins with %s', (severity, priority) => {
    expect(syslogMessage({ ...HEAD, severity: SYSLOG_SEVERITY[severity] }, '').toString()).toMatch(
      `${priority}1 `,
    );
  });

  it('names what sends on that host, where it has a name', () => {
    expect(syslogMessage({ ...HEAD, processId: 'PAY ROLL' }, '').toString()).toContain(
      ' SQL01 audit-activity PAY_ROLL SL - ',
    );
    const longest = 'p'.repeat(128);
    expect(syslogMessage({ ...HEAD, processId: `${longest}q` }, '').toString()).toContain(
      ` ${longest} SL - `,
    );
  });

  it.each([
    [null, '', '- audit-activity - - -'],
    ['SQL 01\nx]', 'a b', 'SQL_01_x] audit-activity - a_b -'],
    ['h'.repeat(300), 'm'.repeat(40), `${'h'.repeat(255)} audit-activity - ${'m'.repeat(32)} -`],
  ])('has names that its fields take: %j, %j', (hostName, messageId, fields) => {
    expect(syslogMessage({ ...HEAD, hostName, messageId }, '').toString()).toContain(`Z ${fields} `);
  });
});
