import { errorCode, errorText } from '../log';

/** Why nothing was read. `vanished`: nothing, or another file, is now at the path. */
export type Unread = { readonly kind: 'vanished' } | { readonly kind: 'unreadable'; readonly reason: string };

/** A file or folder of a database that cannot be read now. `bytes`: waiting there, beside those of followed files. */
export interface Hindrance {
  readonly path: string;
  readonly reason: string;
  readonly bytes: number;
}

/** The result of reading a file, or why its storage does not allow that. */
export async function unlessUnreadable<T>(read: () => Promise<T>): Promise<T | Unread> {
  try {
    return await read();
  } catch (error) {
    if (errorCode(error) === null) throw error;
    if (errorCode(error) === 'ENOENT') return { kind: 'vanished' };
    return { kind: 'unreadable', reason: errorText(error) };
  }
}
