import { formatTicks } from '../../src/event/event-time';
import type { DetectionEvent } from '../../src/rules/event';
import { Random, Weighted } from './random';
import { Statements } from './statements';
import { type TenantProfile, tenantProfile } from './tenants';

const US_PER_MS = 1_000;
const TICKS_PER_MS = 10_000n;
const INSTANCE = 'SQL01\\PROD';
/** The weight of each hour, UTC: offices work by day, loads and backups run by night. */
const BY_HOUR = [3, 2, 6, 2, 2, 2, 3, 6, 12, 16, 16, 15, 11, 14, 16, 15, 13, 9, 6, 5, 4, 4, 3, 3];
const ACTIONS = { SL: 42, EX: 14, LGIS: 13, LGO: 13, UP: 8, IN: 7, DL: 1.5, VSST: 1, VDST: 0.5 };
/** A report reads some ten thousand rows, a page of an application some dozens. */
const ROWS_USUAL = 40;
const ROWS_REPORT = 20_000;

interface Pick {
  readonly actionId: string;
  /** The index of the login. */
  readonly login: number;
  readonly rows: number;
}
interface Made {
  readonly atMs: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly additional?: Readonly<Record<string, string | number>>;
}

/**
 * A day of one busy server with 200 logins and 20 databases, without an attack: applications, people, loads, backups,
 * a deployment, the daily work of administrators, and the usual failed logins.
 */
