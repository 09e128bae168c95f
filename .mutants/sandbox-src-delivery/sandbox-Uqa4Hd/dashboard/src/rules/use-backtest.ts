import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import {
  type BacktestFieldsFragment,
  BacktestStateDocument,
  TestRuleDocument,
} from '../../generated/operations';
import { useMutate } from '../lib/mutate';

const ASK_MS = 1_000;

/** The tested rule: one of the tenant's rules, or the text of a file. */
export type Tested = { readonly tenantId: string } & (
  | { readonly ruleId: string }
  | { readonly source: string }
);

/** A backtest, whose state is polled until it ends. */
export function useBacktest() {
  const client = useClient();
  const mutate = useMutate();
  const [test, setTest] = useState<(BacktestFieldsFragment & { readonly ofDays: number }) | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const isRunning = test?.state === 'running' && error === null;
  const id = test?.backtestId;
  const tenantId = test?.tenantId;
  useEffect(() => {
    if (!isRunning || id === undefined || tenantId === undefined) return;
    const timer = setInterval(async () => {
      const { data, error: failed } = await client
        .query(BacktestStateDocument, { backtestId: id, tenantId }, { requestPolicy: 'network-only' })
        .toPromise();
      if (failed) setError(failed);
      if (data) setTest((before) => (before?.backtestId === id ? { ...before, ...data.backtest } : before));
    }, ASK_MS);
    return () => clearInterval(timer);
  }, [client, id, tenantId, isRunning]);
  const start = async (tested: Tested, days: number) => {
    setError(null);
    setTest(null);
    try {
      const { testRule } = await mutate(TestRuleDocument, { ...tested, days });
      setTest({ ...testRule, ofDays: days });
    } catch (thrown) {
      setError(thrown as Error);
    }
  };
  return { test, error, isRunning, start };
}
