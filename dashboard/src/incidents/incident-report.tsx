import { Button } from '@mantine/core';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { ReportsDocument } from '../../generated/operations';
import type { Session } from '../api/session';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useTimeZone } from '../lib/preferences';
import { toInputValue } from '../lib/time';
import { MakeRun } from '../reports/make-run';
import { Failed } from '../shell/states';
import type { Incident } from './incident';
import { incidentQuestion } from './incident-question';
import { INCIDENTS } from './texts';

const SECOND_MS = 1_000;
const REPORT = 'activity';

/** Makes a run of the report Activity of what the logins of an incident did in its time. */
export function IncidentReport({
  incident,
  session,
}: {
  readonly incident: Incident;
  readonly session: Session;
}) {
  const t = useTexts(INCIDENTS);
  const [zone] = useTimeZone();
  const [, navigate] = useLocation();
  const [isOpen, setIsOpen] = useKept('report', false);
  const [{ data, error }, ask] = useQuery({ query: ReportsDocument, pause: !isOpen });
  const report = data?.reports.items.find(({ reportId }) => reportId === REPORT);
  const { filter, startTime, endTime } = incidentQuestion(incident);
  const wholeSecond = Math.ceil(Date.parse(endTime) / SECOND_MS) * SECOND_MS;
  return (
    <>
      <Button variant="default" style={{ flexShrink: 0 }} onClick={() => setIsOpen(true)}>
        {t.makeReport}
      </Button>
      {error && <Failed error={error} retry={ask} />}
      {isOpen && report && (
        <MakeRun
          report={report}
          tenants={session.tenants}
          given={{
            tenantId: incident.tenantId,
            startTime: toInputValue(Date.parse(startTime), zone),
            endTime: toInputValue(wholeSecond, zone),
            ...(filter !== undefined && { filter }),
          }}
          onClose={() => setIsOpen(false)}
          onMade={(run) => navigate(`/reports?run=${run}`)}
        />
      )}
    </>
  );
}
