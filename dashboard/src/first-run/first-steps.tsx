import { Button, Group, List, Paper, Stack, Text, TextInput, ThemeIcon, Title } from '@mantine/core';
import { IconCheck, IconCircle } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { LIMITS } from '../../../src/limits';
import {
  CreateAgentKeyDocument,
  CreateApiKeyDocument,
  CreateTenantDocument,
  FirstRunDocument,
  type FirstRunQuery,
} from '../../generated/operations';
import { COMMON } from '../lib/common';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { useTimeZone } from '../lib/preferences';
import { formatTime } from '../lib/time';
import { usePolled } from '../lib/use-polled';
import { KeyOnce, type ShownKey } from '../operate/key-once';
import { Failed } from '../shell/states';
import { configOf, SAMPLE_PATH, sampleCommand } from './agent-config';
import { AgentSetup } from './agent-setup';
import { Copied } from './copied';
import { FIRST_RUN } from './texts';

const ASK_MS = 3_000;
const ANALYST_SCOPES = [
  ...['read:audit-activity', 'read:alerts', 'read:findings', 'work:alerts'],
  ...['read:compliance', 'read:reports'],
];

type Source = FirstRunQuery['auditSourceList']['items'][number];

/** The first run as a checklist: from the first key to the first event. */
export function FirstSteps() {
  const common = useTexts(COMMON);
  const t = useTexts(FIRST_RUN);
  const { data, error, ask: again } = usePolled({ query: FirstRunDocument, variables: {}, everyMs: ASK_MS });
  const tenants = data?.tenants ?? [];
  const sources = data?.auditSourceList.items ?? [];
  const hasEvents = sources.some(({ publishedCount }) => publishedCount > 0);
  const hasAnalyst = data?.apiKeys.some(({ kind, state }) => kind === 'public' && state === 'valid') ?? false;
  if (error && !data) return <Failed error={error} retry={again} />;
  if (!data) return null;
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="first-steps">
      <Title order={2} size="h4" id="first-steps" mb="xs">
        {t.firstSteps}
      </Title>
      <List spacing="md" center={false} listStyleType="none" styles={{ itemWrapper: { width: '100%' } }}>
        <Step title={t.operatorKey} isDone>
          <Text size="sm">{t.signedIn}</Text>
        </Step>
        <Step title={common.tenant} isDone={tenants.length > 0}>
          {tenants.length > 0 ? (
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {tenants.map(({ name }) => name).join(', ')}
            </Text>
          ) : (
            <MakeTenant onDone={again} />
          )}
        </Step>
        <Step title={t.agent} isDone={hasEvents}>
          {tenants.length > 0 ? (
            <Stack gap="sm">
              <AgentSetup tenants={tenants} />
              <Reports sources={sources} />
            </Stack>
          ) : (
            <Text size="sm">{t.aboutAgent}</Text>
          )}
        </Step>
        <Step title={t.analystKey} isDone={hasAnalyst}>
          {tenants.length > 0 ? (
            <MakeAnalyst tenantIds={tenants.map(({ tenantId }) => tenantId)} onDone={again} />
          ) : (
            <Text size="sm">{t.aboutAnalyst}</Text>
          )}
        </Step>
        <Step title={t.sampleData} isDone={false}>
          <Samples onDone={again} />
        </Step>
      </List>
    </Paper>
  );
}

function Step(props: { readonly title: string; readonly isDone: boolean; readonly children: ReactNode }) {
  const t = useTexts(FIRST_RUN);
  const { title, isDone, children } = props;
  return (
    <List.Item
      icon={
        <ThemeIcon
          size={22}
          radius="xl"
          color={isDone ? 'teal' : 'gray'}
          variant={isDone ? 'filled' : 'light'}
        >
          {isDone ? <IconCheck size={14} aria-hidden /> : <IconCircle size={14} aria-hidden />}
        </ThemeIcon>
      }
    >
      <Title order={3} size="h6" mb={4}>
        {title}
        {isDone && <span className="sr-only">{t.done}</span>}
      </Title>
      {children}
    </List.Item>
  );
}

