import { parseSourceName } from '../../sqlaudit/audit-file-name';

/** What the key of an object states. */
export interface ObjectName {
  /** The name of the file in the object. */
  readonly name: string;
  /** Whether the object is a zip archive of the file. */
  readonly isZip: boolean;
  /** Objects with the same series continue each other. */
  readonly series: string;
  /** FILETIME when the file was begun; null: the key does not state it. */
  readonly created: bigint | null;
  /** What the keys of the series begin with, before the time; null: the keys of the series do not sort by time. */
  readonly seriesKey: string | null;
}

/** A key has 1,024 bytes at most, and the service takes names of as many characters. */
const NAME_CHARS_MAX = 1_000;
const SERIES_KEY = /^(.*_)\d{17,19}\.[a-z.]+$/is;
/** The audits of Amazon's Database Activity Streams, which are read by nobody else. */
const OF_STREAMS = /(^|\/)(node\d+_)?RDS_DAS_AUDIT/i;

/** @returns null for an object that is no audit file */
export function objectNameOf(key: string): ObjectName | null {
  const isZip = /\.zip$/i.test(key);
  const bare = isZip ? key.slice(0, -'.zip'.length) : key;
  const isNamed = /\.(sqlaudit|xel)$/i.test(bare);
  if ((!isNamed && !isZip) || OF_STREAMS.test(key)) return null;
  const name = (isNamed ? bare : `${bare}.sqlaudit`).slice(-NAME_CHARS_MAX);
  const told = parseSourceName(name);
  const [, seriesKey = null] = SERIES_KEY.exec(key) ?? [];
  return {
    name,
    isZip,
    series: told === null ? key : (seriesKey ?? told.audit),
    created: told?.created ?? null,
    seriesKey: told === null ? null : seriesKey,
  };
}
