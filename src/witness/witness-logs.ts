import { LIMITS } from '../limits';
import { readVerifierKey } from '../store/log/evidence/note-key';
import { signaturesOf, splitNote } from '../store/log/evidence/signed-note';

/** The logs that a witness serves. */
export interface WitnessLogs {
  readonly names: readonly string[];
  /** Whether one of the keys of the log signed the note; null: the log is not served. */
  isSigned(origin: string, note: string): boolean | null;
}

/** A line that names a log: where it stands, for messages. */
export interface LogLine {
  readonly at: string;
  readonly text: string;
}

const LINE = /^(\S+)[ \t]+(\S+)$/;

/**
 * Reads lines `NAME KEY`: the origin of a log, and a public key that signs it. A log has a line for each of its keys.
 * @throws Error that names every mistake
 */
export function readWitnessLogs(lines: readonly LogLine[]): WitnessLogs {
  const keys = new Map<string, ReturnType<typeof readVerifierKey>[]>();
  const mistakes: string[] = [];
  for (const { at, text } of lines) {
    const [, name, key] = LINE.exec(text.trim()) ?? [];
    if (name === undefined || key === undefined) {
      mistakes.push(`${at}: must be NAME KEY: the name of a log, and its public key`);
      continue;
    }
    try {
      keys.set(name, [...(keys.get(name) ?? []), readVerifierKey(key)]);
    } catch (error) {
      mistakes.push(`${at}: ${(error as Error).message}`);
    }
  }
  if (lines.length === 0) mistakes.push('no log is named: give --log, or --logs with a file of such lines');
  if (keys.size > LIMITS.witnessLogsMax) mistakes.push(`there are more than ${LIMITS.witnessLogsMax} logs`);
  if (mistakes.length > 0) throw new Error(mistakes.slice(0, MISTAKES_SHOWN).join('\n'));
  return {
    names: [...keys.keys()],
    isSigned: (origin, note) => {
      const ofLog = keys.get(origin);
      if (!ofLog) return null;
      const [body, signatures] = splitNote(note);
      return signaturesOf(signatures).some(({ name, hash, bytes }) =>
        ofLog.some((key) => key.name === name && key.hash.equals(hash) && key.verify(body, bytes)),
      );
    },
  };
}

const MISTAKES_SHOWN = 100;
