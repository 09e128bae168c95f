import { OWN_NAMES } from '../bytes/checked-event';

/** How many places in the bytes are known of each value: start and end of its name, start and end of the value. */
export const PER_VALUE = 4;

/** The names of the values in `additional`, in their order. Events with the same names mostly share one instance. */
export interface Names {
  readonly texts: readonly string[];
  /** Their JSON, one after the other. */
  readonly json: Buffer;
  /** Whether each name stands once, and is not a name that the service writes. */
  readonly areSound: boolean;
}
export const NO_NAMES: Names = { texts: [], json: Buffer.alloc(0), areSound: true };

/** The names of earlier events: by their JSON, and of those the last ones for each number of names. */
const knownNames = new Map<string, Names>();
const lastNames: Names[] = [];
/** Any caller may invent names: in all they hold 10 MB at most. */
const KNOWN_MAX = 256;
const KNOWN_BYTES_MAX = 4_096;

/**
 * The names that stand in the bytes.
 * @param places of each value four: start and end of its name, start and end of the value
 */
export function namesOf(bytes: Buffer, places: Int32Array, count: number): Names {
  const last = lastNames[count];
  if (last && areNames(bytes, places, count, last.json)) return last;
  const parts: Buffer[] = [];
  for (let i = 0; i < count; i++)
    parts.push(bytes.subarray(places[PER_VALUE * i], places[PER_VALUE * i + 1]));
  const json = Buffer.concat(parts);
  const key = json.toString('latin1');
  let names = knownNames.get(key);
  if (!names) {
    const texts = parts.map((part) => JSON.parse(part.toString()) as string);
    const areSound = new Set([...texts, ...OWN_NAMES]).size === texts.length + OWN_NAMES.length;
    names = { texts, json, areSound };
    if (json.length > KNOWN_BYTES_MAX) return names;
    if (knownNames.size === KNOWN_MAX) {
      knownNames.clear();
      lastNames.length = 0;
    }
    knownNames.set(key, names);
  }
  lastNames[count] = names;
  return names;
}

function areNames(bytes: Buffer, places: Int32Array, count: number, json: Buffer): boolean {
  let at = 0;
  for (let i = 0; i < PER_VALUE * count; i += PER_VALUE) {
    const end = places[i + 1] as number;
    for (let k = places[i] as number; k < end; k++) if (bytes[k] !== json[at++]) return false;
  }
  return at === json.length;
}
