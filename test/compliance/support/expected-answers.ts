/**
 * What each control of each framework must answer for the known history, written by hand from what the control asks:
 * the letters are of PAY01, then of WEB01, each at the moments of `MOMENTS` in their order. p: pass; f: fail; u: unknown;
 * n: not applicable.
 */
export const MOMENTS = {
  /** Log-ons came, and no audit is known. */
  beforeAll: 620,
  recording: 550,
  /** FAILED_LOGIN_GROUP was taken out. */
  withoutLogins: 420,
  recordingAgain: 300,
  inTheGap: 195,
  /** SCHEMA_OBJECT_ACCESS_GROUP is recorded in the database Payroll only. */
  withoutAccess: 120,
  standingStill: 49,
  now: 0,
} as const;

const NOT_IN_THE_TRAIL = 'uuuuuuuu uuuuuuuu';
/** The log was verified between the changes of log-ons, and again before the end, when an event was missing. */
const VERIFIED = 'uuuppppf uuuppppf';
/** Groups of the server, which PAY01 records but for the gap and the stop. */
const CHANGES = 'upppfpfp uuuuuuuu';
const WITH_FAILED_LOGINS = 'upfpfpfp uuuuuuuu';
const WITH_ACCESS = 'upppffff uuuuuuuu';
const WITH_BOTH = 'upfpffff uuuuuuuu';
/** Log-ons were seen before any audit was known, and only the server's specification can record them. */
const LOGONS_ALONE = 'ppppfpfp pppppppp';
/** The gap and the stop are within thirty days. The agent of WEB01 is silent now. */
const RUNS = 'ppppffff pppppppu';
/** The same login read audit files on WEB01, 100 hours before the end. Accesses to objects must be recorded too. */
const PROTECTED = 'uuupffff uuuuuuff';
const READERS = 'upffffff uuuuuuff';
/** Somebody else took a group out, 480 hours before the end. */
const AUDITORS = 'upffffff uuuuuuuu';
/** sqlcmd logged on. */
const APPLICATIONS = 'ppppffff pppppppp';
const STARTS = 'uuuufppp uuufffff';
const DETAIL = 'pppppppp pppppppp';
const DETAIL_WITH_ADDRESS = 'pppppppp pppfffff';
const SENSITIVE = 'upppfpfp nnnnnnnn';
const REVIEWED = 'uuuppfff uuuuuuuu';
const FAILURES_ANSWERED = 'uuuuuppp uuuuuuuu';
const FAILURES_TOLD = 'uuuufppp uuuuuuuu';
const CLOCKS = 'ppppppff pppppppp';
const RETENTION = 'uuuuuuup uuuuuuuu';
const OFF_LOAD = 'uuuuuuup uuuuuuuf';

