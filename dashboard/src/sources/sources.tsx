import { Button, NativeSelect, Stack } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { SourcesDocument, type SourcesQuery, TenantsDocument } from '../../generated/operations';
import { AgentSetup } from '../first-run/agent-setup';
import { FirstSteps } from '../first-run/first-steps';
import { COMMON } from '../lib/common';
import { Dialog } from '../lib/dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { ListHead, ListPages, PAGE_ROWS, useListState } from '../lib/listed';
import { usePolled } from '../lib/use-polled';
import { useRates } from '../lib/use-rates';
import { PageHead } from '../shell/page-head';
import { Empty, Failed, Loading } from '../shell/states';
import { keyOf, type Source, STATE_ORDER, summaryOf } from './source-state';
import { SourceTable } from './source-table';
import { SOURCES } from './texts';

const ASK_MS = 10_000;

/** What each agent reports on its databases, a page at a time; those that need attention come first. */
export default function Sources() {
  const common = useTexts(COMMON);
  const t = useTexts(SOURCES);
  const listState = useListState();
  const { words, page, setPage } = listState;
  const state = STATE_ORDER.find((one) => one === listState.state) ?? null;
  const [rateOf, takeRates] = useRates((source: Source) => ({
    key: keyOf(source),
    count: source.publishedCount,
  }));
  const { data, error, ask } = usePolled({
    query: SourcesDocument,
    variables: { state, search: words || null, page, pageSize: PAGE_ROWS },
    everyMs: ASK_MS,
    onAnswer: ({ auditSourceList }) => takeRates(auditSourceList.items),
  });
  const [isAdding, setIsAdding] = useKept('new agent', false);
  const list = data?.auditSourceList;
  const found = list?.totalCount ?? 0;
  // It stays until the page is left, so that whoever follows it sees the last step done.
  const [isFirstRun, setIsFirstRun] = useState(false);
  if (!isFirstRun && list && hasNoEvent(list)) setIsFirstRun(true);
  const pages = Math.max(1, Math.ceil(found / PAGE_ROWS));
  // The sources of the last page may have become fewer.
  const last = list && page > pages ? pages : null;
  useEffect(() => {
    if (last !== null) setPage(last);
  });
  const listed = { ...listState, found, pages };
  return (
    <Stack gap="sm">
      <PageHead title={t.sources}>
        {list && !isFirstRun && <Button onClick={() => setIsAdding(true)}>{t.newAgent}</Button>}
      </PageHead>
      {isAdding && <NewAgent onClose={() => setIsAdding(false)} />}
      {error && <Failed error={error} retry={ask} />}
      {!list && !error && <Loading what={t.theSources} />}
      {isFirstRun && <FirstSteps />}
      {list && list.states.length > 0 && (
        <ListHead listed={listed} label={t.searchSources} summary={summaryOf(list.states, t)}>
          <NativeSelect
            aria-label={common.state}
            data={[
              { value: '', label: t.anyState },
              ...STATE_ORDER.map((value) => ({ value, label: t[value] })),
            ]}
            value={state ?? ''}
            onChange={(event) => listState.setState(event.currentTarget.value || null)}
          />
        </ListHead>
      )}
      {list && list.states.length > 0 && found === 0 && <Empty title={t.noSource} />}
      {list && found > 0 && <SourceTable sources={list.items} rateOf={rateOf} />}
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
  const t = useTexts(SOURCES);
  const [{ data, error }] = useQuery({ query: TenantsDocument });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="lg"
      title={t.newAgent}
      // The key is shown only once, so a click beside the dialog must not lose it.
      closeOnClickOutside={false}
    >
      {error && <Failed error={error} />}
      {data && <AgentSetup tenants={data.tenants} />}
    </Dialog>
  );
}
