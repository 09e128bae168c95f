import { useLocalStorage } from '@mantine/hooks';

/** Whether single keys are active in this browser. People who dictate, or type with one hand, can switch them off. */
export function useKeysPreference(): [boolean, (isOn: boolean) => void] {
  const [isOn, setIsOn] = useLocalStorage<boolean>({
    key: 'single-keys',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  return [isOn, setIsOn];
}
