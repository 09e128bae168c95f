import { Alert, Button, Code, Group, List, Progress, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useClient } from 'urql';
import { COMMON } from '../lib/common';
import { Dialog } from '../lib/dialog';
import { useTexts } from '../lib/language';
import { useAnswer } from '../lib/use-answer';
import { Failed } from '../shell/states';
import type { Tenant } from './rows';
import { OPERATE } from './texts';
import { type LogVerdict, type Outcome, outcomeOf, verifyLog } from './verify-steps';

/** Verifies all events of a tenant, one stretch after the other. It stops if the dialog is closed. */
export function VerifyLog({ tenant, onClose }: { readonly tenant: Tenant; readonly onClose: () => void }) {
  const t = useTexts(OPERATE);
  return (
    <Dialog isOpen onClose={onClose} title={t.evidenceOf(tenant.name)}>
      <Verification tenant={tenant} onClose={onClose} />
    </Dialog>
  );
}

function Verification({ tenant, onClose }: { readonly tenant: Tenant; readonly onClose: () => void }) {
  const common = useTexts(COMMON);
  const t = useTexts(OPERATE);
  const client = useClient();
  const [progress, setProgress] = useState<LogVerdict | null>(null);
  const { answer, error } = useAnswer(tenant.tenantId, (tenantId, signal) =>
    verifyLog(client, tenantId, signal, setProgress),
  );
  if (error) return <Failed error={error} />;
  const verdict = answer ?? progress;
  return (
    <Stack>
      {answer ? (
        <Verdict verdict={answer} />
      ) : (
        <>
          <Text size="sm" role="status">
            {verdict ? t.verifiedOf(verdict.next, verdict.signed) : t.verifying}
          </Text>
          <Progress
            value={verdict && verdict.signed > 0 ? (100 * verdict.next) / verdict.signed : 0}
            aria-label={t.verifyProgress}
          />
        </>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {answer ? common.close : common.cancel}
        </Button>
      </Group>
    </Stack>
  );
}

const TITLES = {
  sound: 'sound',
  changed: 'changed',
  'in doubt': 'inDoubt',
  'not signed': 'notSigned',
  nothing: 'nothing',
} as const satisfies Readonly<Record<Outcome, string>>;
const COLORS: Readonly<Record<Outcome, string>> = {
  sound: 'green',
  changed: 'red',
  'in doubt': 'red',
  'not signed': 'yellow',
  nothing: 'gray',
};

function Verdict({ verdict }: { readonly verdict: LogVerdict }) {
  const t = useTexts(OPERATE);
  const { sound, signed, unsigned, removed, wrong, records, problems, excess } = verdict;
  const outcome = outcomeOf(verdict);
  return (
    <Alert color={COLORS[outcome]} variant="light" title={t[TITLES[outcome]]}>
      {signed > 0 && <Text size="sm">{t.verdict(sound, removed, wrong)}</Text>}
      {unsigned > 0 && <Text size="sm">{t.unsigned(unsigned)}</Text>}
      {excess && <Text size="sm">{t.tooManyMissing(excess.removed, excess.max)}</Text>}
      {problems.map((problem) => (
        <Text size="sm" key={problem} lang="en">
          {problem}
        </Text>
      ))}
      {records.length > 0 && (
        <List size="sm" mt="xs">
          {records.map(({ recordId, kind }) => (
            <List.Item key={recordId}>
              {t[kind]}: <Code>{recordId}</Code>
            </List.Item>
          ))}
        </List>
      )}
      <Text size="sm" mt="xs">
        {t.runVerify} <Code>audit-activity verify</Code>.
      </Text>
    </Alert>
  );
}
