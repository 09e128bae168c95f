import { like } from './like';

const EACH = ['command1', 'replacechar', 'command2', 'command3'];
const AROUND = ['precommand', 'postcommand'];
/** The parameters of procedures that may be called by name in any order, in the order of the procedure. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  sp_configure: ['configname', 'configvalue'],
  sp_addrolemember: ['rolename', 'membername'],
  sp_addsrvrolemember: ['loginame', 'rolename'],
  sp_dropsrvrolemember: ['loginame', 'rolename'],
  sp_procoption: ['procname', 'optionname', 'optionvalue'],
  sp_password: ['old', 'new', 'loginame'],
  sp_addumpdevice: ['devtype', 'logicalname', 'physicalname'],
  sp_serveroption: ['server', 'optname', 'optvalue'],
  sp_addlinkedserver: ['server', 'srvproduct', 'provider', 'datasrc'],
  sp_changedbowner: ['loginame'],
  sp_change_users_login: ['action', 'usernamepattern', 'loginname', 'password'],
  sp_trace_setstatus: ['traceid', 'status'],
  sp_executesql: ['stmt', 'params'],
  sp_execute_remote: ['data_source_name', 'stmt', 'params'],
  sp_msforeachtable: [...EACH, 'whereand', ...AROUND],
  sp_msforeachdb: [...EACH, ...AROUND],
  sp_msforeach_worker: EACH,
};

export const parametersOf = (procedure: string): readonly string[] | null =>
  Object.hasOwn(PARAMETERS, procedure) ? (PARAMETERS[procedure] ?? null) : null;

/** Procedures whose arguments, by their places, are executed as statements. */
const EXECUTING: Readonly<Record<string, readonly number[]>> = {
  sp_executesql: [0],
  sp_execute_remote: [1],
  sp_sqlexec: [0],
  sp_execresultset: [0],
  xp_execresultset: [0],
  sp_prepexec: [2],
  sp_prepexecrpc: [1],
  sp_prepare: [2],
  sp_cursoropen: [1],
  sp_cursorprepare: [2],
  sp_cursorprepexec: [3],
  sp_msforeachtable: [0, 2, 3, 5, 6],
  sp_msforeachdb: [0, 2, 3, 4, 5],
  sp_msforeach_worker: [0, 2, 3],
};
/** The places of the arguments that the procedure executes. */
export const executedPlaces = (procedure: string): readonly number[] =>
  Object.hasOwn(EXECUTING, procedure) ? (EXECUTING[procedure] ?? NO_PLACES) : NO_PLACES;
const NO_PLACES: readonly number[] = [];

/** The options of sp_configure. */
const OPTIONS = [
  ...['access check cache bucket count', 'access check cache quota', 'Ad Hoc Distributed Queries'],
  ...['ADR cleaner retry timeout (min)', 'ADR Cleaner Thread Count', 'ADR Preallocation Factor'],
  ...['affinity I/O mask', 'affinity mask', 'affinity64 I/O mask', 'affinity64 mask', 'Agent XPs'],
  ...[
    'allow filesystem enumeration',
    'allow polybase export',
    'allow updates',
    'automatic soft-NUMA disabled',
  ],
  ...['backup checksum default', 'backup compression algorithm', 'backup compression default'],
  ...['blocked process threshold (s)', 'c2 audit mode', 'clr enabled', 'clr strict security'],
  ...['column encryption enclave type', 'common criteria compliance enabled'],
  ...['contained database authentication', 'cost threshold for parallelism', 'cross db ownership chaining'],
  ...[
    'cursor threshold',
    'Data processed daily limit in TB',
    'Database Mail XPs',
    'default full-text language',
  ],
  ...['default language', 'default trace enabled', 'disallow results from triggers', 'EKM provider enabled'],
  ...['external rest endpoint enabled', 'external scripts enabled', 'external xtp dll gen util enabled'],
  ...['filestream access level', 'fill factor (%)', 'ft crawl bandwidth (max)', 'ft crawl bandwidth (min)'],
  ...[
    'ft notify bandwidth (max)',
    'ft notify bandwidth (min)',
    'hadoop connectivity',
    'hardware offload enabled',
  ],
  ...['in-doubt xact resolution', 'index create memory (KB)', 'lightweight pooling', 'locks'],
  ...['max degree of parallelism', 'max full-text crawl range', 'max server memory (MB)'],
  ...['max text repl size (B)', 'max UCS send boxcars', 'max worker threads', 'media retention'],
  ...['min memory per query (KB)', 'min server memory (MB)', 'nested triggers', 'network packet size (B)'],
  ...['Ole Automation Procedures', 'open objects', 'openrowset auto_create_statistics'],
  ...['optimize for ad hoc workloads', 'PH timeout (s)', 'polybase enabled', 'polybase network encryption'],
  ...['precompute rank', 'priority boost', 'query governor cost limit', 'query wait (s)'],
  ...['recovery interval (min)', 'remote access', 'remote admin connections', 'remote data archive'],
  ...['remote login timeout (s)', 'remote proc trans', 'remote query timeout (s)', 'Replication XPs'],
  ...['scan for startup procs', 'server trigger recursion', 'set working set size', 'show advanced options'],
  ...[
    'SMO and DMO XPs',
    'SQL Mail XPs',
    'suppress recovery model errors',
    'tempdb metadata memory-optimized',
  ],
  ...['transform noise words', 'two digit year cutoff', 'user connections', 'user instance timeout'],
  ...[
    'user instances enabled',
    'user options',
    'version high part of SQL Server',
    'Web Assistant Procedures',
  ],
  'xp_cmdshell',
].map((name) => ({ name, key: name.toLowerCase() }));

/** The options that sp_configure may mean: it takes a part of a name, as LIKE does. A name that no option has stays. */
export function optionsOf(given: string): readonly string[] {
  const key = given.trim().toLowerCase();
  const whole = OPTIONS.filter((one) => one.key === key);
  const isPart = like(`%${key}%`);
  const found = whole.length > 0 ? whole : OPTIONS.filter((one) => isPart(one.key));
  return found.length > 0 && key !== '' ? found.map(({ name }) => name) : [given];
}

const SYSTEM_NAMES = /\b[sx]p_\w{1,125}/gi;
/** Those that attackers look for in lists of objects. */
const SOUGHT = [
  ...['xp_cmdshell', 'xp_dirtree', 'xp_regwrite', 'sp_OACreate', 'sp_execute_external_script'],
  ...['sp_addsrvrolemember', 'sp_addextendedproc', 'sp_procoption'],
];
const NAMES_MAX = 10;

/** Those of them whose parts stand in texts one after the other: `'xp_cmd'` and `'shell'`. */
export const partedNames = (texts: readonly string[]): readonly string[] => {
  const joined = texts.join('').toLowerCase();
  const names = SOUGHT.filter((name) => joined.includes(name.toLowerCase()));
  return names.filter((name) => !texts.some((text) => text.toLowerCase().includes(name.toLowerCase())));
};

/** System procedures that texts name, or whose names fit to a text as LIKE has it: `xp[_]cmd%`. */
export const namesIn = (texts: readonly string[]): string[] =>
  texts
    .flatMap((text) => {
      if (!/^[sx]p.*%/i.test(text)) return text.match(SYSTEM_NAMES) ?? [];
      const fits = like(text.toLowerCase());
      return SOUGHT.filter((name) => fits(name.toLowerCase()));
    })
    .slice(0, NAMES_MAX);
