import { Checkbox, NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { LIMITS } from '../../../../src/limits';
import { SaveSearchDocument } from '../../../generated/operations';
import type { Session } from '../../api/session';
import { FormDialog } from '../../lib/form-dialog';
import { useMutate } from '../../lib/mutate';
import { type ExploreState, viewOf } from '../explore-state';
import { savedText } from './saved-text';

interface Props {
  readonly isOpen: boolean;
  readonly session: Session;
  readonly state: ExploreState;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** The dialog that saves the view, or its filter alone, under a name. */
export function SaveSearch({ isOpen, session, state, onClose, onSaved }: Props) {
  const mutate = useMutate();
  const [name, setName] = useState('');
  const [isWhole, setIsWhole] = useState(true);
  const { filter } = state;
  const view = isWhole || filter === '' ? viewOf(state) : null;
  const [isShared, setIsShared] = useState(false);
  const [tenantId, setTenantId] = useState(session.tenants[0]?.tenantId ?? '');
  const submit = async () => {
    await mutate(SaveSearchDocument, { tenantId, name, filter, view, isShared });
    setName('');
    onSaved();
  };
  return (
    <FormDialog title="Save this search" action="Save" isOpen={isOpen} onClose={onClose} onSubmit={submit}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {savedText({ filter, view })}
      </Text>
      <TextInput
        label="Name"
        required
        data-autofocus
        maxLength={LIMITS.nameCharsMax}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {session.tenants.length > 1 && (
        <NativeSelect
          label="Tenant"
          data={session.tenants.map((one) => ({ value: one.tenantId, label: one.name }))}
          value={tenantId}
          onChange={(event) => setTenantId(event.currentTarget.value)}
        />
      )}
      <Checkbox
        label="With range, order, columns, groups and chart"
        checked={view !== null}
        disabled={filter === ''}
        onChange={(event) => setIsWhole(event.currentTarget.checked)}
      />
      <Checkbox
        label="Share it with everybody who reads the tenant"
        checked={isShared}
        onChange={(event) => setIsShared(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}
