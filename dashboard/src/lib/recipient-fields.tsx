import { NativeSelect, SegmentedControl, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { COMMON } from './common';
import { useTexts } from './language';
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

/** The fields of a form that say to whom something goes: by mail, or to a destination of the tenant. */
export function RecipientFields(props: Props) {
  const common = useTexts(COMMON);
  const { label, value, onChange, destinations, problems, hints = {} } = props;
  return (
    <>
      <SegmentedControl
        aria-label={label}
        data={[
          { value: 'email', label: common.byMail },
          { value: 'destination', label: common.toDestination },
        ]}
        value={value.to}
        onChange={(to) => onChange({ to: to === 'destination' ? to : 'email' })}
      />
      {value.to === 'email' ? (
        <>
          <Textarea
            label={common.addresses}
            description={[common.onePerLine, hints.email].filter(Boolean).join(' ')}
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
            label={common.destination}
            withAsterisk
            error={problems.destinationId ?? problems.emails}
            description={destinations.length === 0 ? common.noDestination : hints.destination}
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
