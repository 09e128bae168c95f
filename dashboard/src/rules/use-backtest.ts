import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import {
  type BacktestFieldsFragment,
  BacktestStateDocument,
  type RuleTuning,
  TestRuleDocument,
} from '../../generated/operations';
import { useMutate } from '../lib/mutate';

const ASK_MS = 1_000;

/** The tested rule: one of the tenant's rules with settings in place of its own, or the text of a file. */
export type Tested = { readonly tenantId: string } & (
  | { readonly ruleId: string; readonly tuning: RuleTuning }
  | { readonly source: string }
);

/** A backtest, whose state is polled until it ends. */
export function useBacktest() {
  const client = useClient();
  const mutate = useMutate();
  const [days, setDays] = useState(7);
  const [test, setTest] = useState<
    (BacktestFieldsFragment & { readonly ofDays: number; readonly of: string }) | null
  >(null);
  const [error, setError] = useState<Error | null>(null);
  const isRunning = test?.state === 'running' && error === null;
  const id = test?.backtestId;
  const tenantId = test?.tenantId;
  useEffect(() => {
    if (!isRunning || id === undefined || tenantId === undefined) return;
    const timer = setInterval(async () => {
      const { data, error: failed } = await client
        .query(BacktestStateDocument, { backtestId: id, tenantId })
        .toPromise();
      if (failed) setError(failed);
      if (data) setTest((before) => (before?.backtestId === id ? { ...before, ...data.backtest } : before));
    }, ASK_MS);
    return () => clearInterval(timer);
  }, [client, id, tenantId, isRunning]);
  /** @param tested may throw: what is typed may have mistakes */
  const start = async (tested: () => Tested) => {
    setError(null);
    setTest(null);
    try {
      const one = tested();
      const { testRule } = await mutate(TestRuleDocument, { ...one, days });
      setTest({ ...testRule, ofDays: days, of: JSON.stringify(one) });
    } catch (thrown) {
      setError(thrown as Error);
    }
  };
  return { test, error, isRunning, start, days, setDays };
}
