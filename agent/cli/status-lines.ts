import type { ShownDatabase, ShownStatus } from './status';

const STATE_TEXT: Record<ShownDatabase['state'], string> = {
  publishing: 'publishing',
  idle: 'idle, everything is acknowledged',
  waiting: 'waiting for the service',
  keyRefused: 'key refused by the service',
  failed: 'failed, is tried again',
  stopped: 'stopped',
  disabled: 'disabled',
  unknown: 'not seen by the agent yet',
};

/** The status for people. */
export function statusLines(status: ShownStatus, nowMs: number): string[] {
  const { agentVersion, configPath, obstacle, pid, running, startedAt, writtenAt } = status;
  const ageSeconds = Math.max(0, Math.round((nowMs - Date.parse(writtenAt)) / 1000));
  return [
    running
      ? `agent ${agentVersion}: running since ${startedAt} (process ${pid})`
      : `agent ${agentVersion}: not running; this is its last status, of ${writtenAt} (${durationOf(ageSeconds)} ago)`,
    `configuration: ${configPath}`,
    ...(obstacle === null ? [] : [`problem: ${obstacle}`]),
    ...status.databases.flatMap(databaseLines),
  ];
}

function databaseLines(database: ShownDatabase): string[] {
  const head = ['', `${database.name}: ${STATE_TEXT[database.state]}`];
  if (!('tally' in database)) return head;
  const { file, fileCount, gaps, lag, lastAcknowledgedAt, lastError, lastEventTime, problem } = database;
  const { waitingBytes, waitingRecords, tally } = database;
  const values: [string, string | null][] = [
    ['problem', problem],
    ['files', `${fileCount}${file ? `; ${file.name} up to byte ${file.offset} of ${file.size}` : ''}`],
    ['lag', lag === null ? 'unknown: not everything was acknowledged yet' : durationOf(Math.round(lag))],
    ['acknowledged', `${lastAcknowledgedAt ?? 'nothing yet'}; newest event ${lastEventTime ?? 'none'}`],
    ['waiting', `${waitingBytes} bytes in files; of them ${waitingRecords} records read`],
    [
      'published',
      `${tally.accepted} (${tally.duplicates} duplicates, ${tally.rejected} rejected) in this run`,
    ],
    ['gaps', `${gaps.reported + gaps.pending} (${gaps.pending} not yet reported)`],
    ['last error', lastError && `${lastError.at} ${lastError.text}`],
  ];
  return [
    ...head,
    ...values.flatMap(([name, value]) => (value === null ? [] : [`  ${name.padEnd(12)} ${value}`])),
  ];
}

/** `0 s`, `75 s`, `3 h 5 min`, `2 d 4 h` */
export function durationOf(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
