import { Text } from '@mantine/core';
import { useAskedAgainMs } from '../api/rate-wait';
import { useTexts } from '../lib/language';
import { useNow } from '../lib/use-now';
import { SHELL } from './texts';

const SECOND_MS = 1_000;

/** Says that questions wait for the rate limit, and for how long. */
export function RateWaitNote() {
  const t = useTexts(SHELL);
  const atMs = useAskedAgainMs();
  return (
    <Text size="xs" role="status" truncate>
      {atMs !== null && (
        <>
          {t.rateWait} <Seconds atMs={atMs} />
        </>
      )}
    </Text>
  );
}

/** Not spoken: it changes each second. */
function Seconds({ atMs }: { readonly atMs: number }) {
  const t = useTexts(SHELL);
  const nowMs = useNow(SECOND_MS);
  return <span aria-hidden>{t.inSeconds(Math.max(1, Math.ceil((atMs - nowMs) / SECOND_MS)))}</span>;
}
