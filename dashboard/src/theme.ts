import { type CSSVariablesResolver, createTheme } from '@mantine/core';

/** Buttons and fields have one height, of 28 px (`style.css`); a button in a line of text or of a list is lower. */
const small = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { defaultProps: { size: 'xs' } }]));

export const theme = createTheme({
  primaryColor: 'teal',
  // The shade under the pointer (8) is darker than the usual one (9): white text is at least 5.4:1 on both.
  colors: {
    teal: [
      ...(['#f0fdfa', '#ccfbf1', '#99f6e4', '#5eead4', '#2dd4bf'] as const),
      ...(['#14b8a6', '#0d9488', '#0e857c', '#115e59', '#0f766e'] as const),
    ],
  },
  primaryShade: { light: 9, dark: 9 },
  cursorType: 'pointer',
  respectReducedMotion: true,
  headings: { fontWeight: '600' },
  fontSizes: { sm: '13px' },
  components: {
    // What is wrong with a field is said by the service, in English.
    InputWrapper: { defaultProps: { errorProps: { lang: 'en' } } },
    ...small('Button', 'NativeSelect', 'TextInput', 'PasswordInput', 'NumberInput', 'Textarea'),
    ...small('Select', 'MultiSelect', 'SegmentedControl'),
    ActionIcon: { defaultProps: { size: 28 } },
  },
  fontFamily: 'Geist, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
});

/** The colours of badges: text on a tint of its own colour. */
const ON_TINT = {
  light: {
    teal: '#115e59',
    cyan: '#0b5563',
    blue: '#0b4a86',
    green: '#1b5e2c',
    red: '#a11a1a',
    orange: '#8a3700',
    yellow: '#6b4a00',
    gray: '#343a40',
  },
  dark: {
    teal: '#99f6e4',
    cyan: '#99e9f2',
    blue: '#a5d8ff',
    green: '#b2f2bb',
    red: '#ffc9c9',
    orange: '#ffd8a8',
    yellow: '#ffec99',
    gray: '#dee2e6',
  },
};

/** Replaces the library's colours that lack the contrast of 4.5 which small text needs. */
export const contrastVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...onTint('light'),
    '--mantine-color-anchor': '#0f6b64',
    '--mantine-color-dimmed': '#495057',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-placeholder': '#5c636a',
  },
  dark: {
    ...onTint('dark'),
    '--mantine-color-error': '#ff8787',
    '--mantine-color-dimmed': '#c1c2c5',
    '--mantine-color-placeholder': '#a6a7ab',
  },
});

const onTint = (scheme: keyof typeof ON_TINT) =>
  Object.fromEntries(
    Object.entries(ON_TINT[scheme]).map(([name, color]) => [`--mantine-color-${name}-light-color`, color]),
  );
