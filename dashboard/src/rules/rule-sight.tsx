import { List, Text } from '@mantine/core';
import type { RuleCoverageQuery } from '../../generated/operations';
import { showHidden } from '../explore/event/marks';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { RULES } from './texts';

export type Coverage = RuleCoverageQuery['ruleCoverage'][number];

/** Server instances that one line of the table names. */
const NAMED = 2;

/** Where a rule cannot see, in a line or two. Nothing is said of a rule that sees, or of which it is not known. */
export function BlindNote({ coverage }: { readonly coverage: Coverage | undefined }) {
  const t = useTexts(RULES);
  if (!coverage || coverage.cannotSee === 0) return null;
  const blind = coverage.instances.filter(({ state }) => state === 'cannot_see').slice(0, NAMED);
  const more = coverage.cannotSee - blind.length;
  return (
    <>
      {blind.map(({ serverInstanceName, text }) => (
        <Text key={serverInstanceName} size="xs" c="red" lang="en">
          {showHidden(text)}
        </Text>
      ))}
      {more > 0 && (
        <Text size="xs" c="red">
          {t.onMore(more)}
        </Text>
      )}
    </>
  );
}

/** On which server instances a rule sees what it looks for. */
export function RuleSight({ coverage }: { readonly coverage: Coverage | undefined }) {
  const common = useTexts(COMMON);
  const t = useTexts(RULES);
  if (!coverage) return null;
  const { sees, cannotSee, unknown, groups, instances } = coverage;
  const all = sees + cannotSee + unknown;
  const shown = instances.filter(({ state }) => state !== 'sees');
  const more = cannotSee + unknown - shown.length;
  return (
    <section aria-label={t.whereItSees}>
      <Text size="sm" fw={600}>
        {t.whereItSees}
      </Text>
      <Text size="sm">{groups.length > 0 ? t.itNeeds(groups.join(', ')) : t.anyGroup}</Text>
      {all > 0 && <Text size="sm">{t.sight(all, sees, cannotSee, unknown)}</Text>}
      <List size="sm">
        {shown.map(({ serverInstanceName, text, state }) => (
          <List.Item key={serverInstanceName} c={state === 'cannot_see' ? 'red' : undefined} lang="en">
            {showHidden(text)}
          </List.Item>
        ))}
        {more > 0 && <List.Item>{common.andMore(more)}</List.Item>}
      </List>
    </section>
  );
}
