import { TextInput } from '@mantine/core';

interface Props {
  readonly label: string;
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
  readonly placeholder?: string;
  readonly type?: 'datetime-local';
  readonly maxLength?: number;
  readonly w?: number;
}

/** A field of a filter that applies when it is left, or with Enter. Empty: null. */
export function AppliedInput({ label, value, onChange, w = 170, ...rest }: Props) {
  const take = (typed: string) => {
    const wanted = typed.trim() || null;
    if (wanted !== value) onChange(wanted);
  };
  return (
    <TextInput
      // A value that changed outside is shown.
      key={value}
      label={label}
      w={w}
      defaultValue={value ?? ''}
      onKeyDown={(event) => event.key === 'Enter' && take(event.currentTarget.value)}
      onBlur={(event) => take(event.currentTarget.value)}
      {...rest}
    />
  );
}
