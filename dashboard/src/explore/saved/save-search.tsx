import { Checkbox, Text, TextInput } from '@mantine/core';
import { LIMITS } from '../../../../src/limits';
import { SaveSearchDocument } from '../../../generated/operations';
import type { Session } from '../../api/session';
import { COMMON } from '../../lib/common';
import { FIELD_LABELS } from '../../lib/field-labels';
import { FormDialog } from '../../lib/form-dialog';
import { useKept } from '../../lib/kept';
import { useTexts } from '../../lib/language';
import { useMutate } from '../../lib/mutate';
import { TenantField } from '../../lib/tenant-choice';
import { type ExploreState, viewOf } from '../explore-state';
import { EXPLORE } from '../texts';
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
  const common = useTexts(COMMON);
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  const mutate = useMutate();
  const [name, setName] = useKept('saved name', '');
  const [isWhole, setIsWhole] = useKept('saved whole', true);
  const { filter } = state;
  const view = isWhole || filter === '' ? viewOf(state) : null;
  const [isShared, setIsShared] = useKept('saved for all', false);
  const [tenantId, setTenantId] = useKept('saved tenant', session.tenants[0]?.tenantId ?? '');
  const submit = async () => {
    await mutate(SaveSearchDocument, { tenantId, name, filter, view, isShared });
    setName('');
    onSaved();
  };
  return (
    <FormDialog
      title={t.saveSearchTitle}
      action={common.save}
      isOpen={isOpen}
      onClose={onClose}
      onSubmit={submit}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {savedText({ filter, view }, t, labels)}
      </Text>
      <TextInput
        label={common.name}
        required
        data-autofocus
        maxLength={LIMITS.nameCharsMax}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TenantField tenants={session.tenants} value={tenantId} onChange={setTenantId} />
      <Checkbox
        label={t.withView}
        checked={view !== null}
        disabled={filter === ''}
        onChange={(event) => setIsWhole(event.currentTarget.checked)}
      />
      <Checkbox
        label={t.shareIt}
        checked={isShared}
        onChange={(event) => setIsShared(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}
