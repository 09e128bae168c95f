import {
  Checkbox,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { SCOPES } from '../../../src/caller/scopes';
import { LIMITS } from '../../../src/limits';
import {
  CreateAgentKeyDocument,
  CreateApiKeyDocument,
  CreateOperatorKeyDocument,
} from '../../generated/operations';
import { addressesOf } from '../lib/addresses';
import { FormDialog } from '../lib/form-dialog';
import { useMutate } from '../lib/mutate';
import { useTimeZone } from '../lib/preferences';
import type { NamedTenant } from '../lib/tenant-name';
import { fromInputValue } from '../lib/time';
import type { ShownKey } from './key-once';

interface Props {
  readonly tenants: readonly NamedTenant[];
  readonly onClose: () => void;
  readonly onMade: (key: ShownKey) => void;
}

const KINDS = [
  { value: 'public', label: 'API' },
  { value: 'agent', label: 'Agent' },
  { value: 'operator', label: 'Operator' },
];
const EMPTY = {
  kind: 'public',
  name: '',
  tenantIds: [] as string[],
  tenantId: null as string | null,
  scopes: ['read:audit-activity'] as string[],
  expires: '',
  rateLimit: '' as number | string,
  addresses: '',
};

export function CreateKey({ tenants, onClose, onMade }: Props) {
  const [zone] = useTimeZone();
  const create = useCreate();
  const [form, setForm] = useState(EMPTY);
  const set = (change: Partial<typeof EMPTY>) => setForm((before) => ({ ...before, ...change }));
  const choices = tenants.map(({ tenantId, name }) => ({ value: tenantId, label: `${name} (${tenantId})` }));
  const submit = async () => {
    const expiresMs = form.expires ? fromInputValue(form.expires, zone) : null;
    const key = await create(form, expiresMs === null ? null : new Date(expiresMs).toISOString());
    onMade({ name: form.name, key });
  };
  return (
    <FormDialog title="New key" action="Create" isOpen onClose={onClose} onSubmit={submit}>
      {(problems) => (
        <>
          <SegmentedControl
            aria-label="Kind"
            data={KINDS}
            value={form.kind}
            onChange={(kind) => set({ kind })}
          />
          <TextInput
            label="Name"
            error={problems.name}
            description="Who or what will use it."
            required
            data-autofocus
            maxLength={LIMITS.nameCharsMax}
            value={form.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          {form.kind === 'public' && (
            <>
              <MultiSelect
                label="Tenants it may read"
                error={problems.tenantIds}
                withAsterisk
                data={choices}
                searchable
                limit={100}
                value={form.tenantIds}
                onChange={(tenantIds) => set({ tenantIds })}
              />
              <ScopeChoice
                error={problems.scopes}
                value={form.scopes}
                onChange={(scopes) => set({ scopes })}
              />
              <NumberInput
                label="Calls per minute"
                error={problems.rateLimitPerMinute}
                placeholder="the service's default"
                min={1}
                max={LIMITS.rateLimitPerMinuteMax}
                value={form.rateLimit}
                onChange={(rateLimit) => set({ rateLimit })}
              />
            </>
          )}
          {form.kind === 'agent' && (
            <Select
              label="Tenant it publishes for"
              error={problems.tenantId}
              required
              data={choices}
              searchable
              limit={100}
              value={form.tenantId}
              onChange={(tenantId) => set({ tenantId })}
            />
          )}
          <TextInput
            type="datetime-local"
            label={`Expires (${zone})`}
            error={problems.expiresAt}
            description="Empty: never."
            value={form.expires}
            onChange={(event) => set({ expires: event.currentTarget.value })}
          />
          <Textarea
            label="Addresses it may be used from"
            error={problems.allowedAddresses}
            description="Addresses or networks such as 10.1.0.0/16, one per line. Empty: from anywhere."
            autosize
            value={form.addresses}
            onChange={(event) => set({ addresses: event.currentTarget.value })}
          />
        </>
      )}
    </FormDialog>
  );
}

function ScopeChoice(props: {
  readonly value: string[];
  readonly onChange: (scopes: string[]) => void;
  readonly error: string | undefined;
}) {
  return (
    <Checkbox.Group label="Scopes" {...props}>
      <Stack gap={6} mt={6}>
        {Object.entries(SCOPES).map(([scope, { permits }]) => (
          <Checkbox key={scope} size="xs" value={scope} label={scope} description={permits} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

/** Makes a key of any kind; resolves with the key itself. */
function useCreate(): (form: typeof EMPTY, expiresAt: string | null) => Promise<string> {
  const mutate = useMutate();
  return async ({ kind, name, tenantIds, tenantId, scopes, rateLimit, addresses }, expiresAt) => {
    const common = { name, expiresAt, allowedAddresses: addressesOf(addresses) };
    if (kind === 'operator') return (await mutate(CreateOperatorKeyDocument, common)).createOperatorKey.key;
    if (kind === 'agent')
      return (await mutate(CreateAgentKeyDocument, { ...common, tenantId: tenantId ?? '' })).createAgentKey
        .key;
    const rateLimitPerMinute = rateLimit === '' ? null : Number(rateLimit);
    const variables = { ...common, tenantIds, scopes, rateLimitPerMinute };
    return (await mutate(CreateApiKeyDocument, variables)).createApiKey.key;
  };
}
