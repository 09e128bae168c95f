import type { Severity } from '../../../rules/rule';

/** Counts the work of detection since this instance started. */
export class DetectionTally {
  events = 0;
  seconds = 0;
  stepFailures = 0;
  readonly findings = new Map<Severity, number>();
  readonly alerts = new Map<Severity, number>();
  /** By tenant with an engine here: the number of rules, at a revision, that this release cannot read. */
  readonly refusedRules = new Map<number, { readonly revision: number; readonly count: number }>();
  /** By channel and outcome, separated by a space. */
  readonly messages = new Map<string, number>();

  static add<K>(counts: Map<K, number>, key: K, more = 1): void {
    counts.set(key, (counts.get(key) ?? 0) + more);
  }

  told(channel: ChannelKind, outcome: 'sent' | 'failed'): void {
    DetectionTally.add(this.messages, `${channel} ${outcome}`);
  }
}

export const CHANNEL_KINDS = ['email', 'destination'] as const;
type ChannelKind = (typeof CHANNEL_KINDS)[number];
export const OUTCOMES = ['sent', 'failed'] as const;
