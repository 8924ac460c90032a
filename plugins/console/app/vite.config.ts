import path from 'node:path'
import { defineConfig } from 'vite'
import { STYLE_NONCE } from '../style-nonce.ts'
import { sharedInputs, sharedPackages } from './shared-packages.ts'

/** The build of the console's page: relative addresses, as it may lie below any path, and nothing inline but its import map. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  esbuild: { jsx: 'automatic' },
  html: { cspNonce: STYLE_NONCE },
  plugins: [sharedPackages()],
  build: {
    outDir: 'built',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    rollupOptions: {
      input: { index: path.join(import.meta.dirname, 'index.html'), ...sharedInputs() },
      preserveEntrySignatures: 'allow-extension',
      onwarn(warning, warn) {
        // Mantine marks its modules for servers of React.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
      },
    },
  },
})