export const EXPECTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'stig-2022': {
    'SQLI-22-004000': NOT_IN_THE_TRAIL,
    'SQLI-22-004100': NOT_IN_THE_TRAIL,
    'SQLI-22-004200': NOT_IN_THE_TRAIL,
    'SQLI-22-004250': NOT_IN_THE_TRAIL,
    'SQLI-22-004300': RUNS,
    'SQLI-22-004400': AUDITORS,
    'SQLI-22-004600': WITH_ACCESS,
    'SQLI-22-004700': STARTS,
    'SQLI-22-005500': DETAIL_WITH_ADDRESS,
    'SQLI-22-005900': PROTECTED,
    'SQLI-22-006300': READERS,
    'SQLI-22-010900': NOT_IN_THE_TRAIL,
    'SQLI-22-011000': NOT_IN_THE_TRAIL,
    'SQLI-22-011100': FAILURES_TOLD,
    'SQLI-22-011200': CLOCKS,
    'SQLI-22-011800': CHANGES,
    'SQLI-22-013800': CHANGES,
    'SQLI-22-014800': WITH_FAILED_LOGINS,
    'SQLI-22-015500': APPLICATIONS,
    'SQLI-22-015900': OFF_LOAD,
  },
  'stig-2016': {
    'SQL6-D0-004000': NOT_IN_THE_TRAIL,
    'SQL6-D0-004100': NOT_IN_THE_TRAIL,
    'SQL6-D0-004200': NOT_IN_THE_TRAIL,
    'SQL6-D0-004300': RUNS,
    'SQL6-D0-004400': AUDITORS,
    'SQL6-D0-004600': WITH_ACCESS,
    'SQL6-D0-004700': STARTS,
    // This version does not write the address.
    'SQL6-D0-005500': DETAIL,
    'SQL6-D0-005600': NOT_IN_THE_TRAIL,
    'SQL6-D0-005700': NOT_IN_THE_TRAIL,
    'SQL6-D0-005900': PROTECTED,
    'SQL6-D0-006300': READERS,
    'SQL6-D0-010900': NOT_IN_THE_TRAIL,
    'SQL6-D0-011000': NOT_IN_THE_TRAIL,
    'SQL6-D0-011100': FAILURES_TOLD,
    'SQL6-D0-011200': CLOCKS,
    'SQL6-D0-011800': CHANGES,
    'SQL6-D0-012900': WITH_ACCESS,
    'SQL6-D0-013200': SENSITIVE,
    'SQL6-D0-013400': CHANGES,
    'SQL6-D0-013600': CHANGES,
    'SQL6-D0-013800': CHANGES,
    'SQL6-D0-014000': SENSITIVE,
    'SQL6-D0-014200': CHANGES,
    'SQL6-D0-014400': CHANGES,
    'SQL6-D0-014600': SENSITIVE,
    'SQL6-D0-014800': WITH_FAILED_LOGINS,
    'SQL6-D0-014900': WITH_BOTH,
    'SQL6-D0-015000': WITH_BOTH,
    'SQL6-D0-015100': CHANGES,
    'SQL6-D0-015200': LOGONS_ALONE,
    'SQL6-D0-015400': WITH_ACCESS,
    'SQL6-D0-015500': APPLICATIONS,
    'SQL6-D0-015900': OFF_LOAD,
  },
  cis: {
    '5.1': NOT_IN_THE_TRAIL,
    '5.2': NOT_IN_THE_TRAIL,
    '5.3': NOT_IN_THE_TRAIL,
    '5.4': WITH_FAILED_LOGINS,
  },
  'pci-dss': {
    '10.1.1': NOT_IN_THE_TRAIL,
    '10.1.2': NOT_IN_THE_TRAIL,
    '10.2.1': RUNS,
    '10.2.1.1': SENSITIVE,
    '10.2.1.2': WITH_BOTH,
    '10.2.1.3': WITH_ACCESS,
    '10.2.1.4': WITH_BOTH,
    '10.2.1.5': CHANGES,
    '10.2.1.6': CHANGES,
    '10.2.1.7': CHANGES,
    '10.2.2': DETAIL_WITH_ADDRESS,
    '10.3.1': NOT_IN_THE_TRAIL,
    '10.3.2': VERIFIED,
    '10.3.3': OFF_LOAD,
    '10.3.4': VERIFIED,
    '10.4.1': REVIEWED,
    '10.4.1.1': NOT_IN_THE_TRAIL,
    '10.4.2': REVIEWED,
    '10.4.2.1': NOT_IN_THE_TRAIL,
    '10.4.3': REVIEWED,
    '10.5.1': RETENTION,
    '10.6.1': CLOCKS,
    '10.6.2': NOT_IN_THE_TRAIL,
    '10.6.3': NOT_IN_THE_TRAIL,
    '10.7.2': FAILURES_TOLD,
    '10.7.3': FAILURES_ANSWERED,
  },
  hipaa: {
    '164.308(a)(1)(ii)(D)': REVIEWED,
    '164.308(a)(5)(ii)(C)': WITH_FAILED_LOGINS,
    '164.312(b)': SENSITIVE,
  },
  'iso-27001': {
    'A.5.33': VERIFIED,
    'A.8.2': CHANGES,
    'A.8.15': RUNS,
    'A.8.16': REVIEWED,
    'A.8.17': CLOCKS,
  },
  'nist-800-53': {
    'AC-2 (4)': CHANGES,
    'AC-6 (9)': CHANGES,
    'AU-2': NOT_IN_THE_TRAIL,
    'AU-3': DETAIL_WITH_ADDRESS,
    'AU-3 (1)': DETAIL_WITH_ADDRESS,
    'AU-4': NOT_IN_THE_TRAIL,
    'AU-4 (1)': OFF_LOAD,
    'AU-5': FAILURES_TOLD,
    'AU-5 b': NOT_IN_THE_TRAIL,
    'AU-5 (1)': NOT_IN_THE_TRAIL,
    'AU-5 (2)': FAILURES_TOLD,
    'AU-6': REVIEWED,
    'AU-8': CLOCKS,
    'AU-8 b': CLOCKS,
    'AU-9': PROTECTED,
    'AU-10': NOT_IN_THE_TRAIL,
    'AU-11': NOT_IN_THE_TRAIL,
    'AU-12': RUNS,
    'AU-12 a': RUNS,
    'AU-12 b': AUDITORS,
    'AU-12 c': WITH_BOTH,
    'AU-14 (1)': STARTS,
    'CM-5': NOT_IN_THE_TRAIL,
    'CM-5 (1)': CHANGES,
  },
};
