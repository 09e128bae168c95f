import { errorCode, errorText } from '../log';

/** Why nothing was read. `vanished`: nothing, or another file, is at the path by now. */
export type Unread = { readonly kind: 'vanished' } | { readonly kind: 'unreadable'; readonly reason: string };

/** What of a database cannot be read now. `bytes`: known to wait there, beside those of the files that are followed. */
export interface Hindrance {
  readonly path: string;
  readonly reason: string;
  readonly bytes: number;
}

/** The result of reading a file, or why the place of the file does not let it be read. */
export async function unlessUnreadable<T>(read: () => Promise<T>): Promise<T | Unread> {
  try {
    return await read();
  } catch (error) {
    if (errorCode(error) === null) throw error;
    if (errorCode(error) === 'ENOENT') return { kind: 'vanished' };
    return { kind: 'unreadable', reason: errorText(error) };
  }
}
