/** Each at least 3:1 against its background, and the two apart in lightness too. */
export const HISTOGRAM_COLORS = {
  light: { succeeded: '#7d91a8', failed: '#c92a2a', text: '#495057', grid: '#dee2e6' },
  dark: { succeeded: '#64788f', failed: '#ff8787', text: '#ced4da', grid: '#373a40' },
};
