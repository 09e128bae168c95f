import { Text } from '@mantine/core';
import { useQuery } from 'urql';
import { EntityCardDocument } from '../../generated/operations';
import { describeError } from '../api/errors';
import { showHidden } from '../explore/event/marks';
import { useTimeZone } from '../lib/preferences';
import { factsOf } from './card-facts';
import { type EntityId, KIND_LABELS } from './entity-links';

/** What a card says of an entity. */
export default function EntityCard({ id }: { readonly id: EntityId }) {
  const [{ data, error }] = useQuery({ query: EntityCardDocument, variables: { ...id } });
  const [zone] = useTimeZone();
  const entity = data?.entity;
  return (
    <>
      <strong>
        {KIND_LABELS[id.kind]} {showHidden(id.value)}
      </strong>
      {error && <Text size="xs">{describeError(error).text}</Text>}
      {!entity && !error && <Text size="xs">Asking …</Text>}
      {entity && (
        <dl>
          {factsOf(entity, zone).map(({ name, text }) => (
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
