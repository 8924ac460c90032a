/**
 * Makes `dist/`: the server, the sdk and the plugins that come along, each as one module over shared chunks, as reading the
 * sources one by one takes seconds. Each build has a folder of its own, so that servers which run go on with theirs. The pages of
 * plugins are made first.
 * With `--package`, what the npm package has: this build alone, the declarations of the sdk, and the types of the API.
 */
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type OutputFile, type Plugin } from 'esbuild'
import { RECORD_FILE, type BuildRecord } from '../core/build/build-record.ts'
import { stampOf } from '../core/build/source-stamp.ts'
import { buildPages } from './build-pages.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const IS_PACKAGE = process.argv.includes('--package')
/** Names the folder of the newest build. */
const POINTER = 'dist/current.json'
/** Builds that are kept, for servers which were started from them and have not loaded all of them yet. */
const KEPT_BUILDS = IS_PACKAGE ? 1 : 3
/** The modules that are run or imported by themselves. */
const ENTRIES = [
  'cli/main.ts',
  'core/build/build-record.ts',
  'core/build/strip-hook.ts',
  'core/testing/index.ts',
  '{cli,core}/**/*-thread.ts',
  'core/host/processes/*-main.ts',
  'sdk/index.ts',
  'sdk/*/index.ts',
  'plugins/*/index.ts',
  'plugins/*/*-process.ts',
  'plugins/*/commands/*.ts',
]
/** The public entries of the package: their names in `exports`, and their sources. */
const PUBLIC = [
  'sdk/index',
  'sdk/host/index',
  'sdk/http/index',
  'sdk/media/index',
  'sdk/testing/index',
  'core/testing/index',
]
/** The module that is to know where the build lies; all others know where their sources do. */
const KNOWS_BUILD = 'core/build/here.ts'
/** Packages of which there must be one copy in the process, as other programs instrument it by them. */
const EXTERNAL = ['@opentelemetry/api']
/** Packages that are CommonJS ask for others by a function that modules do not have. */
const REQUIRE = `import { createRequire as createRequireOfModule } from 'node:module'; const require = createRequireOfModule(import.meta.url);`

/** A file of the build, and what it was made of. */
type Chunk = {
  readonly name: string
  readonly file: OutputFile
  readonly map: OutputFile
  readonly entry: string | undefined
  readonly sources: readonly string[]
}

process.chdir(ROOT)
const pageSources = await buildPages()
const made = await bundle()
writeBuild(made)
if (IS_PACKAGE) {
  declareTypes()
  run('--conditions=source', 'scripts/api-types.ts')
}

async function bundle(): Promise<readonly Chunk[]> {
  const sources = ENTRIES.flatMap((pattern) => globSync(pattern)).filter((file) => !file.endsWith('.test.ts'))
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: sources.map((source) => ({ in: source, out: entryName(source) })),
    // The maps name the sources from a folder of this depth; what is written goes to another.
    outdir: 'dist/build',
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'esnext',
    external: EXTERNAL,
    conditions: ['source'],
    mainFields: ['module', 'main'],
    chunkNames: 'chunk-[hash]',
    banner: { js: REQUIRE },
    sourcemap: 'external',
    sourcesContent: false,
    // Names stay, as stack traces and errors show them.
    minifyWhitespace: true,
    // A crash shows its line.
    lineLimit: 160,
    legalComments: 'none',
    logLevel: 'error',
    plugins: [ownSources(), httpWithoutWebSocket(), packagesByName()],
  })
  const byName = new Map(outputFiles.map((file) => [path.basename(file.path), file]))
  return Object.entries(metafile.outputs).flatMap(([place, { entryPoint, inputs }]) => {
    const name = path.basename(place)
    const file = byName.get(name)
    const map = byName.get(`${name}.map`)
    return file === undefined || map === undefined
      ? []
      : [{ name, file, map, entry: entryPoint, sources: Object.keys(inputs) }]
  })
}

/** The name of an entry's file in the build, which is flat: a path from there is the same for all. */
function entryName(source: string): string {
  return source.replace(/\.ts$/u, '').replaceAll(/[\\/]/gu, '.')
}

/** Keeps what a source says of itself: where it lies, and how its errors are called. Lines stay as they are. */
function ownSources(): Plugin {
  return {
    name: 'own-sources',
    setup(plugin) {
      plugin.onLoad({ filter: /[\\/](?:cli|core|plugins|sdk)[\\/].*\.ts$/ }, ({ path: id }) => {
        const source = sourceOf(id)
        if (source === undefined || source === KNOWS_BUILD) return null
        const code = readFileSync(id, 'utf8')
        return { contents: withErrorNames(withPlaces(code, source)), loader: 'ts' }
      })
    },
  }
}

/** Keeps `import.meta` naming the source, as files lie beside it. */
function withPlaces(code: string, source: string): string {
  const url = `new URL(${JSON.stringify(`../../${source}`)}, import.meta.url)`
  const file = (place: string) => `process.getBuiltinModule('node:url').fileURLToPath(${place})`
  return code
    .replaceAll(/\bimport\.meta\.url\b/gu, `${url}.href`)
    .replaceAll(/\bimport\.meta\.dirname\b/gu, file(`new URL('.', ${url})`))
    .replaceAll(/\bimport\.meta\.filename\b/gu, file(url))
}

/**
 * Keeps the names of error classes, which logs and users see: the bundler gives a class another one where it refers to itself,
 * or shares its name. All names, by `keepNames`, would take a start a tenth longer.
 */
