import type { AccessRule } from '../../caller/principal';

/** The files of reports are streams and no root fields, but the rules for root fields hold for them. */
export const MAKE_OPERATION = 'makeReport';
export const FILE_OPERATION = 'readReportFile';
export const REPORT_RULE = { principal: 'public', scope: 'read:reports' } as const satisfies AccessRule;
