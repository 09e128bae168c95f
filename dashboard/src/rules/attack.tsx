import { Text } from '@mantine/core';

const PREFIX = 'attack.';

/** `attack.t1110.001` as `T1110.001`, `attack.credential-access` as `credential access`. */
export const attackOf = (tags: readonly string[]): readonly string[] =>
  tags
    .filter((tag) => tag.startsWith(PREFIX))
    .map((tag) => tag.slice(PREFIX.length))
    .map((name) => (/^[a-z]+\d/.test(name) ? name.toUpperCase() : name.replaceAll(/[-_]/g, ' ')));

/** The rule's tactics and techniques of ATT&CK. */
export const Attack = ({ tags }: { readonly tags: readonly string[] }) => {
  const names = attackOf(tags);
  return names.length === 0 ? null : (
    <Text size="sm" mt="xs">
      {`ATT&CK: ${names.join(', ')}`}
    </Text>
  );
};