/** What has come from agents so far; it renews itself. */
function Reports({ sources }: { readonly sources: readonly Source[] }) {
  const t = useTexts(FIRST_RUN);
  const [zone] = useTimeZone();
  return (
    <Stack gap={4} role="status">
      {sources.length === 0 && <Text size="sm">{t.waiting}</Text>}
      {sources.map(({ hostName, databaseName, lastReported, publishedCount, problem }) => (
        <Text size="sm" key={`${hostName} ${databaseName}`} style={{ overflowWrap: 'anywhere' }}>
          {t.received(formatTime(lastReported, zone), hostName, databaseName, publishedCount)}
          {problem && <span lang="en">. {problem}</span>}
        </Text>
      ))}
    </Stack>
  );
}

function MakeTenant({ onDone }: { readonly onDone: () => void }) {
  const t = useTexts(FIRST_RUN);
  const { run, isBusy, error } = useWork();
  const mutate = useMutate();
  const [name, setName] = useKept('tenant', '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run(async () => {
      await mutate(CreateTenantDocument, { name });
      onDone();
    });
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="xs">
        <TextInput
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          label={t.nameOfTenant}
          description={t.whoseEvents}
          required
          maxLength={LIMITS.nameCharsMax}
        />
        <Button type="submit" loading={isBusy}>
          {t.makeTenant}
        </Button>
      </Group>
      {error && <Failed error={error} />}
    </form>
  );
}

function MakeAnalyst(props: { readonly tenantIds: readonly string[]; readonly onDone: () => void }) {
  const t = useTexts(FIRST_RUN);
  const { run, isBusy, error } = useWork();
  const mutate = useMutate();
  const [made, setMade] = useState<ShownKey | null>(null);
  const make = () =>
    run(async () => {
      const name = 'Analyst';
      const { createApiKey } = await mutate(CreateApiKeyDocument, {
        name,
        tenantIds: [...props.tenantIds],
        scopes: [...ANALYST_SCOPES],
        expiresAt: null,
        rateLimitPerMinute: null,
        allowedAddresses: [],
      });
      setMade({ name, key: createApiKey.key, note: t.whoeverSignsIn });
      props.onDone();
    });
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">{t.keyReads}</Text>
      <Button variant="default" loading={isBusy} onClick={make}>
        {t.makeAnalyst}
      </Button>
      {error && <Failed error={error} />}
      {made && <KeyOnce made={made} onClose={() => setMade(null)} />}
    </Stack>
  );
}

function Samples({ onDone }: { readonly onDone: () => void }) {
  const t = useTexts(FIRST_RUN);
  const { run, isBusy, error } = useWork();
  const mutate = useMutate();
  const [command, setCommand] = useState<string | null>(null);
  const make = () =>
    run(async () => {
      const { tenantId } = (await mutate(CreateTenantDocument, { name: 'Sample' })).createTenant;
      const { createAgentKey } = await mutate(CreateAgentKeyDocument, {
        ...{ name: 'sample files', tenantId },
        expiresAt: null,
        allowedAddresses: [],
      });
      const of = { baseUrl: location.origin, tenantId, kind: 'key', secret: createAgentKey.key } as const;
      setCommand(sampleCommand(configOf({ ...of, database: 'Samples', path: SAMPLE_PATH })));
      onDone();
    });
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">{t.aboutSamples}</Text>
      {command === null ? (
        <Button variant="default" loading={isBusy} onClick={make}>
          {t.makeSample}
        </Button>
      ) : (
        <Copied label={t.sampleCommand} text={command} />
      )}
      {error && <Failed error={error} />}
    </Stack>
  );
}

/** Runs one piece of work at a time, and keeps why it failed. */
function useWork() {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const run = async (work: () => Promise<void>) => {
    setIsBusy(true);
    setError(null);
    try {
      await work();
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setIsBusy(false);
    }
  };
  return { run, isBusy, error };
}
