import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileBeside } from './compile-beside.mjs';

const WRITER = 'test/agent/sqlaudit/support/sqlaudit-writer';
/** The sample file whose description of the columns is used. */
const MODEL = 'test/fixtures/sqlaudit/schema-2022';
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const EVENTS_PER_BLOCK = 50;

/** The usual activities of programs and people: how frequent each is, and its audit record. */
const ACTIVITIES = [
  [9, app('SL', 'dbo', 'Employee', "SELECT Name, Salary FROM dbo.Employee WHERE Id = '#'")],
  [5, app('UP', 'dbo', 'Timesheet', 'UPDATE dbo.Timesheet SET Hours = 8 WHERE EmployeeId = #')],
  [3, app('IN', 'dbo', 'Payslip', 'INSERT INTO dbo.Payslip (EmployeeId, Amount) VALUES (#, 3120.50)')],
  [2, app('EX', 'dbo', 'CloseMonth', 'EXEC dbo.CloseMonth @department = #')],
  [2, person('CORP\\alice', 'SL', 'reporting', 'SalaryHistory', 'SELECT * FROM reporting.SalaryHistory')],
  [1, person('CORP\\bob', 'DL', 'dbo', 'Timesheet', 'DELETE FROM dbo.Timesheet WHERE EmployeeId = #')],
  [1, person('CORP\\bob', 'SL', 'dbo', 'Salary', 'SELECT * FROM dbo.Salary', false)],
  [2, login('LGIS', 'CORP\\alice', '10.20.0.17')],
  [1, login('LGO', 'CORP\\alice', '10.20.0.17')],
];
/** The attack to find: somebody guesses a password, logs in, and takes more rights. */
const STORY = [
  ...Array.from({ length: 24 }, () => login('LGIF', 'sa', '203.0.113.66', false)),
  login('LGIS', 'sa', '203.0.113.66'),
  person('sa', 'G', 'dbo', 'Salary', 'GRANT SELECT ON dbo.Salary TO [guest]'),
  person('sa', 'SL', 'dbo', 'Salary', 'SELECT Name, Salary FROM dbo.Salary ORDER BY Salary DESC'),
];
const STORY_MINUTES_AGO = 170;

/**
 * Writes an audit file with generated events of the last day, as SQL Server 2022 would. The newest is a minute or two old.
 * @param work an empty folder to compile the writer in
 */
export async function writeLastDay({ root, work, folder, audit, server }) {
  await compileBeside({ root, folder: work, patterns: [`${WRITER.replace(/[^/]*$/, '*')}.ts`] });
  const { AuditFileWriter, filetime } = createRequire(join(work, 'x'))(join(work, WRITER));
  const [model] = readdirSync(join(root, MODEL)).filter((name) => name.endsWith('.sqlaudit'));
  const writer = AuditFileWriter.from(readFileSync(join(root, MODEL, model)));
  const rows = rowsUntil(Date.now() - 2 * MINUTE_MS, server);
  const blocks = [];
  for (let at = 0; at < rows.length; at += EVENTS_PER_BLOCK)
    blocks.push(rows.slice(at, at + EVENTS_PER_BLOCK));
  const guid = guidOf(`${audit} ${rows[0].event_time}`);
  mkdirSync(folder, { recursive: true });
  const name = `${audit}_${guidOf(audit).toUpperCase()}_0_${filetime(rows[0].event_time)}.sqlaudit`;
  writeFileSync(join(folder, name), writer.file(guid, blocks));
}

/** The events in order of time, more by day than by night in the local time zone. */
function rowsUntil(endMs, server) {
  const rows = [];
  const bag = ACTIVITIES.flatMap(([weight, activity]) => Array(weight).fill(activity));
  for (let minute = DAY_MINUTES - 5; minute >= 0; minute--) {
    // Each event has a random time in the first half of its minute, as with people.
    const atMs = endMs - minute * MINUTE_MS + ((minute * 7_919) % (MINUTE_MS / 2));
    const hour = new Date(atMs).getHours();
    const every = hour >= 8 && hour < 18 ? 1 : 5;
    // 7 and the number of activities have no common divisor, so all activities occur.
    if (minute % every === 0) rows.push(rowOf(bag[(minute * 7) % bag.length], atMs, minute, server));
    if (minute !== STORY_MINUTES_AGO) continue;
    for (const [i, activity] of STORY.entries()) {
      rows.push(rowOf(activity, atMs + MINUTE_MS / 2 + 1_000 * i, i, server));
    }
  }
  return rows;
}

const rowOf = (activity, atMs, number, server) => ({
  ...activity,
  event_time: new Date(atMs).toISOString().replace('Z', `${String(number % 10_000).padStart(4, '0')}Z`),
  sequence_number: 1,
  session_id: 51 + (number % 40),
  object_id: activity.object_name ? 100_000 + activity.object_name.length : 0,
  transaction_id: 1_000_000 + number,
  server_instance_name: server,
  session_server_principal_name: activity.server_principal_name,
  statement: activity.statement.replace('#', String(1000 + ((number * 37) % 900))),
});

function app(actionId, schema, object, statement) {
  const who = { server_principal_name: 'CORP\\svc_payroll', database_principal_name: 'payroll_app' };
  return {
    ...access(actionId, schema, object, statement),
    ...who,
    application_name: 'PayrollWeb',
    host_name: 'APP01',
    client_ip: '10.20.0.5',
  };
}

function person(name, actionId, schema, object, statement, succeeded = true) {
  const who = { server_principal_name: name, database_principal_name: 'dbo', succeeded };
  const where = {
    application_name: 'Microsoft SQL Server Management Studio',
    host_name: 'WS-0417',
    client_ip: '10.20.0.17',
  };
  return { ...access(actionId, schema, object, statement), ...who, ...where };
}

function access(action_id, schema_name, object_name, statement) {
  return {
    action_id,
    class_type: 'U',
    succeeded: true,
    database_name: 'HumanResources',
    schema_name,
    object_name,
    statement,
  };
}

function login(action_id, server_principal_name, client_ip, succeeded = true) {
  const at = { database_name: 'master', application_name: 'sqlcmd', client_ip };
  return { action_id, class_type: 'LX', succeeded, server_principal_name, ...at, statement: '' };
}

function guidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
