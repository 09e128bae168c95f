import { Kbd, Modal, Stack, Switch, Table } from '@mantine/core';
import { useKeysPreference } from './use-keys';

interface Props {
  /** Keys and what they do. */
  readonly keys: readonly (readonly [string, string])[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The keys of a page, and the switch that turns them off. */
export function KeysHelp({ keys, isOpen, onClose }: Props) {
  const [isOn, setIsOn] = useKeysPreference();
  return (
    <Modal opened={isOpen} onClose={onClose} title="Keys" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack>
        <Table fz="sm">
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
        <Switch
          label="Single keys do this"
          checked={isOn}
          onChange={(event) => setIsOn(event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}
