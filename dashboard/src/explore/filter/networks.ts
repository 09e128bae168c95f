/** More beginnings than this make no readable filter. */
const BEGINNINGS_MAX = 64;

/**
 * The values of a filter that addresses of an IPv4 network have, such as `10.20.*` for `10.20.0.0/16`.
 * @returns null for another kind of network, and for one that takes more than 64 values
 */
export function networkAddresses(network: string): readonly string[] | null {
  const [address = '', bitsText = ''] = network.split('/');
  const octets = address.split('.').map(Number);
  const bits = Number(bitsText);
  const isAddress = /^\d+(\.\d+){3}$/.test(address) && octets.every((octet) => octet <= 255);
  if (!isAddress || bits < 1 || bits > 32) return null;
  const whole = Math.floor(bits / 8);
  const fixed = octets.slice(0, whole);
  if (bits % 8 === 0) return [beginningOf(fixed)];
  const count = 2 ** (8 - (bits % 8));
  if (count > BEGINNINGS_MAX) return null;
  const first = Math.floor((octets[whole] ?? 0) / count) * count;
  return Array.from({ length: count }, (_, i) => beginningOf([...fixed, first + i]));
}

const beginningOf = (octets: readonly number[]): string =>
  octets.length === 4 ? octets.join('.') : `${octets.join('.')}.*`;
