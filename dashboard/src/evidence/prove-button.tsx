import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconShieldCheck } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { Session } from '../api/session';
import type { ExploreFilter } from '../explore/explore-filter';
import { COMMON } from '../lib/common';
import { Dialog } from '../lib/dialog';
import { useTexts } from '../lib/language';
import { saveFile } from '../lib/save-file';
import { TenantField } from '../lib/tenant-choice';
import { useCommands } from '../lib/use-commands';
import { Failed } from '../shell/states';
import { fetchPackage } from './fetch-package';
import { EVIDENCE } from './texts';

interface Props {
  readonly session: Session;
  /** The events that the package has. */
  readonly filter: ExploreFilter;
  readonly label: string;
  /** Of which tenant, where that is known. */
  readonly tenantId?: string;
  readonly reason?: string;
  readonly isDisabled?: boolean;
}

/** Offers an evidence package of events. */
export function ProveButton({ label, isDisabled = false, ...form }: Props) {
  const [isOpen, { open, close }] = useDisclosure();
  useCommands(isDisabled ? {} : { prove: open });
  return (
    <>
      <Button
        variant="default"
        title={label}
        leftSection={<IconShieldCheck size={16} aria-hidden />}
        onClick={open}
        disabled={isDisabled}
      >
        {label}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={label}>
        <ProveForm {...form} onDone={close} />
      </Dialog>
    </>
  );
}

function ProveForm({
  session,
  filter,
  tenantId,
  reason = '',
  onDone,
}: Omit<Props, 'label' | 'isDisabled'> & { readonly onDone: () => void }) {
  const common = useTexts(COMMON);
  const t = useTexts(EVIDENCE);
  const [chosen, setChosen] = useState(tenantId ?? session.tenants[0]?.tenantId ?? '');
  const [why, setWhy] = useState(reason);
  const [bytes, setBytes] = useState<number | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const running = useRef<AbortController | null>(null);
  // Closing the dialog in any way cancels the package.
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const stop = new AbortController();
    running.current = stop;
    setError(null);
    setBytes(0);
    try {
      saveFile(await fetchPackage({ ...filter, tenantId: chosen, reason: why }, stop.signal, setBytes));
      onDone();
    } catch (failure) {
      if (!stop.signal.aborted) setError(failure as Error);
      setBytes(null);
    }
  };
  if (bytes !== null)
    return (
      <Stack>
        <Text size="sm" role="status">
          {t.soFar(bytes)}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => running.current?.abort()}>
            {common.cancel}
          </Button>
        </Group>
      </Stack>
    );
  return (
    <Stack>
      <Text size="sm">{t.about}</Text>
      {tenantId === undefined && (
        <TenantField tenants={session.tenants} value={chosen} onChange={setChosen} />
      )}
      <TextInput
        label={t.whatFor}
        value={why}
        maxLength={512}
        onChange={(event) => setWhy(event.currentTarget.value)}
      />
      {error && <Failed error={error} />}
      <Button onClick={start} data-autofocus>
        {t.makePackage}
      </Button>
    </Stack>
  );
}
