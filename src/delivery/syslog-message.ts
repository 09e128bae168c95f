/** RFC 5424, 6.2.1. */
export const SYSLOG_SEVERITY = { critical: 2, error: 3, warning: 4, notice: 5, informational: 6 } as const;
export type SyslogSeverity = (typeof SYSLOG_SEVERITY)[keyof typeof SYSLOG_SEVERITY];

/** The fields of a message's header. */
interface SyslogHead {
  /** ISO 8601 in UTC. */
  readonly time: string;
  readonly hostName: string | null;
  readonly appName: string;
  /** What sends on that host: the instance of SQL Server; null: it has no name. */
  readonly processId?: string | null;
  readonly messageId: string;
  readonly severity: SyslogSeverity;
}

/** "log audit" (RFC 5424, 6.2.1). */
const FACILITY = 13;
const HOST_CHARS = 255;
const PROCESS_ID_CHARS = 128;
const MESSAGE_ID_CHARS = 32;
/** RFC 5424 allows six decimals of a second at most. */
const MICROSECONDS = /^(.{19}\.\d{6})\d*Z$/;

/** A message in the form of RFC 5424, in UTF-8. Any text may follow the header. */
export function syslogMessage(head: SyslogHead, text: string): Buffer {
  const priority = FACILITY * 8 + head.severity;
  const time = head.time.replace(MICROSECONDS, '$1Z');
  const name = (value: string | null, max: number) =>
    (value ?? '').replace(/[^!-~]/g, '_').slice(0, max) || '-';
  const fields = [
    name(head.hostName, HOST_CHARS),
    head.appName,
    name(head.processId ?? null, PROCESS_ID_CHARS),
    name(head.messageId, MESSAGE_ID_CHARS),
  ];
  return Buffer.from(`<${priority}>1 ${time} ${fields.join(' ')} - ${text}`, 'utf8');
}
