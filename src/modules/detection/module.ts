import type { Logger } from 'pino';
import type { AskRows, OwnerDb } from '../../database/clients';
import { LocalHost } from '../../detection/host';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import type { TenantForm } from '../../trail/counts/scope';
import { AlertReader } from './alert.reader';
import { AlertResolver } from './alert.resolver';
import { Detector } from './detector';
import { readShippedRules } from './shipped-rules';

/** Rules that look at what arrives, what they find, and the alerts that people work on. */
export function detectionModule(parts: {
  readonly owner: OwnerDb;
  readonly ask: AskRows;
  readonly form: TenantForm;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Module {
  const { owner, ask, form, nowMs } = parts;
  const shipped = readShippedRules();
  const detector = new Detector({ owner, form, host: new LocalHost(), shipped, nowMs });
  return {
    resolvers: [new AlertResolver(new AlertReader(ask))],
    tasks: [{ name: 'looking for attacks', everyMs: LIMITS.detectionMs, run: () => detector.run() }],
  };
}
