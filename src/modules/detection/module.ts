import type { Logger } from 'pino';
import type { TenantStore } from '../../caller/tenant.store';
import { type AskRows, askPrisma, type OwnerDb, type ServiceDb } from '../../database/clients';
import { openHost } from '../../detection/thread-host';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import { PostgresArrivalReader } from '../../trail/arrivals/stored-arrivals';
import type { TenantForm } from '../../trail/counts/scope';
import { AlertReader } from './alert.reader';
import { AlertResolver } from './alert.resolver';
import { AlertStore } from './alert.store';
import { Backtests } from './backtests';
import { Detector } from './detector';
import { RuleStore } from './rule.store';
import { readShippedRules } from './shipped-rules';
import { AlertWorkResolver } from './work.resolver';

/** Rules that look at what arrives, what they find, and the alerts that people work on. */
export function detectionModule(parts: {
  readonly prisma: ServiceDb;
  readonly owner: OwnerDb;
  readonly tenants: TenantStore;
  readonly signal: AbortSignal;
  readonly ask: AskRows;
  readonly form: TenantForm;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Module {
  const { prisma, owner, tenants, signal, ask, form, nowMs } = parts;
  const shipped = readShippedRules();
  const host = openHost();
  const detector = new Detector({ owner, form, host, shipped, nowMs });
  const reader = new AlertReader(ask);
  const alerts = new AlertStore(prisma, nowMs);
  const rules = new RuleStore(prisma, shipped, nowMs);
  const backtests = new Backtests(new PostgresArrivalReader(askPrisma(owner), form, nowMs), nowMs);
  signal.addEventListener('abort', () => backtests.close());
  return {
    resolvers: [
      new AlertResolver(reader),
      new AlertWorkResolver({ reader, alerts, rules, backtests, tenants, nowMs }),
    ],
    tasks: [{ name: 'looking for attacks', everyMs: LIMITS.detectionMs, run: () => detector.run() }],
  };
}
