import { Kbd, Stack, Switch, Table, Text } from '@mantine/core';
import { COMMAND_TEXTS } from './command-texts';
import { keyGroups } from './commands';
import { Dialog } from './dialog';
import { useTexts } from './language';
import { useKeysPreference } from './use-keys-preference';

interface Props {
  /** The pages of the session. */
  readonly pages: Parameters<typeof keyGroups>[0];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** All keys, and the switch that turns single ones off. */
export function KeysHelp({ pages, isOpen, onClose }: Props) {
  const t = useTexts(COMMAND_TEXTS);
  const [isOn, setIsOn] = useKeysPreference();
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t.keys}>
      <Stack>
        {keyGroups(pages, t).map(({ title, keys }) => (
          <Table key={title} fz="sm" verticalSpacing={2}>
            <Table.Caption style={{ captionSide: 'top', textAlign: 'left' }} mt={0}>
              <Text span size="sm" fw={600} c="var(--mantine-color-text)">
                {title}
              </Text>
            </Table.Caption>
            <Table.Tbody>
              {keys.map(([key, does]) => (
                <Table.Tr key={key}>
                  <Table.Th scope="row" w={110}>
                    <Kbd>{key}</Kbd>
                  </Table.Th>
                  <Table.Td>{does}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        ))}
        <Switch
          label={t.singleKeys}
          checked={isOn}
          onChange={(event) => setIsOn(event.currentTarget.checked)}
        />
      </Stack>
    </Dialog>
  );
}
