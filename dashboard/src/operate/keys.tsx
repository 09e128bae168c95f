import { Button, Group, SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { KeysDocument, RevokeKeyDocument } from '../../generated/operations';
import { FormDialog } from '../lib/form-dialog';
import { ListHead, ListPages, useListed } from '../lib/listed';
import { useMutate } from '../lib/mutate';
import { formatCount } from '../lib/numbers';
import { nameOf } from '../lib/tenant-name';
import { PageHead } from '../shell/page-head';
import { Failed } from '../shell/states';
import { CreateKey } from './create-key';
import { KeyOnce, type ShownKey } from './key-once';
import { KeyTable } from './key-table';
import { RotateKey } from './rotate-key';
import type { ApiKey } from './rows';

type Dialog = { kind: 'create' } | { kind: 'rotate' | 'revoke'; key: ApiKey } | null;

/** The keys of every kind. The key itself is shown once, when it is made. */
export default function Keys() {
  const [{ data, error, fetching }, ask] = useQuery({ query: KeysDocument });
  const [shown, setShown] = useState('valid');
  const [dialog, setDialog] = useState<Dialog>(null);
  const [made, setMade] = useState<ShownKey | null>(null);
  const close = () => setDialog(null);
  const onMade = (key: ShownKey) => {
    setMade(key);
    ask();
  };
  const keys = (data?.apiKeys ?? []).filter((key) => shown === 'all' || key.state === 'valid').toReversed();
  const tenants = data?.tenants ?? [];
  const listed = useListed(keys, ({ name, kind, prefix, tenantIds }) =>
    [name, kind, prefix, ...tenantIds.map((id) => nameOf(tenants, id))].join(' '),
  );
  return (
    <Stack gap="sm">
      <PageHead title="Keys">
        <Group>
          <SegmentedControl
            aria-label="Which keys"
            size="xs"
            data={[
              { value: 'valid', label: 'Valid' },
              { value: 'all', label: 'All' },
            ]}
            value={shown}
            onChange={setShown}
          />
          <Button onClick={() => setDialog({ kind: 'create' })}>New key</Button>
        </Group>
      </PageHead>
      {error ? (
        <Failed error={error} retry={ask} />
      ) : (
        <>
          <ListHead listed={listed} label="Search keys" summary={`${formatCount(keys.length)} keys`} />
          <KeyTable
            keys={[...listed.rows]}
            tenants={tenants}
            isBusy={fetching}
            onRotate={(key) => setDialog({ kind: 'rotate', key })}
            onRevoke={(key) => setDialog({ kind: 'revoke', key })}
          />
          <ListPages listed={listed} />
        </>
      )}
      {dialog?.kind === 'create' && <CreateKey tenants={tenants} onClose={close} onMade={onMade} />}
      {dialog?.kind === 'rotate' && <RotateKey apiKey={dialog.key} onClose={close} onMade={onMade} />}
      {dialog?.kind === 'revoke' && <RevokeKey apiKey={dialog.key} onClose={close} onDone={ask} />}
      {made && <KeyOnce made={made} onClose={() => setMade(null)} />}
    </Stack>
  );
}

function RevokeKey(props: { apiKey: ApiKey; onClose: () => void; onDone: () => void }) {
  const { name, prefix, keyId } = props.apiKey;
  const mutate = useMutate();
  const submit = async () => {
    await mutate(RevokeKeyDocument, { keyId });
    props.onDone();
  };
  return (
    <FormDialog
      title={`Revoke ${name}`}
      action="Revoke"
      isDangerous
      isOpen
      onClose={props.onClose}
      onSubmit={submit}
    >
      <div>
        The key <code>{prefix}…</code> is refused within a second, everywhere, for good. Its users need
        another.
      </div>
    </FormDialog>
  );
}
