import { Button, SegmentedControl, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CreateAgentKeyDocument, CreateEnrollTokenDocument } from '../../generated/operations';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { serviceNowMs } from '../lib/service-clock';
import { TenantField } from '../lib/tenant-choice';
import type { NamedTenant } from '../lib/tenant-name';
import { DAY_MS } from '../lib/time';
import { Failed } from '../shell/states';
import { COMMANDS, configOf, PATHS, type System } from './agent-config';
import { Copied } from './copied';
import { FIRST_RUN } from './texts';

const TOKEN_DAYS = 30;
const TOKEN_USES = 100;

interface Made {
  readonly tenantId: string;
  readonly kind: 'key' | 'token';
  readonly secret: string;
}

/** Makes the key of an agent, and shows its finished configuration and the commands that install it. */
export function AgentSetup({
  tenants,
  onMade,
}: {
  readonly tenants: readonly NamedTenant[];
  readonly onMade?: () => void;
}) {
  const t = useTexts(FIRST_RUN);
  const mutate = useMutate();
  const [system, setSystem] = useKept<System>('system', 'windows');
  const [kind, setKind] = useKept<Made['kind']>('kind of key', 'key');
  const [chosen, setChosen] = useKept<string | null>('tenant of agent', null);
  const [database, setDatabase] = useKept('database of agent', 'Production');
  const [path, setPath] = useKept<string | null>('path of agent', null);
  const [made, setMade] = useState<Made | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const tenantId = chosen ?? tenants[0]?.tenantId ?? '';
  const files = path ?? PATHS[system];
  const make = async () => {
    setIsBusy(true);
    setError(null);
    try {
      setMade({ tenantId, kind, secret: await secretOf() });
      onMade?.();
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setIsBusy(false);
    }
  };
  const secretOf = async () => {
    const named = { name: `agent of ${database}`, tenantId };
    if (kind === 'key')
      return (await mutate(CreateAgentKeyDocument, { ...named, expiresAt: null, allowedAddresses: [] }))
        .createAgentKey.key;
    const expiresAt = new Date(serviceNowMs() + TOKEN_DAYS * DAY_MS).toISOString();
    return (await mutate(CreateEnrollTokenDocument, { ...named, uses: TOKEN_USES, expiresAt }))
      .createEnrollToken.key;
  };
  const isMade = made !== null && made.tenantId === tenantId && made.kind === kind;
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <SegmentedControl
          aria-label={t.system}
          data={[
            { value: 'windows', label: 'Windows' },
            { value: 'linux', label: 'Linux' },
          ]}
          value={system}
          onChange={(value) => setSystem(value as System)}
        />
        <SegmentedControl
          aria-label={t.howMany}
          data={[
            { value: 'key', label: t.oneHost },
            { value: 'token', label: t.manyHosts },
          ]}
          value={kind}
          onChange={(value) => setKind(value as Made['kind'])}
        />
        <TenantField label={t.tenantOfEvents} tenants={tenants} value={tenantId} onChange={setChosen} />
        <TextInput
          label={t.nameOfSource}
          description={t.asYouKnow}
          value={database}
          onChange={(event) => setDatabase(event.currentTarget.value)}
        />
        <TextInput
          label={t.auditFiles}
          description={t.fullPath}
          value={files}
          onChange={(event) => setPath(event.currentTarget.value)}
        />
      </SimpleGrid>
      {error && <Failed error={error} />}
      {isMade ? (
        <>
          <Text size="sm">{made.kind === 'key' ? t.hasKey : t.hasToken}</Text>
          <Copied
            label={t.configuration}
            file="agent.json"
            text={configOf({ baseUrl: location.origin, ...made, database, path: files })}
          />
          <Text size="sm">
            {system === 'windows' ? t.asAdministrator : t.asRoot} <code>{location.origin}</code>.
          </Text>
          <Copied label={t.commands} text={COMMANDS[system]} />
        </>
      ) : (
        <Button style={{ alignSelf: 'flex-start' }} loading={isBusy} onClick={make}>
          {kind === 'key' ? t.makeKey : t.makeToken(TOKEN_USES, TOKEN_DAYS)}
        </Button>
      )}
    </Stack>
  );
}
