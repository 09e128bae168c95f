import { Button, Code, Collapse, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { LIMITS } from '../../../src/limits';
import {
  CreateDestinationDocument,
  TestDestinationDocument,
  TryDestinationChangeDocument,
  TryDestinationDocument,
  UpdateDestinationDocument,
} from '../../generated/operations';
import { FormDialog } from '../lib/form-dialog';
import { useMutate } from '../lib/mutate';
import type { NamedTenant } from '../lib/tenant-name';
import { DestinationField } from './destination-field';
import {
  type Field,
  placeOf,
  problemAt,
  secretsOf,
  settingsOf,
  type TypeSpec,
  type Values,
  valuesOf,
} from './destination-values';
import type { ShownKey } from './key-once';
import type { Destination } from './rows';

interface Props {
  readonly types: readonly TypeSpec[];
  readonly tenants: readonly NamedTenant[];
  /** Null: a new one is made. */
  readonly destination: Destination | null;
  readonly onClose: () => void;
  /** @param secret of a new webhook, which is shown once */
  readonly onSaved: (secret: ShownKey | null) => void;
}

const STARTS = [
  { value: 'now', label: 'Events that arrive from now on' },
  { value: 'beginning', label: 'All events, from the beginning' },
];

/** The dialog that makes or changes a destination. The service declares the fields of each type. */
export function DestinationForm({ types, tenants, destination, onClose, onSaved }: Props) {
  const form = useForm(types, tenants, destination);
  const { given, spec, set, values, setValue } = form;
  const [isMoreOpen, setIsMoreOpen] = useState(false);
  const save = async () => onSaved(await form.save());
  const title = destination ? `Change ${destination.name}` : 'New destination';
  return (
    <FormDialog
      {...{ title, onClose, isOpen: true, isWide: true }}
      action="Save"
      onSubmit={save}
      trial={{ action: 'Send a test', run: form.tryOut }}
    >
      {(problems) => {
        const field = (one: Field) => (
          <DestinationField
            key={one.name}
            field={one}
            value={values[one.name] ?? ''}
            error={problemAt(problems, placeOf(one))}
            placeholder={destination ? keptHint(one, destination) : undefined}
            onChange={(value) => setValue(one.name, value)}
          />
        );
        const fields = spec?.fields ?? [];
        const isFirst = ({ isSecret, isRequired }: Field) => isSecret || isRequired;
        const later = fields.filter((one) => !isFirst(one));
        const isRefusedLater =
          ['format', 'filter', 'from'].some((name) => problemAt(problems, name)) ||
          later.some((one) => problemAt(problems, placeOf(one)));
        const isShown = isMoreOpen || isRefusedLater;
        return (
          <>
            {!destination && (
              <>
                {tenants.length !== 1 && (
                  <NativeSelect
                    label="Tenant"
                    withAsterisk
                    error={problems.tenantId}
                    data={[
                      { value: '', label: 'Choose the tenant whose events are sent' },
                      ...tenants.map(({ tenantId, name }) => ({ value: tenantId, label: name })),
                    ]}
                    value={given.tenantId}
                    onChange={(event) => set({ tenantId: event.currentTarget.value })}
                  />
                )}
                <NativeSelect
                  label="Type"
                  error={problems.type}
                  description={spec?.doc}
                  data={types.map(({ type }) => type)}
                  value={given.type}
                  onChange={(event) => form.setType(event.currentTarget.value)}
                />
              </>
            )}
            <TextInput
              label="Name"
              withAsterisk
              data-autofocus
              maxLength={LIMITS.nameCharsMax}
              error={problems.name}
              value={given.name}
              onChange={(event) => set({ name: event.currentTarget.value })}
            />
            <TextInput
              label="URL"
              withAsterisk
              spellCheck={false}
              description={`Of the receiver. It begins with ${(spec?.protocols ?? []).map((one) => `${one}//`).join(' or ')}`}
              error={problems.url}
              value={given.url}
              onChange={(event) => set({ url: event.currentTarget.value })}
            />
            {destination && fields.some(({ isSecret }) => isSecret) && (
              <Text size="sm">
                Secrets are never shown. If you leave all of them empty they stay; else give all again.
              </Text>
            )}
            {fields.filter(isFirst).map(field)}
            <Button
              variant="subtle"
              size="compact-sm"
              style={{ alignSelf: 'flex-start' }}
              aria-expanded={isShown}
              onClick={() => setIsMoreOpen(!isShown)}
            >
              Which events, and how they are sent
            </Button>
            <Collapse expanded={isShown}>
              <Stack>
                {!destination && (
                  <NativeSelect
                    label="Begin with"
                    data={STARTS}
                    error={problems.from}
                    value={given.from}
                    onChange={(event) => set({ from: event.currentTarget.value })}
                  />
                )}
                <TextInput
                  label="Filter"
                  description="As in Explore. Empty: every event."
                  spellCheck={false}
                  error={problems.filter}
                  value={given.filter}
                  onChange={(event) => set({ filter: event.currentTarget.value })}
                />
                <NativeSelect
                  label="Format"
                  error={problems.format}
                  data={[...(spec?.formats ?? [])]}
                  value={given.format}
                  onChange={(event) => set({ format: event.currentTarget.value })}
                />
                {later.map(field)}
              </Stack>
            </Collapse>
            {!destination && given.type === 'webhook' && (
              <Text size="sm" c="dimmed">
                The secret that signs messages is made and shown when you save. A test before that is signed
                by another one, so a receiver that verifies <Code>webhook-signature</Code> refuses it.
              </Text>
            )}
          </>
        );
      }}
    </FormDialog>
  );
}

/** What an empty field of a destination that is changed means. */
function keptHint({ isSecret, kind, name }: Field, destination: Destination): string | undefined {
  if (isSecret) return 'not shown';
  return kind === 'lines' && name in storedOf(destination)
    ? 'given, and not shown: empty keeps it'
    : undefined;
}

const storedOf = (destination: Destination | null) =>
  (destination?.settings ?? {}) as Readonly<Record<string, unknown>>;

function useForm(
  types: readonly TypeSpec[],
  tenants: readonly NamedTenant[],
  destination: Destination | null,
) {
  const mutate = useMutate();
  const before = {
    tenantId: destination?.tenantId ?? (tenants.length === 1 ? (tenants[0]?.tenantId ?? '') : ''),
    type: destination?.type ?? types[0]?.type ?? '',
    name: destination?.name ?? '',
    url: destination?.url ?? '',
    filter: destination?.filter ?? '',
    format: destination?.format ?? 'native',
    from: 'now',
  };
  const [began] = useState(before);
  const specOf = (type: string) => types.find((one) => one.type === type);
  const beginning = (type: string) => valuesOf(specOf(type)?.fields ?? [], storedOf(destination));
  const [given, setGiven] = useState(before);
  const [values, setValues] = useState<Values>(() => beginning(before.type));
  const spec = specOf(given.type);
  const fields = spec?.fields ?? [];
  const parts = () => ({
    settings: settingsOf(fields, values, beginning(given.type)),
    secrets: secretsOf(fields, values),
  });
  const changed = <N extends keyof typeof before>(name: N) =>
    given[name] === began[name] ? null : given[name];
  const outcomeOf = ({ accepted, message }: { accepted: boolean; message: string | null }) =>
    accepted ? 'The receiver accepted the test.' : `The receiver did not accept the test: ${message}`;
  return {
    given,
    spec,
    values,
    set: (change: Partial<typeof before>) => setGiven((now) => ({ ...now, ...change })),
    setValue: (name: string, value: string | boolean) => setValues((now) => ({ ...now, [name]: value })),
    setType: (type: string) => {
      const { formats = [] } = specOf(type) ?? {};
      setGiven((now) => ({ ...now, type, format: formats.includes(now.format) ? now.format : 'native' }));
      setValues(beginning(type));
    },
    tryOut: async () => {
      const { tenantId, type, url, format } = given;
      if (!destination)
        return outcomeOf(
          (await mutate(TryDestinationDocument, { tenantId, type, url, format, ...parts() })).tryDestination,
        );
      const { destinationId } = destination;
      const change = { url: changed('url'), format: changed('format'), ...parts() };
      if (Object.values(change).every((value) => value === null))
        return outcomeOf((await mutate(TestDestinationDocument, { destinationId })).testDestination);
      return outcomeOf(
        (await mutate(TryDestinationChangeDocument, { destinationId, ...change })).tryDestinationChange,
      );
    },
    /** @returns the secret of a new webhook */
    save: async (): Promise<ShownKey | null> => {
      if (!destination) {
        const { createDestination } = await mutate(CreateDestinationDocument, { ...given, ...parts() });
        const { secret } = createDestination;
        return secret === null
          ? null
          : {
              name: `of ${given.name}`,
              what: 'signing secret',
              key: secret,
              note: 'The receiver verifies messages with it.',
            };
      }
      const change = {
        name: changed('name'),
        url: changed('url'),
        filter: changed('filter'),
        format: changed('format'),
        ...parts(),
      };
      // Nothing changed.
      if (Object.values(change).every((value) => value === null)) return null;
      await mutate(UpdateDestinationDocument, { destinationId: destination.destinationId, ...change });
      return null;
    },
  };
}
