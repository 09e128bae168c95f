import { formatBytes } from '../lib/numbers';

/** The texts around evidence packages. */
export const EVIDENCE = {
  soFar: (bytes: number) =>
    `${formatBytes(bytes)} so far. The package waits for the signature of its newest events, about a minute.`,
  about:
    'A zip file of these events, with what proves them. Others verify it without a network: the file verify.html in it opens in any browser.',
  whatFor: 'What for (it stands in the package)',
  makePackage: 'Make the package',
} as const;
