import { NativeSelect, PasswordInput, Switch, Textarea, TextInput } from '@mantine/core';
import type { CSSProperties } from 'react';
import type { Field } from './destination-values';

interface Props {
  readonly field: Field;
  readonly value: string | boolean;
  /** What the service says of it. */
  readonly error: string | undefined;
  /** What an empty field means, if it is not its default. */
  readonly placeholder: string | undefined;
  readonly onChange: (value: string | boolean) => void;
}

/** A text of several lines that is not shown while it is typed. */
const HIDDEN = { WebkitTextSecurity: 'disc' } as CSSProperties;

/** The field of a setting or a secret, as its type declares it. */
export function DestinationField({ field, value, error, placeholder, onChange }: Props) {
  const { label, doc, kind, isSecret, isRequired, values } = field;
  // The service declares the fields, in English.
  const inEnglish = { labelProps: { lang: 'en' }, descriptionProps: { lang: 'en' } };
  const shared = {
    ...inEnglish,
    label,
    description: doc,
    error,
    withAsterisk: isRequired,
    placeholder: placeholder ?? field.default ?? undefined,
    value: String(value),
    spellCheck: false,
  };
  if (kind === 'switch')
    return (
      <Switch
        size="sm"
        wrapperProps={{ lang: 'en' }}
        label={label}
        description={doc}
        error={error}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  if (kind === 'choice')
    return (
      <NativeSelect
        {...{ ...inEnglish, label, description: doc, error, withAsterisk: isRequired }}
        data={[...values]}
        value={String(value)}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  if (kind === 'lines' || kind === 'headers')
    return (
      <Textarea
        {...shared}
        autosize
        minRows={2}
        maxRows={8}
        autoComplete="off"
        {...(isSecret ? { styles: { input: HIDDEN } } : {})}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  if (isSecret)
    return (
      <PasswordInput
        {...shared}
        autoComplete="new-password"
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  return <TextInput {...shared} onChange={(event) => onChange(event.currentTarget.value)} />;
}
