import { Text } from '@mantine/core';
import { useQuery } from 'urql';
import { EntityCardDocument } from '../../generated/operations';
import { describeError } from '../api/errors';
import { ERRORS } from '../api/texts';
import { showHidden } from '../explore/event/marks';
import { FIELD_LABELS } from '../lib/field-labels';
import { useTexts } from '../lib/language';
import { useTimeZone } from '../lib/preferences';
import { factsOf } from './card-facts';
import type { EntityId } from './entity-links';
import { ENTITY } from './texts';

/** What a card says of an entity. */
export default function EntityCard({ id }: { readonly id: EntityId }) {
  const [{ data, error }] = useQuery({ query: EntityCardDocument, variables: { ...id } });
  const [t, labels, errors] = [useTexts(ENTITY), useTexts(FIELD_LABELS), useTexts(ERRORS)];
  const [zone] = useTimeZone();
  const entity = data?.entity;
  return (
    <>
      <strong>
        {t[id.kind]} {showHidden(id.value)}
      </strong>
      {error && (
        <Text size="xs" lang="en">
          {describeError(error, errors).text}
        </Text>
      )}
      {!entity && !error && <Text size="xs">{t.asking}</Text>}
      {entity && (
        <dl>
          {factsOf(entity, { zone, t, labels }).map(({ name, text }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
