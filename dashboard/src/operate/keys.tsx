import { Button, Group, SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { KeysDocument, RevokeKeyDocument } from '../../generated/operations';
import { COMMON } from '../lib/common';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { ListHead, ListPages, useListed, useListState } from '../lib/listed';
import { useMutate } from '../lib/mutate';
import { nameOf } from '../lib/tenant-name';
import { PageHead } from '../shell/page-head';
import { Failed, Loading } from '../shell/states';
import { CreateKey } from './create-key';
import { KeyOnce, type ShownKey } from './key-once';
import { KeyTable } from './key-table';
import { RotateKey } from './rotate-key';
import type { ApiKey } from './rows';
import { OPERATE } from './texts';

type Dialog = { kind: 'create' } | { kind: 'rotate' | 'revoke'; key: ApiKey } | null;

/** The keys of every kind. The key itself is shown once, when it is made. */
export default function Keys() {
  const t = useTexts(OPERATE);
  const common = useTexts(COMMON);
  const [{ data, error, fetching }, ask] = useQuery({ query: KeysDocument });
  const list = useListState();
  const shown = list.state === 'all' ? 'all' : 'valid';
  const [dialog, setDialog] = useKept<Dialog>('dialog', null);
  const [made, setMade] = useState<ShownKey | null>(null);
  const close = () => setDialog(null);
  const onMade = (key: ShownKey) => {
    setMade(key);
    ask();
  };
  const keys = (data?.apiKeys ?? []).filter((key) => shown === 'all' || key.state === 'valid').toReversed();
  const tenants = data?.tenants ?? [];
  const listed = useListed(list, keys, ({ name, kind, prefix, tenantIds }) =>
    [name, kind, prefix, ...tenantIds.map((id) => nameOf(tenants, id))].join(' '),
  );
  return (
    <Stack gap="sm">
      <PageHead title={t.keys}>
        <Group>
          <SegmentedControl
            aria-label={t.whichKeys}
            data={[
              { value: 'valid', label: t.validKeys },
              { value: 'all', label: t.allKeys },
            ]}
            value={shown}
            onChange={(value) => list.setState(value === 'all' ? value : null)}
          />
          <Button onClick={() => setDialog({ kind: 'create' })}>{t.newKey}</Button>
        </Group>
      </PageHead>
      {error ? (
        <Failed error={error} retry={ask} />
      ) : !data ? (
        <Loading what={common.theList} />
      ) : (
        <>
          <ListHead listed={listed} label={t.searchKeys} summary={t.keyCount(keys.length)} />
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
  const t = useTexts(OPERATE);
  const { name, prefix, keyId } = props.apiKey;
  const mutate = useMutate();
  const submit = async () => {
    await mutate(RevokeKeyDocument, { keyId });
    props.onDone();
  };
  return (
    <FormDialog
      title={t.revokeTitle(name)}
      action={t.revoke}
      isDangerous
      isOpen
      onClose={props.onClose}
      onSubmit={submit}
    >
      <div>
        {t.theKeyOf} <code>{prefix}…</code> {t.isRefused}
      </div>
    </FormDialog>
  );
}
