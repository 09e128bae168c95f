import { addressesOf } from './addresses';

/** To whom a form says that something goes. */
export interface Recipient {
  readonly to: 'email' | 'destination';
  /** As typed. */
  readonly emails: string;
  /** Empty: the first of the tenant. */
  readonly destinationId: string;
}

/** What an operation is told of a recipient. Null: it goes the other way, or there is no destination. */
export function recipientOf({ to, emails, destinationId }: Recipient, destinations: readonly Named[]) {
  return to === 'email'
    ? { emails: addressesOf(emails), destinationId: null }
    : { emails: null, destinationId: destinationId || (destinations[0]?.destinationId ?? null) };
}

export interface Named {
  readonly destinationId: string;
  readonly name: string;
}
