import { Pagination, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { AlertFindingsDocument } from '../../generated/operations';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { Failed, Loading } from '../shell/states';
import classes from './alerts.module.css';
import { Entities } from './entities';
import { FindingItem } from './finding-item';
import { ALERTS } from './texts';
import { useFindingEvents } from './use-finding-events';
import type { Alert } from './use-queue';

/** As in the operation. */
const PAGE_SIZE = 10;

/** The findings in order of time, with the events that prove them and the people and objects concerned. */
export function Findings({ alert, mayRead }: { readonly alert: Alert; readonly mayRead: boolean }) {
  const common = useTexts(COMMON);
  const t = useTexts(ALERTS);
  const [page, setPage] = useState(1);
  const [{ data, error }, ask] = useQuery({
    query: AlertFindingsDocument,
    variables: { alertId: alert.alertId, page },
  });
  const findings = data?.findings.items ?? [];
  const { events, error: eventsError, isBusy, ask: askEvents } = useFindingEvents(findings, !mayRead);
  const total = data?.findings.totalCount ?? 0;
  return (
    <>
      {mayRead && events.length > 0 && <Entities events={events} span={alert} />}
      <section aria-labelledby="timeline">
        <Title order={2} size="h5" id="timeline" mb="xs">
          {t.timeline}
        </Title>
        {error && <Failed error={error} retry={ask} />}
        {eventsError && <Failed error={eventsError} retry={askEvents} />}
        {!mayRead && <Text size="sm">{t.eventsNeedScope}</Text>}
        {!data && !error && <Loading what={t.theFindings} />}
        {data && total === 0 && <Text size="sm">{t.noFinding}</Text>}
        <Stack gap="sm">
          <ol className={classes.timeline}>
            {findings.map((finding) => (
              <FindingItem
                key={finding.findingId}
                finding={finding}
                events={events}
                isBusy={isBusy}
                mayRead={mayRead}
              />
            ))}
          </ol>
          {total > PAGE_SIZE && (
            <Pagination
              total={Math.ceil(total / PAGE_SIZE)}
              value={page}
              onChange={setPage}
              size="sm"
              aria-label={t.pagesOfFindings(total)}
              getControlProps={(control) => ({ 'aria-label': common[`${control}Page`] })}
              getItemProps={(of) => ({ 'aria-label': t.page(of) })}
            />
          )}
        </Stack>
      </section>
    </>
  );
}
