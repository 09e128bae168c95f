/** Addresses and networks of IPv4 and IPv6. The page uses this too, so it needs nothing of Node. */

const OCTET = '(?:[0-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])';
const DOTTED = `(?:${OCTET}\\.){3}${OCTET}`;
const GROUP = '[0-9a-fA-F]{1,4}';
/** Groups before `::`, and at most how many groups may follow it. */
const shortened = (before: number): string => {
  const after = 7 - before;
  const head = before === 0 ? ':' : `(?:${GROUP}:){${before}}`;
  const tails = [...(after > 0 ? [`(?::${GROUP}){1,${after}}`] : []), ':'];
  if (after >= 2) tails.unshift(`(?::${GROUP}){0,${after - 2}}:${DOTTED}`);
  return `${head}(?:${tails.join('|')})`;
};
const FORMS = [
  `(?:${GROUP}:){7}${GROUP}`,
  `(?:${GROUP}:){6}${DOTTED}`,
  ...[0, 1, 2, 3, 4, 5, 6, 7].map(shortened),
];

/** Regular expressions that PostgreSQL reads in the same way. An address may name its zone: `fe80::1%4`. */
export const IPV4 = `^${DOTTED}$`;
export const IPV6 = `^(?:${FORMS.join('|')})(?:%[0-9a-zA-Z.:-]+)?$`;
const [IS_IPV4, IS_IPV6] = [new RegExp(IPV4), new RegExp(IPV6)];

/** A network of addresses of 128 bits, in which IPv4 lies at ::ffff:0:0/96. */
export interface Network {
  readonly first: bigint;
  readonly bits: number;
  readonly isIpv4: boolean;
}

const MAPPED_BITS = 96;
const MAPPED = 0xffffn;
const LENGTH = /^(?:0|[1-9]\d{0,2})$/;

/** Null: not a network such as `10.0.0.0/8` or `2001:db8::/32`. One of IPv4 is written as IPv4. */
export function parseNetwork(text: string): Network | null {
  const [address = '', length = '', ...rest] = text.split('/');
  const value = address.includes('%') ? null : addressValue(address);
  const isIpv4 = IS_IPV4.test(address);
  if (value === null || rest.length > 0 || !LENGTH.test(length) || isMapped(value) !== isIpv4) return null;
  const own = Number(length);
  if (own > (isIpv4 ? 32 : 128)) return null;
  const bits = isIpv4 ? own + MAPPED_BITS : own;
  return { first: cut(value, bits), bits, isIpv4 };
}

/** A network, or an address alone, which is a network of itself. */
export function parseAddresses(text: string): Network | null {
  return parseNetwork(text.includes('/') ? text : `${text}/${IS_IPV4.test(text) ? 32 : 128}`);
}

/** Whether an address lies in a network; false: it does not, or the text is no address ("local machine"). */
export const isWithin = (text: string, network: Network): boolean => isWithinAny(text, [network]);

export function isWithinAny(text: string, networks: readonly Network[]): boolean {
  const value = addressValue(text);
  return value !== null && networks.some((network) => hasAddress(network, value));
}

/** Whether an address lies in a network. @param value of `addressValue` */
export const hasAddress = ({ first, bits, isIpv4 }: Network, value: bigint): boolean =>
  isIpv4 === isMapped(value) && cut(value, bits) === first;

/** The first and the last address of a network of IPv4, as numbers. */
export function ipv4Range({ first, bits }: Network): readonly [bigint, bigint] {
  const rest = BigInt(128 - bits);
  const low = (first << rest) & 0xffff_ffffn;
  return [low, low + (1n << rest) - 1n];
}

/** A network of IPv4 as IPv6 writes it: `::ffff:a00:0/104` is 10.0.0.0/8. */
export function mappedText(network: Network): string {
  const [low] = ipv4Range(network);
  return `::ffff:${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}/${network.bits}`;
}

/** An address of IPv4 that is written as IPv6 (`::ffff:203.0.113.66`), as IPv4 writes it. Any other text stays. */
export function unmappedAddress(text: string): string {
  if (!text.includes(':')) return text;
  const value = addressValue(text);
  if (value === null || !isMapped(value)) return text;
  return [24n, 16n, 8n, 0n].map((bits) => (value >> bits) & 0xffn).join('.');
}

const isMapped = (value: bigint): boolean => value >> 32n === MAPPED;
const cut = (value: bigint, bits: number): bigint => value >> BigInt(128 - bits);

/** An address as a number of 128 bits; null: the text is no address. */
export function addressValue(text: string): bigint | null {
  if (IS_IPV4.test(text)) return (MAPPED << 32n) | dottedValue(text);
  if (!IS_IPV6.test(text)) return null;
  const [head = '', tail] = text.replace(/%.*$/, '').split('::');
  const [front, back] = [groupsOf(head), groupsOf(tail ?? '')];
  const missing = Array<bigint>(8 - front.length - back.length).fill(0n);
  return [...front, ...missing, ...back].reduce((sum, group) => (sum << 16n) | group, 0n);
}

const dottedValue = (text: string): bigint =>
  text.split('.').reduce((sum, octet) => (sum << 8n) | BigInt(octet), 0n);

function groupsOf(text: string): bigint[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)];
    const value = dottedValue(group);
    return [value >> 16n, value & 0xffffn];
  });
}
