import type { FeedEvent } from './feed-item';

/** The kinds of actions that OCSF and ECS distinguish. */
export type Meaning = keyof typeof MEANINGS;

/** Each meaning in words. `ocsf.ts` and `ecs.ts` have a row for each meaning. */
const MEANINGS = {
  login: 'a login, successful or not',
  logout: 'the end of a session',
  impersonation: 'somebody acts as another principal',
  read: 'data or definitions were read',
  insert: 'rows were added',
  update: 'rows were changed',
  delete: 'rows were deleted',
  execute: 'a module was executed',
  batch: 'a batch or a remote procedure call was executed',
  accountCreation: 'a login or user was made',
  accountChange: 'a login or user was changed',
  accountDeletion: 'a login or user was removed',
  accountEnabling: 'a login was enabled',
  accountDisabling: 'a login was disabled',
  passwordChange: 'a password was changed',
  passwordReset: 'a password was reset',
  accountUnlocking: 'an account was unlocked',
  memberAddition: 'a member was added to a role',
  memberRemoval: 'a member was removed from a role',
  grant: 'a permission was granted',
  revocation: 'a permission was revoked',
  denial: 'a permission was denied',
  creation: 'an object was made',
  change: 'an object was changed',
  deletion: 'an object was removed',
  transfer: 'an object got another owner or schema',
  serverStart: 'the server was started',
  serverStop: 'the server was shut down',
  serverPause: 'the server was paused',
  serverContinuation: 'the server went on after a pause',
  backup: 'a backup was made',
  configuration: 'settings or state were changed',
  auditStart: 'an audit was started',
  auditStop: 'an audit was stopped',
  serverView: 'state of the server was read',
  other: 'anything else, and codes that are not known',
} as const;

/**
 * Codes of actions, and of groups that are written in place of actions. `CR`, `AL` and `DR` depend on the class type.
 */
const BY_ACTION: Readonly<Partial<Record<Meaning, string>>> = {
  login: 'LGIS LGIF DBAS DBAF LGB LGG LGM LGS AUTH CO LGSD LGFL DAGS DAGF LGBG LGGG LGMG LGSG',
  logout: 'LGO DBL LO DAGL',
  impersonation: 'IMP IMDP IMSP',
  read: 'SL RF VW VWCT RC SPLN VDST OP AS',
  insert: 'IN SN',
  update: 'UP',
  delete: 'DL',
  execute: 'EX',
  batch: 'BCM BST RCM RST SBC SRC BCMG BSTG SBCG',
  accountChange: 'CCLG CMLG NMLG LGDB LGLG LGNM USAF USLG PWEX PWMC PWPL MNDP MNSP',
  accountEnabling: 'LGEA',
  accountDisabling: 'LGDA',
  passwordChange: 'PWC PWCS USTC PWCG UCGP PWAR',
  passwordReset: 'PWR PWRS',
  accountUnlocking: 'PWU',
  memberAddition: 'APRL',
  memberRemoval: 'DPRL',
  grant: 'G GWG',
  revocation: 'R RWC RWG',
  denial: 'D DWC',
  transfer: 'TO TRO',
  serverStart: 'SVSR',
  serverStop: 'SVSD',
  serverPause: 'SVPD',
  serverContinuation: 'SVCN',
  backup: 'BA BAL',
  configuration: 'RS DBCC ALST ALSS ALRS ALCN ALTR ADSC DRSC ADFR DRFR ENLR ALLR ALRC CP AUSF',
  auditStart: 'AUSC TASA C2ON',
  auditStop: 'TASP C2OF',
  serverView: 'VSST',
};

const MEANING_OF: ReadonlyMap<string, Meaning> = new Map(
  Object.entries(BY_ACTION).flatMap(([meaning, codes]) =>
    codes.split(' ').map((code) => [code, meaning as Meaning] as const),
  ),
);

/** Class types of logins and users. */
const ACCOUNTS = new Set('LX US SL WL CL AL XL PL WG SU WU CU AU XU GU PU'.split(' '));
const OF_OBJECTS: ReadonlyMap<string, readonly [account: Meaning, other: Meaning]> = new Map([
  ['CR', ['accountCreation', 'creation']],
  ['AL', ['accountChange', 'change']],
  ['DR', ['accountDeletion', 'deletion']],
]);

export function meaningOf({ event }: Pick<FeedEvent, 'event'>): Meaning {
  const ofObject = OF_OBJECTS.get(event.actionId);
  if (ofObject) return ofObject[isAccount(event.additional.classType) ? 0 : 1];
  return MEANING_OF.get(event.actionId) ?? 'other';
}

const isAccount = (classType: unknown) => typeof classType === 'string' && ACCOUNTS.has(classType.trim());
