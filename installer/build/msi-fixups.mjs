import { PRODUCT } from './paths.mjs';

/** Bits of `CustomAction.Type`. */
const DLL = 1;
const SET_PROPERTY = 51;
const CONTINUE = 0x40;
const ROLLBACK = 0x100;
const COMMIT = 0x200;
const IN_SCRIPT = 0x400;
const NO_IMPERSONATION = 0x800;
const HIDE_TARGET = 0x2000;
const AS_SYSTEM = DLL + IN_SCRIPT + NO_IMPERSONATION;

/** The full type of each custom action, of which wixl writes only a part. */
export const ACTION_TYPES = {
  SetReinstallMode: SET_PROPERTY,
  SetReinstall: SET_PROPERTY,
  CheckProperties: DLL,
  // Its text contains the key.
  SetWriteConfig: SET_PROPERTY + HIDE_TARGET,
  SetRollbackConfig: SET_PROPERTY,
  SetCommitConfig: SET_PROPERTY,
  SetKeepConfig: SET_PROPERTY,
  SetConfigureService: SET_PROPERTY,
  SetWaitRunning: SET_PROPERTY,
  SetPurgeState: SET_PROPERTY,
  StopAgent: AS_SYSTEM + CONTINUE,
  PurgeState: AS_SYSTEM + CONTINUE,
  RollbackConfig: AS_SYSTEM + CONTINUE + ROLLBACK,
  WriteConfig: AS_SYSTEM + HIDE_TARGET,
  CommitConfig: AS_SYSTEM + CONTINUE + COMMIT,
  ConfigureService: AS_SYSTEM,
  WaitRunning: AS_SYSTEM,
  KeepConfig: AS_SYSTEM + CONTINUE,
};

/** Properties of the command line that reach the part of the installation that runs as SYSTEM. */
export const SECURE_PROPERTIES = [
  ...['APIURL', 'APIKEY', 'ENROLLTOKEN', 'AUDITPATH', 'DBNAME', 'TENANTID', 'CONFIGFILE', 'PURGE'],
  ...['WIX_UPGRADE_DETECTED', 'WIX_DOWNGRADE_DETECTED'],
];

/** The place after InstallInitialize, so that a failed upgrade restores the old version. */
const REMOVE_OLD_AT = 1501;
/** Migrates features, and treats a rebuilt package of the same version as newer. */
const UPGRADE_ATTRIBUTES = 1 + 0x200;
/** An installation fails if the service cannot be created. */
const SERVICE_ERROR_CONTROL = 1 + 0x8000;
const LANGUAGE_NEUTRAL_ENGLISH = 1033;

/** Columns with file names, in which a short name of 8.3 characters must precede each longer one. */
const NAMES = {
  File: {
    AgentCmd: 'AUDIT-~1.CMD|audit-agent.cmd',
    AgentLicenses: 'AGENT-~1.TXT|agent-licenses.txt',
    NodeLicense: 'NODE-L~1.TXT|node-license.txt',
    HostExe: `AGENTE~1.EXE|${PRODUCT.serviceName}.exe`,
  },
  Directory: { INSTALLDIR: `AGENTE~1|${PRODUCT.name}`, DATADIR: `AGENTE~1|${PRODUCT.name}` },
};
const NAME_COLUMNS = { File: 'FileName', Directory: 'DefaultDir' };

/**
 * SQL statements that correct the package of wixl to what Windows needs.
 * @param version of the package
 * @param peFiles version, as four numbers with points, of each installed .exe by its id in table File
 */
export function fixups(version, peFiles) {
  return [
    ...Object.entries(ACTION_TYPES).map(
      ([action, type]) => `UPDATE \`CustomAction\` SET \`Type\` = ${type} WHERE \`Action\` = '${action}'`,
    ),
    `UPDATE \`InstallExecuteSequence\` SET \`Sequence\` = ${REMOVE_OLD_AT} WHERE \`Action\` = 'RemoveExistingProducts'`,
    `UPDATE \`Property\` SET \`Value\` = '${SECURE_PROPERTIES.join(';')}' WHERE \`Property\` = 'SecureCustomProperties'`,
    // CheckProperties reports this instead, in every log.
    "DELETE FROM `LaunchCondition` WHERE `Condition` = 'NOT WIX_DOWNGRADE_DETECTED'",
    // Attributes is part of the key, which no UPDATE can change.
    "DELETE FROM `Upgrade` WHERE `ActionProperty` = 'WIX_UPGRADE_DETECTED'",
    'INSERT INTO `Upgrade` (`UpgradeCode`, `VersionMin`, `VersionMax`, `Attributes`, `ActionProperty`) ' +
      `VALUES ('${PRODUCT.upgradeCode}', '0.0.0', '${version}', ${UPGRADE_ATTRIBUTES}, 'WIX_UPGRADE_DETECTED')`,
    ...Object.entries(NAMES).flatMap(([table, names]) =>
      Object.entries(names).map(
        ([id, name]) =>
          `UPDATE \`${table}\` SET \`${NAME_COLUMNS[table]}\` = '${name}' WHERE \`${table}\` = '${id}'`,
      ),
    ),
    `UPDATE \`ServiceInstall\` SET \`ErrorControl\` = ${SERVICE_ERROR_CONTROL}`,
    // An .exe without a version loses against an installed one with a version, and an upgrade would then leave neither.
    ...Object.entries(peFiles).flatMap(([id, fileVersion]) => [
      `UPDATE \`File\` SET \`Version\` = '${fileVersion}', \`Language\` = '${LANGUAGE_NEUTRAL_ENGLISH}' WHERE \`File\` = '${id}'`,
      `DELETE FROM \`MsiFileHash\` WHERE \`File_\` = '${id}'`,
    ]),
  ];
}
