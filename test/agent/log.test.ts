import { fileNameOf } from '../../agent/durable-file';
import { LineLog } from '../../agent/log';

it('a log entry is a single line and never shows a secret', () => {
  const lines: string[] = [];
  const log = new LineLog(
    (line) => lines.push(line),
    () => 0,
  );
  log.hide('aak_secret');
  log.warn('refused\n  aak_secret and aak_secret');
  expect(lines).toEqual(['1970-01-01T00:00:00.000Z warn  refused [redacted] and [redacted]\n']);
});

it('every database name makes a valid file name, and different names make different file names', () => {
  expect(fileNameOf('Payroll_1-a')).toBe('Payroll_1-a');
  expect(fileNameOf('../Gehälter.*')).toBe('%2E%2E%2FGeh%C3%A4lter%2E%2A');
  const [long, other] = ['給'.repeat(100), `${'給'.repeat(99)}与`].map(fileNameOf) as [string, string];
  expect(long).not.toBe(other);
  for (const name of [long, other]) {
    expect(name).toMatch(/^%E7%B5%A6[%A-Za-z0-9_-]+$/);
    // With what files are called beside it, file systems take 255 bytes.
    expect(`${name}.ndjson.new`.length).toBeLessThanOrEqual(255);
  }
});
