import { COMMON } from './common';
import { useTexts } from './language';
import { formatSince } from './time';
import { useNow } from './use-now';

const EVERY_MS = 5_000;

/** How long ago a time is. It renews itself, and nothing beside it. */
export const Ago = ({ time }: { readonly time: string }) =>
  useTexts(COMMON).ago(formatSince(time, useNow(EVERY_MS)));
