import { Button, Modal, NativeSelect, Stack } from '@mantine/core';
import { useDebouncedValue, useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { useQuery } from 'urql';
import type { SourceState } from '../../../src/modules/sources/audit-source';
import { SourcesDocument, type SourcesQuery, TenantsDocument } from '../../generated/operations';
import { AgentSetup } from '../first-run/agent-setup';
import { FirstSteps } from '../first-run/first-steps';
import { ListHead, ListPages, PAGE_ROWS } from '../lib/listed';
import { useNow } from '../lib/use-now';
import { useRates } from '../lib/use-rates';
import { PageHead } from '../shell/page-head';
import { Empty, Failed, Loading } from '../shell/states';
import { SourceCard } from './source-card';
import { keyOf, STATE_ORDER, STATES, summaryOf } from './source-state';

const ASK_MS = 10_000;
const TYPING_MS = 250;

/** What each agent reports on its databases, a page at a time; those that need attention come first. */
export default function Sources() {
  const [state, setState] = useState<SourceState | ''>('');
  const [search, setSearch] = useState('');
  const [page, setPage] = useState(1);
  const [words] = useDebouncedValue(search.trim(), TYPING_MS);
  const [{ data, error }, ask] = useQuery({
    query: SourcesDocument,
    variables: { state: state || null, search: words || null, page, pageSize: PAGE_ROWS },
  });
  useInterval(ask, ASK_MS, { autoInvoke: true });
  const nowMs = useNow(ASK_MS / 2);
  const [isAdding, setIsAdding] = useState(false);
  const list = data?.auditSourceList;
  const rateOf = useRates(
    list?.items.map((source) => ({ key: keyOf(source), count: source.publishedCount })),
  );
  const found = list?.totalCount ?? 0;
  // It stays until the page is left, so that whoever follows it sees the last step done.
  const [isFirstRun, setIsFirstRun] = useState(false);
  if (!isFirstRun && list && hasNoEvent(list)) setIsFirstRun(true);
  const pages = Math.max(1, Math.ceil(found / PAGE_ROWS));
  // The sources of the last page may have become fewer.
  if (list && page > pages) setPage(pages);
  const listed = {
    search,
    found,
    page,
    pages,
    setPage,
    setSearch: (text: string) => {
      setSearch(text);
      setPage(1);
    },
  };
  return (
    <Stack gap="sm">
      <PageHead title="Sources">
        {list && !isFirstRun && <Button onClick={() => setIsAdding(true)}>New agent</Button>}
      </PageHead>
      {isAdding && <NewAgent onClose={() => setIsAdding(false)} />}
      {error && <Failed error={error} retry={ask} />}
      {!list && !error && <Loading what="the sources" />}
      {isFirstRun && <FirstSteps />}
      {list && list.states.length > 0 && (
        <ListHead listed={listed} label="Search sources" summary={summaryOf(list.states)}>
          <NativeSelect
            aria-label="State"
            size="xs"
            data={[
              { value: '', label: 'Any state' },
              ...STATE_ORDER.map((value) => ({ value, label: STATES[value].label })),
            ]}
            value={state}
            onChange={(event) => {
              setState(event.currentTarget.value as SourceState | '');
              setPage(1);
            }}
          />
        </ListHead>
      )}
      {list && list.states.length > 0 && found === 0 && (
        <Empty title="No source matches: change the search or the state" />
      )}
      {list?.items.map((source) => (
        <SourceCard key={keyOf(source)} source={source} rate={rateOf(keyOf(source))} nowMs={nowMs} />
      ))}
      <ListPages listed={listed} />
    </Stack>
  );
}

/** Whether no agent of any tenant has published an event. A search that finds nothing says nothing about that. */
const hasNoEvent = ({ states, items, totalCount }: SourcesQuery['auditSourceList']): boolean =>
  states.length === 0 ||
  (totalCount === states.reduce((sum, { sources }) => sum + sources, 0) &&
    totalCount === items.length &&
    items.every(({ publishedCount }) => publishedCount === 0));

function NewAgent({ onClose }: { readonly onClose: () => void }) {
  const [{ data, error }] = useQuery({ query: TenantsDocument });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title="New agent"
      // The key is shown only once, so a click beside the dialog must not lose it.
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {error && <Failed error={error} />}
      {data && <AgentSetup tenants={data.tenants} />}
    </Modal>
  );
}
