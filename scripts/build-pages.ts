/**
 * Builds the pages of plugins for browsers: of a plugin with `app/vite.config.ts` that app, and of each plugin the modules
 * `pages/*.tsx`, which the console shows. What is made goes to a folder `built` beside the sources, with the files of `public`.
 */
import { hash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { InlineConfig } from 'vite'

/** The packages that the console has for the pages of all plugins; see `plugins/console/app/shared-packages.ts`. */
const SHARED = /^(?:react|react-dom|@mantine\/(?:core|hooks|dates))(?:\/jsx-runtime)?$/u
const BUILT = 'built'
/** Names, for each folder, the state of the sources that its pages were made of. */
const RECORD = 'dist/pages.json'
/** The other files that decide what a build of the pages is. */
const TOOLS = ['scripts/build-pages.ts', 'package-lock.json']

type Pages = { readonly folder: string; readonly config: InlineConfig }

/**
 * Builds the pages whose sources have changed. The working directory is the project's folder.
 * @returns the paths of all sources of pages
 */
export async function buildPages(): Promise<readonly string[]> {
  const before = readRecord()
  const record: Record<string, string> = {}
  const all: string[] = []
  for (const { folder, config } of pagesOfPlugins()) {
    const sources = sourcesIn(folder)
    all.push(...sources)
    const state = stateOf(sources)
    if (before[folder] !== state || !existsSync(path.join(folder, BUILT))) await make(folder, config)
    record[folder] = state
  }
  mkdirSync(path.dirname(RECORD), { recursive: true })
  writeFileSync(RECORD, JSON.stringify(record))
  return all
}

function pagesOfPlugins(): readonly Pages[] {
  const apps = globSync('plugins/*/app/vite.config.ts').map((file): Pages => {
    return { folder: path.dirname(file), config: { configFile: path.resolve(file) } }
  })
  const folders = new Set(globSync('plugins/*/pages/*.tsx').map((file) => path.dirname(file)))
  return [...apps, ...[...folders].map((folder): Pages => ({ folder, config: configOfModules(folder) }))]
}

function configOfModules(folder: string): InlineConfig {
  const entries = globSync('*.tsx', { cwd: folder }).map((file) => [path.parse(file).name, path.resolve(folder, file)])
  return {
    configFile: false,
    root: path.resolve(folder),
    base: './',
    esbuild: { jsx: 'automatic' },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: BUILT,
      emptyOutDir: true,
      target: 'es2022',
      lib: { entry: Object.fromEntries(entries) as Record<string, string>, formats: ['es'] },
      rollupOptions: { external: SHARED, output: { chunkFileNames: 'assets/[name]-[hash].js' } },
    },
  }
}

async function make(folder: string, config: InlineConfig): Promise<void> {
  // It takes a while to load, and most builds have no page to make.
  const { build } = await import('vite')
  await build({ ...config, logLevel: 'warn' })
  for (const file of globSync(`${folder}/${BUILT}/**/*.{js,css}`)) compress(file)
}

/** Nothing is compressed while the server runs. */
function compress(file: string): void {
  const content = readFileSync(file)
  writeFileSync(`${file}.br`, brotliCompressSync(content))
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
}

function sourcesIn(folder: string): readonly string[] {
  const all = globSync(`${folder}/**/*`).map((file) => file.replaceAll(path.sep, '/'))
  const isMade = (file: string) => file.startsWith(`${folder}/${BUILT}/`)
  return all.filter((file) => !isMade(file) && !file.endsWith('.test.ts') && statSync(file).isFile()).toSorted()
}

function stateOf(sources: readonly string[]): string {
  const texts = [...TOOLS, ...sources].map((file) => `${file} ${hash('sha256', readFileSync(file))}`)
  return hash('sha256', texts.join('\n'))
}

function readRecord(): Readonly<Record<string, string>> {
  try {
    return JSON.parse(readFileSync(RECORD, 'utf8')) as Record<string, string>
  } catch {
    return {}
  }
}