export class ServerDay {
  readonly #profile: TenantProfile = tenantProfile(0);
  readonly #random: Random;
  readonly #statements: Statements;
  readonly #hours = new Weighted(BY_HOUR);
  readonly #actions = new Weighted(Object.values(ACTIONS));
  readonly #names = Object.keys(ACTIONS);
  readonly #logins = this.#profile.logins.map(({ name, database, json }) => ({
    who: JSON.parse(`{${json}}`) as Readonly<Record<string, string>>,
    isReporting: name.includes('reporting'),
    databaseName: this.#profile.databases[database] ?? 'Sales',
  }));
  #count = 0;

  /** @param startMs midnight, UTC */
  constructor(
    private readonly startMs: number,
    private readonly events: number,
    /** The number of the day: 0 is the day itself, and the others come before it. */
    private readonly day: number,
  ) {
    this.#random = new Random(4_711, day);
    this.#statements = new Statements(new Random(77, 0));
  }

  /** All events in the order of time. */
  *all(): Generator<DetectionEvent> {
    const chores = this.#chores().sort((a, b) => a.atMs - b.atMs);
    let next = 0;
    for (let n = 0; n < this.events; n++) {
      const atMs = this.#timeAt(n / this.events);
      for (let chore = chores[next]; chore && chore.atMs <= atMs; chore = chores[++next])
        yield this.#event(chore);
      yield this.#event(this.#made(atMs, this.#pick()));
    }
    for (const chore of chores.slice(next)) yield this.#event(chore);
  }

  #timeAt(quantile: number): number {
    const hour = this.#hours.at(quantile);
    return this.startMs + Math.floor((hour + this.#hours.within(hour, quantile)) * 3_600_000);
  }

  #event({ atMs, fields, additional = {} }: Made): DetectionEvent {
    const position = this.#count++;
    return {
      recordId: `00000000-0000-8000-8000-${position.toString(16).padStart(12, '0')}`,
      at: atMs * US_PER_MS + (position % US_PER_MS),
      position,
      fields: {
        succeeded: true,
        serverInstanceName: INSTANCE,
        schemaName: 'dbo',
        databasePrincipalName: 'dbo',
        ...fields,
        eventTime: formatTicks(BigInt(atMs) * TICKS_PER_MS),
      },
      additional: {
        classType: 'U',
        sessionId: 50 + (position % 400),
        transactionId: position,
        ...additional,
      },
    };
  }

  /**
   * The part of a day that baselines use: for each login, action and window, one event with the sum of its rows. The
   * events are in the order of time, except for chores, which come last.
   */
  *summary(windowMs: number): Generator<DetectionEvent> {
    let [window, sums] = [0, new Map<string, { pick: Pick; rows: number }>()];
    const flush = (atMs: number) =>
      [...sums.values()].map(({ pick, rows }) => this.#event(this.#made(atMs, { ...pick, rows })));
    for (let n = 0; n < this.events; n++) {
      const atMs = this.#timeAt(n / this.events);
      const at = Math.floor(atMs / windowMs);
      if (at !== window) {
        yield* flush(window * windowMs);
        [window, sums] = [at, new Map()];
      }
      const pick = this.#pick();
      const key = `${pick.actionId} ${pick.login}`;
      const known = sums.get(key);
      if (known) known.rows += pick.rows;
      else sums.set(key, { pick, rows: pick.rows });
    }
    yield* flush(window * windowMs);
    for (const chore of this.#chores()) yield this.#event(chore);
  }

  /** One of the common events, of which there are millions. */
  #pick(): Pick {
    const random = this.#random;
    const actionId = this.#names[this.#actions.pick(random)] ?? 'SL';
    const login = this.#profile.loginFrequency.pick(random);
    const isReport = actionId === 'SL' && this.#logins[login]?.isReporting === true && random.below(50) === 0;
    return {
      actionId,
      login,
      rows: Math.floor((isReport ? ROWS_REPORT : ROWS_USUAL) * (0.2 + random.next() * 1.6)),
    };
  }

  #made(atMs: number, { actionId, login, rows }: Pick): Made {
    const { who, databaseName } = this.#logins[login] ?? { who: {}, databaseName: 'Sales' };
    if (actionId === 'LGIS' || actionId === 'LGO') {
      const fields = {
        ...who,
        actionId,
        databaseName: 'master',
        schemaName: '',
        objectName: '',
        statement: '',
      };
      return { atMs, fields, additional: { classType: 'LX' } };
    }
    const { text, table } = this.#statements.of(actionId, this.#random);
    const statement = JSON.parse(`"${text}"`) as string;
    const counted = actionId === 'SL' ? { responseRows: rows } : { affectedRows: 1 + Math.floor(rows / 10) };
    return {
      atMs,
      fields: { ...who, actionId, databaseName, objectName: table, statement },
      additional: counted,
    };
  }

  #chores(): Made[] {
    const at = (hours: number) => this.startMs + Math.floor(hours * 3_600_000);
    return [
      ...this.#failedLogins(),
      ...this.#backups(at(1)),
      ...this.#load(at(2.5)),
      ...this.#deployment(at(15.5)),
      ...this.#administration(at(9.2)),
      ...(this.day === 0 ? this.#largeReads(at(10)) : []),
    ];
  }

  /** People mistype, and a service whose password has run out tries every ten minutes. */
  #failedLogins(): Made[] {
    const failed = (atMs: number, login: string, clientIp: string): Made => ({
      atMs,
      fields: {
        actionId: 'LGIF',
        succeeded: false,
        serverPrincipalName: login,
        clientIp,
        databaseName: 'master',
        applicationName: '.Net SqlClient Data Provider',
        hostName: 'APP-0-3',
        objectName: '',
        schemaName: '',
        statement:
          `Login failed for user '${login}'. Reason: Password did not match that for the login provided. ` +
          `[CLIENT: ${clientIp}]`,
      },
      additional: { classType: 'LX' },
    });
    const people = Array.from({ length: 120 }, () => {
      const n = 12 + this.#random.below(180);
      const atMs = this.#timeAt(this.#random.next());
      const tries = 1 + this.#random.below(3);
      const address = `10.0.${n % 16}.${1 + (n % 250)}`;
      return Array.from({ length: tries }, (_, i) => failed(atMs + i * 7_000, `CORP0\\user${n}`, address));
    }).flat();
    const service = Array.from({ length: 144 }, (_, n) =>
      failed(this.startMs + n * 600_000, 'svc_old_export', '10.0.3.77'),
    );
    return [...people, ...service];
  }

  #by(login: string, fields: Readonly<Record<string, unknown>>, classType: string, atMs: number): Made {
    const usual = {
      serverPrincipalName: login,
      applicationName: 'SQLAgent - TSQL JobStep',
      hostName: 'SQL01',
      clientIp: 'local machine',
      objectName: '',
      statement: '',
    };
    return { atMs, fields: { ...usual, ...fields }, additional: { classType } };
  }

  #backups(atMs: number): Made[] {
    return this.#profile.databases.map((name, n) =>
      this.#by(
        'svc_backup',
        {
          actionId: 'BA',
          databaseName: name,
          objectName: name,
          statement: `BACKUP DATABASE [${name}] TO DISK = N'E:\\backup\\${name}.bak' WITH COMPRESSION`,
        },
        'DB',
        atMs + n * 90_000,
      ),
    );
  }

  /** Staging tables emptied and filled, indexes rebuilt, temporary tables dropped. */
  #load(atMs: number): Made[] {
    const staging = ['Orders', 'Stock', 'Prices'].map((table, n) =>
      this.#by(
        'svc_load',
        {
          actionId: 'DL',
          databaseName: 'Staging',
          objectName: table,
          statement: `TRUNCATE TABLE [dbo].[${table}]`,
        },
        'U',
        atMs + n * 300_000,
      ),
    );
    const temporary = Array.from({ length: 400 }, (_, n) =>
      this.#by(
        'svc_load',
        {
          actionId: 'DR',
          databaseName: 'tempdb',
          objectName: `#part${n}`,
          statement: `DROP TABLE #part${n}`,
        },
        'U',
        atMs + 900_000 + n * 2_000,
      ),
    );
    const indexes = Array.from({ length: 200 }, (_, n) =>
      this.#by(
        'svc_maintenance',
        {
          actionId: 'AL',
          databaseName: 'Sales',
          objectName: `Table${n}`,
          statement: `ALTER INDEX ALL ON [dbo].[Table${n}] REBUILD WITH (ONLINE = ON)`,
        },
        'U',
        atMs + 3_600_000 + n * 5_000,
      ),
    );
    return [...staging, ...temporary, ...indexes];
  }

  /** Now and then a person looks at a whole table. */
  #largeReads(atMs: number): Made[] {
    return [40, 77, 131].map((n, i) => {
      const who = { applicationName: 'Microsoft SQL Server Management Studio', clientIp: `10.0.5.${n}` };
      const statement = 'SELECT * FROM [dbo].[Ledger]';
      const fields = { ...who, actionId: 'SL', databaseName: 'Finance', objectName: 'Ledger', statement };
      const made = this.#by(`CORP0\\user${n}`, fields, 'U', atMs + i * 7_000_000);
      return { ...made, additional: { classType: 'U', responseRows: 400_000 } };
    });
  }

  /** A release of an application: tables, procedures and a role for its new reports. */
  #deployment(atMs: number): Made[] {
    const who = {
      applicationName: 'sqlpackage',
      hostName: 'BUILD-1',
      clientIp: '10.0.1.9',
      databaseName: 'Sales',
    };
    const step = (n: number, actionId: string, classType: string, objectName: string, statement: string) =>
      this.#by('CORP0\\svc_deploy', { ...who, actionId, objectName, statement }, classType, atMs + n * 3_000);
    return [
      ...Array.from({ length: 30 }, (_, n) =>
        step(n, 'AL', 'U', `Table${n}`, `ALTER TABLE [dbo].[Table${n}] ADD [Note2] nvarchar(200) NULL`),
      ),
      ...Array.from({ length: 40 }, (_, n) =>
        step(
          30 + n,
          'AL',
          'P',
          `usp_Table${n}_Get`,
          `ALTER PROCEDURE [dbo].[usp_Table${n}_Get] @Id int AS SELECT 1`,
        ),
      ),
      step(80, 'DR', 'U', 'Orders_old', 'DROP TABLE [dbo].[Orders_old]'),
      step(81, 'APRL', 'RL', 'db_datareader', 'ALTER ROLE [db_datareader] ADD MEMBER [svc_reports]'),
    ];
  }

  /** The daily work of the administrators of a busy server. */
  #administration(atMs: number): Made[] {
    const who = {
      applicationName: 'Microsoft SQL Server Management Studio',
      hostName: 'ADM-1',
      clientIp: '10.0.0.5',
      databaseName: 'master',
    };
    const step = (n: number, actionId: string, classType: string, objectName: string, statement: string) =>
      this.#by('CORP0\\dba1', { ...who, actionId, objectName, statement }, classType, atMs + n * 60_000);
    const only = [
      step(5, 'CR', 'WL', 'CORP0\\newcomer', 'CREATE LOGIN [CORP0\\newcomer] FROM WINDOWS'),
      step(6, 'PWR', 'SL', 'app_portal', "ALTER LOGIN [app_portal] WITH PASSWORD = '******'"),
      step(
        20,
        'EX',
        'X',
        'sp_update_job',
        "EXEC msdb.dbo.sp_update_job @job_name = N'Nightly load', @enabled = 1",
      ),
    ];
    return [
      step(0, 'LGIS', 'LX', '', ''),
      ...(this.day === 0 ? [...only, ...this.#newcomer(atMs)] : []),
      ...Array.from({ length: 60 }, (_, n) =>
        step(30 + n, 'VSST', 'SR', '', 'SELECT * FROM sys.dm_os_wait_stats ORDER BY wait_time_ms DESC'),
      ),
    ];
  }

  #newcomer(atMs: number): Made[] {
    const fields = { actionId: 'LGIS', hostName: 'WKS-0-77', clientIp: '10.0.2.77', databaseName: 'master' };
    return [this.#by('CORP0\\newcomer', fields, 'LX', atMs + 3_600_000)];
  }
}
