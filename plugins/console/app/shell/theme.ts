import { createTheme, type CSSVariablesResolver } from '@mantine/core'

export const theme = createTheme({
  primaryColor: 'teal',
  // White texts on it have enough contrast in both schemes.
  primaryShade: 9,
  autoContrast: true,
  respectReducedMotion: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Microsoft YaHei", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  headings: { fontWeight: '600' },
})

const HOVER = { '--mantine-color-teal-filled-hover': 'color-mix(in srgb, var(--mantine-color-teal-9) 88%, black)' }

/**
 * Mantine's own grey of secondary texts, its links, its red of errors, its coloured texts on a tint, and white texts on a button
 * below the pointer have too little contrast (WCAG 1.4.3).
 */
export const contrastVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    ...HOVER,
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-anchor': 'var(--mantine-color-teal-9)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    ...Object.fromEntries(
      Object.keys(colors).map((name) => [
        `--mantine-color-${name}-light-color`,
        `color-mix(in srgb, var(--mantine-color-${name}-9) 70%, black)`,
      ]),
    ),
  },
  dark: {
    ...HOVER,
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
})
