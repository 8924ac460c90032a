/**
 * Builds the pages for browsers: of a plugin with `app/vite.config.ts` the whole app, and of each plugin its modules
 * `pages/*.tsx`, which the console shows. All go to a folder `built` beside their sources.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'vite'

/** The packages that the console has for all pages. */
const SHARED = /^(?:react|react-dom|@mantine\/(?:core|hooks|dates))(?:\/jsx-runtime)?$/u

/** Builds all pages of the project. The working directory is its folder. */
export async function buildPages(): Promise<void> {
  for (const configFile of globSync('plugins/*/app/vite.config.ts')) {
    await build({ configFile: path.resolve(configFile), logLevel: 'warn' })
  }
  for (const folder of globSync('plugins/*/pages')) await buildModules(folder)
  for (const file of globSync('plugins/*/{app,pages}/built/**/*.{js,css}')) compress(file)
}

/** Nothing is compressed while the server runs. */
function compress(file: string): void {
  const content = readFileSync(file)
  writeFileSync(`${file}.br`, brotliCompressSync(content))
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
}

async function buildModules(folder: string): Promise<void> {
  const entries = globSync('*.tsx', { cwd: folder })
  if (entries.length === 0) return
  await build({
    configFile: false,
    root: path.resolve(folder),
    base: './',
    logLevel: 'warn',
    esbuild: { jsx: 'automatic' },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: 'built',
      emptyOutDir: true,
      target: 'es2022',
      lib: { entry: Object.fromEntries(entries.map((file) => [path.parse(file).name, file])), formats: ['es'] },
      rollupOptions: { external: SHARED, output: { chunkFileNames: 'assets/[name]-[hash].js' } },
    },
  })
}
