import { NativeSelect, SegmentedControl, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Named, Recipient } from './recipient';

interface Props {
  /** What goes, as `Alerts go`. */
  readonly label: string;
  readonly value: Recipient;
  readonly onChange: (change: Partial<Recipient>) => void;
  readonly destinations: readonly Named[];
  readonly problems: Readonly<Record<string, string>>;
  /** What is to be known of mails and of messages to a destination. */
  readonly hints?: { readonly email?: string; readonly destination?: string };
  /** Further fields of a mail, and of a destination. */
  readonly email?: ReactNode;
  readonly destination?: ReactNode;
}

const WAYS = [
  { value: 'email', label: 'By mail' },
  { value: 'destination', label: 'To a destination' },
] as const;

/** The fields of a form that say to whom something goes: by mail, or to a destination of the tenant. */
export function RecipientFields(props: Props) {
  const { label, value, onChange, destinations, problems, hints = {} } = props;
  return (
    <>
      <SegmentedControl
        aria-label={label}
        data={[...WAYS]}
        value={value.to}
        onChange={(to) => onChange({ to: to === 'destination' ? to : 'email' })}
      />
      {value.to === 'email' ? (
        <>
          <Textarea
            label="Addresses"
            description={['One per line.', hints.email].filter(Boolean).join(' ')}
            withAsterisk
            autosize
            error={problems.emails}
            value={value.emails}
            onChange={(event) => onChange({ emails: event.currentTarget.value })}
          />
          {props.email}
        </>
      ) : (
        <>
          <NativeSelect
            label="Destination"
            withAsterisk
            error={problems.destinationId ?? problems.emails}
            description={
              destinations.length === 0
                ? 'The tenant has none: make one first, under Destinations.'
                : hints.destination
            }
            data={destinations.map(({ destinationId, name }) => ({ value: destinationId, label: name }))}
            value={value.destinationId}
            onChange={(event) => onChange({ destinationId: event.currentTarget.value })}
          />
          {props.destination}
        </>
      )}
    </>
  );
}
