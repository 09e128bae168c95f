import { type About, STAGES } from './incident-about';

/** An alert of an incident, as its title needs it. */
export interface TitledAlert {
  readonly severity: number;
  readonly firstEvent: bigint;
  readonly about: About;
}

/** The fewest rows that a title tells of when no alert is about data. */
const ROWS_TOLD = 1_000;
const TITLE_CHARS_MAX = 360;

/**
 * The chain of an incident: `203.0.113.66 guessed sa → svc_backup2 sysadmin → xp_cmdshell → 698,411 rows read → audit
 * stopped`. Of each stage it names the worst step, and of equals the first one.
 */
export function titleOf(alerts: readonly TitledAlert[], rowsRead: bigint): string {
  const worstFirst = [...alerts].sort(
    (a, b) => b.severity - a.severity || Number(a.firstEvent - b.firstEvent),
  );
  const steps = STAGES.flatMap((stage) => {
    const worst = worstFirst.find(({ about }) => about.stage === stage);
    const tellsRows = stage === 'data' && (worst ? rowsRead > 0n : rowsRead >= ROWS_TOLD);
    if (tellsRows) return [`${rowsRead.toLocaleString('en-US')} rows read`];
    return worst ? [worst.about.step] : [];
  });
  const onlyRows = steps.length === 1 && !worstFirst.some(({ about }) => about.stage !== null);
  const chain = onlyRows ? [worstFirst[0]?.about.step ?? ''] : steps;
  const title = chain.length > 0 ? chain.join(' → ') : (worstFirst[0]?.about.step ?? '');
  return title.length > TITLE_CHARS_MAX ? `${title.slice(0, TITLE_CHARS_MAX - 1)}…` : title;
}