function withErrorNames(code: string): string {
  const name = `static { Object.defineProperty(this, 'name', { value: '$2', configurable: true }) }`
  return code.replaceAll(/^((?:export )?(?:abstract )?class (\w+) extends \w*Error\b[^{]*\{)/gmu, `$1 ${name}`)
}

/**
 * Gives modules that import `node:http` what it has without its getters: an import reads all that it exports, and its
 * WebSocket is a client of half a megabyte, which takes 16 MB and a twentieth of a second to load.
 */
function httpWithoutWebSocket(): Plugin {
  const properties = Object.entries(Object.getOwnPropertyDescriptors(http))
  const names = properties.filter(([, property]) => 'value' in property).map(([name]) => name)
  const contents = `const http = process.getBuiltinModule('node:http')\nexport const { ${names.join(', ')} } = http\nexport default http\n`
  return {
    name: 'http-without-web-socket',
    setup(plugin) {
      plugin.onResolve({ filter: /^(?:node:)?http$/ }, ({ kind }) =>
        kind === 'import-statement' ? { path: 'http', namespace: 'plain' } : null,
      )
      plugin.onLoad({ filter: /^http$/, namespace: 'plain' }, () => ({ contents, loader: 'js' }))
    },
  }
}

/**
 * Gives a package that is CommonJS the names that Node finds in it, where it is imported by `import()`: the bundler knows its
 * default export alone.
 */
function packagesByName(): Plugin {
  return {
    name: 'packages-by-name',
    setup(plugin) {
      plugin.onResolve({ filter: /^[a-z@]/ }, ({ path: name, kind, resolveDir }) => {
        const isPackage = kind === 'dynamic-import' && !/^(?:node:|file:|sluice\/)/u.test(name)
        return isPackage ? { path: name, namespace: 'package', pluginData: resolveDir } : null
      })
      plugin.onLoad({ filter: /^/, namespace: 'package' }, async ({ path: name, pluginData }) => {
        const keys = Object.keys((await import(name)) as object)
        const names = keys.filter((key) => /^[\w$]+$/u.test(key) && key !== 'default')
        const contents = [
          `import * as found from ${JSON.stringify(name)}`,
          `export const { ${names.join(', ')} } = found`,
          keys.includes('default') ? 'export default found.default' : '',
        ].join('\n')
        return { contents, resolveDir: String(pluginData) }
      })
    },
  }
}

/** The path of a module below the project's folder; undefined for one of a package. */
function sourceOf(id: string): string | undefined {
  const place = path.relative(ROOT, id).replaceAll(path.sep, '/')
  return /^(?:cli|core|plugins|sdk)\//u.test(place) ? place : undefined
}

function writeBuild(chunks: readonly Chunk[]): void {
  const record = recordOf(chunks)
  const folder = hash('sha256', chunks.map(({ file }) => file.hash).join(' ')).slice(0, 12)
  const place = `dist/${folder}`
  const draft = `${place}.${process.pid}`
  mkdirSync(draft, { recursive: true })
  for (const { name, file, map } of chunks) {
    writeFileSync(`${draft}/${name}`, file.contents)
    writeFileSync(`${draft}/${name}.map`, map.contents)
  }
  writeFileSync(`${draft}/${RECORD_FILE}`, JSON.stringify(record))
  install(draft, place)
  for (const name of PUBLIC) {
    mkdirSync(`dist/${path.dirname(name)}`, { recursive: true })
    const up = '../'.repeat(name.split('/').length - 1)
    writeWhole(`dist/${name}.js`, `export * from '${up}${folder}/${entryName(name)}.js'\n`)
  }
  writeWhole(POINTER, JSON.stringify({ folder }))
  removeOld(folder)
}

/** Puts a draft in its place, where another process may have put the same one. */
function install(draft: string, place: string): void {
  try {
    renameSync(draft, place)
  } catch {
    // Its modules are the same; the sources may have other times.
    renameSync(`${draft}/${RECORD_FILE}`, `${place}/${RECORD_FILE}`)
    rmSync(draft, { recursive: true })
  }
}

function recordOf(chunks: readonly Chunk[]): BuildRecord {
  const entries = chunks.flatMap(({ entry, name }) => (entry === undefined ? [] : [[entry, name] as const]))
  const modules = new Set(chunks.flatMap(({ sources }) => sources.map((source) => sourceOf(source))))
  const sources = [...modules, ...pageSources].flatMap((source) => {
    const stamp = source === undefined ? undefined : stampOf(source)
    return source === undefined || stamp === undefined ? [] : [[source, stamp] as const]
  })
  return { sources: Object.fromEntries(sources), entries: Object.fromEntries(entries) }
}

/** Nobody reads half of it. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, text)
  renameSync(draft, file)
}

function removeOld(newest: string): void {
  const builds = readdirSync('dist').filter((name) => /^[0-9a-f]{12}(?:\.\d+)?$/u.test(name) && name !== newest)
  const byAge = builds.toSorted((a, b) => statSync(`dist/${b}`).mtimeMs - statSync(`dist/${a}`).mtimeMs)
  for (const name of byAge.slice(KEPT_BUILDS - 1)) rmSync(`dist/${name}`, { recursive: true, force: true })
}

function declareTypes(): void {
  rmSync('dist/types', { recursive: true, force: true })
  run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json')
}

function run(...args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(1)
}
