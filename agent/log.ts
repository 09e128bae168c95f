import { AGENT_LOG_LEVELS, type AgentLogLevel } from '../src/event/agent-settings';

/** Takes the agent's log entries, one line each. */
export interface Log {
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

export type LogLevel = AgentLogLevel;

const LEVELS = Object.keys(AGENT_LOG_LEVELS);

/** A log of lines `ISO-time level text` that never shows a text given to `hide`. */
export class LineLog implements Log {
  private readonly secrets = new Set<string>();
  /** Lines of lower levels are left out. */
  least: LogLevel = 'info';

  constructor(
    private readonly write: (line: string, level: LogLevel) => void,
    private readonly now: () => number = Date.now,
  ) {}

  /** Hides secrets as a last guard: no text of the agent holds one, but an error message of a library could. */
  hide(secret: string): void {
    if (secret !== '') this.secrets.add(secret);
  }

  info(text: string): void {
    this.line('info', text);
  }

  warn(text: string): void {
    this.line('warn', text);
  }

  error(text: string): void {
    this.line('error', text);
  }

  private line(level: LogLevel, text: string): void {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(this.least)) return;
    let safe = text.replace(/\s*[\r\n]+\s*/g, ' ');
    for (const secret of this.secrets) safe = safe.replaceAll(secret, '[redacted]');
    this.write(`${new Date(this.now()).toISOString()} ${level.padEnd(5)} ${safe}\n`, level);
  }
}

/** The text of a caught error, with the text of its cause. */
export function errorText(error: unknown): string {
  const text = messageOf(error);
  const cause = isObject(error) && isObject(error.cause) ? error.cause : null;
  return cause ? `${text}: ${messageOf(cause)}` : text;
}

/** `ENOENT` and the like, or null. */
export function errorCode(error: unknown): string | null {
  const code = isObject(error) ? error.code : undefined;
  return typeof code === 'string' ? code : null;
}

// Not `instanceof`: Node itself may throw an Error of another realm (in a test runner, say).
function messageOf(error: unknown): string {
  if (!isObject(error)) return String(error);
  return String(error.message || errorCode(error) || error.name || 'unknown error');
}
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
