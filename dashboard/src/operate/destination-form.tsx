import { Button, Collapse, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { LIMITS } from '../../../src/limits';
import {
  CreateDestinationDocument,
  TestDestinationDocument,
  TryDestinationChangeDocument,
  TryDestinationDocument,
  UpdateDestinationDocument,
} from '../../generated/operations';
import { COMMON } from '../lib/common';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import type { NamedTenant } from '../lib/tenant-name';
import type { In } from '../lib/texts';
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
  withoutSecrets,
} from './destination-values';
import type { ShownKey } from './key-once';
import type { Destination } from './rows';
import { OPERATE } from './texts';

interface Props {
  readonly types: readonly TypeSpec[];
  readonly tenants: readonly NamedTenant[];
  /** Null: a new one is made. */
  readonly destination: Destination | null;
  readonly onClose: () => void;
  /** @param secret of a new webhook, which is shown once */
  readonly onSaved: (secret: ShownKey | null) => void;
}

/** The dialog that makes or changes a destination. The service declares the fields of each type. */
export function DestinationForm({ types, tenants, destination, onClose, onSaved }: Props) {
  const common = useTexts(COMMON);
  const t = useTexts(OPERATE);
  const form = useForm(types, tenants, destination);
  const { given, spec, set, values, setValue } = form;
  const [isMoreOpen, setIsMoreOpen] = useState(false);
  const save = async () => onSaved(await form.save());
  const title = destination ? t.changeTitle(destination.name) : t.newDestination;
  return (
    <FormDialog
      {...{ title, onClose, isOpen: true, isWide: true }}
      action={common.save}
      onSubmit={save}
      trial={{ action: t.sendTest, run: form.tryOut }}
    >
      {(problems) => {
        const field = (one: Field) => (
          <DestinationField
            key={one.name}
            field={one}
            value={values[one.name] ?? ''}
            error={problemAt(problems, placeOf(one))}
            placeholder={destination ? keptHint(one, destination, t) : undefined}
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
                    label={common.tenant}
                    withAsterisk
                    error={problems.tenantId}
                    data={[
                      { value: '', label: t.chooseTenant },
                      ...tenants.map(({ tenantId, name }) => ({ value: tenantId, label: name })),
                    ]}
                    value={given.tenantId}
                    onChange={(event) => set({ tenantId: event.currentTarget.value })}
                  />
                )}
                <NativeSelect
                  label={t.type}
                  error={problems.type}
                  description={<span lang="en">{spec?.doc}</span>}
                  data={types.map(({ type }) => type)}
                  value={given.type}
                  onChange={(event) => form.setType(event.currentTarget.value)}
                />
              </>
            )}
            <TextInput
              label={common.name}
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
              description={t.urlBegins((spec?.protocols ?? []).map((one) => `${one}//`).join(` ${t.or} `))}
              error={problems.url}
              value={given.url}
              onChange={(event) => set({ url: event.currentTarget.value })}
            />
            {destination && fields.some(({ isSecret }) => isSecret) && <Text size="sm">{t.secretsStay}</Text>}
            {fields.filter(isFirst).map(field)}
            <Button
              variant="subtle"
              style={{ alignSelf: 'flex-start' }}
              aria-expanded={isShown}
              onClick={() => setIsMoreOpen(!isShown)}
            >
              {t.whichEvents}
            </Button>
            <Collapse expanded={isShown}>
              <Stack>
                {!destination && (
                  <NativeSelect
                    label={t.beginWith}
                    data={[
                      { value: 'now', label: t.fromNowOn },
                      { value: 'beginning', label: t.fromBeginning },
                    ]}
                    error={problems.from}
                    value={given.from}
                    onChange={(event) => set({ from: event.currentTarget.value })}
                  />
                )}
                <TextInput
                  label={t.filter}
                  description={t.filterEmpty}
                  spellCheck={false}
                  error={problems.filter}
                  value={given.filter}
                  onChange={(event) => set({ filter: event.currentTarget.value })}
                />
                <NativeSelect
                  label={t.format}
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
                {t.secretMade}
              </Text>
            )}
          </>
        );
      }}
    </FormDialog>
  );
}

/** What an empty field of a destination that is changed means. */
function keptHint(
  { isSecret, kind, name }: Field,
  destination: Destination,
  t: In<typeof OPERATE>,
): string | undefined {
  if (isSecret) return t.notShown;
  return kind === 'lines' && name in storedOf(destination) ? t.givenKept : undefined;
}

const storedOf = (destination: Destination | null) =>
  (destination?.settings ?? {}) as Readonly<Record<string, unknown>>;

function useForm(
  types: readonly TypeSpec[],
  tenants: readonly NamedTenant[],
  destination: Destination | null,
) {
  const t = useTexts(OPERATE);
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
  const [given, setGiven] = useKept('destination', before);
  const [values, setValues] = useKept<Values>('values', () => beginning(before.type), {
    part: (typed) => withoutSecrets(specOf(given.type)?.fields ?? [], typed),
  });
  const spec = specOf(given.type);
  const fields = spec?.fields ?? [];
  const parts = () => ({
    settings: settingsOf(fields, values, beginning(given.type)),
    secrets: secretsOf(fields, values, t),
  });
  const changed = <N extends keyof typeof before>(name: N) =>
    given[name] === began[name] ? null : given[name];
  const outcomeOf = ({ accepted, message }: { accepted: boolean; message: string | null }) =>
    accepted ? t.receiverAccepted : t.receiverRefused(message ?? '');
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
              name: given.name,
              isSecret: true,
              key: secret,
              note: t.receiverVerifies,
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
