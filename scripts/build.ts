/**
 * Makes `dist/`: the server, the sdk and the plugins that come along, each as one module over shared chunks, as reading the
 * sources one by one takes seconds. Each build has a folder of its own, so that servers which run go on with theirs.
 * With `--package`, what the npm package has: this build alone, and the declarations of the sdk.
 */
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { globSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown, type OutputChunk, type Plugin } from 'rolldown'
import { RECORD_FILE, type BuildRecord } from '../core/build/build-record.ts'
import { stampOf } from '../core/build/source-stamp.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const IS_PACKAGE = process.argv.includes('--package')
/** Names the folder of the newest build. */
const POINTER = 'dist/current.json'
/** Builds that are kept, for servers which were started from them and have not loaded all of them yet. */
const KEPT_BUILDS = IS_PACKAGE ? 1 : 3
/** The modules that are run or imported by themselves. */
const ENTRIES = [
  'core/main.ts',
  'core/build/build-record.ts',
  'core/build/strip-hook.ts',
  'core/testing/index.ts',
  'core/**/*-thread.ts',
  'core/host/processes/*-main.ts',
  'sdk/index.ts',
  'sdk/*/index.ts',
  'plugins/*/index.ts',
  'plugins/*/*-process.ts',
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
/** Packages whose files are served, or that are there to be instrumented: there must be one copy of these. */
const EXTERNAL = [/^node:(?!http$)/u, /^@opentelemetry\/api$/u]

process.chdir(ROOT)
const made = await bundle()
writeBuild(made)
if (IS_PACKAGE) declareTypes()

async function bundle(): Promise<readonly OutputChunk[]> {
  const sources = ENTRIES.flatMap((pattern) => globSync(pattern)).filter((file) => !file.endsWith('.test.ts'))
  const build = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(sources.map((source) => [entryName(source), source])),
    platform: 'node',
    external: EXTERNAL,
    resolve: { conditionNames: ['source', 'node', 'import', 'module', 'default'] },
    plugins: [placesOfSources(), httpWithoutWebSocket()],
  })
  const { output } = await build.generate({
    // The maps name the sources from a folder of this depth.
    dir: 'dist/build',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[name]-[hash].js',
    sourcemap: 'hidden',
    // A string with one wide character takes twice the memory; names stay, as stack traces and errors show them.
    charset: 'ascii',
    comments: false,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  })
  await build.close()
  return output.filter((chunk) => chunk.type === 'chunk')
}

/** The name of an entry's file in the build, which is flat: a path from there is the same for all. */
function entryName(source: string): string {
  return source.replace(/\.ts$/u, '').replaceAll(/[\\/]/gu, '.')
}

/** Keeps `import.meta` naming the source, as files lie beside it. Lines stay as they are. */
function placesOfSources(): Plugin {
  return {
    name: 'places-of-sources',
    transform(code, id) {
      const source = sourceOf(id)
      if (source === undefined || source === KNOWS_BUILD || !code.includes('import.meta.')) return null
      const url = `new URL(${JSON.stringify(`../../${source}`)}, import.meta.url)`
      const file = (place: string) => `process.getBuiltinModule('node:url').fileURLToPath(${place})`
      const replaced = code
        .replaceAll(/\bimport\.meta\.dirname\b/gu, file(`new URL('.', ${url})`))
        .replaceAll(/\bimport\.meta\.filename\b/gu, file(url))
        .replaceAll(/(?<!new URL\("[^"]*", )\bimport\.meta\.url\b/gu, `${url}.href`)
      return { code: replaced, map: null }
    },
  }
}

/**
 * Gives modules that import `node:http` what it has without its getters: an import reads all that it exports, and its
 * WebSocket is a client of half a megabyte, which takes 16 MB and a twentieth of a second to load.
 */
function httpWithoutWebSocket(): Plugin {
  const id = '\0http'
  const properties = Object.entries(Object.getOwnPropertyDescriptors(http))
  const names = properties.filter(([, { get }]) => get === undefined).map(([name]) => name)
  return {
    name: 'http-without-web-socket',
    resolveId(specifier, _importer, { kind }) {
      if (specifier !== 'node:http') return null
      return kind === 'import-statement' ? id : { id: specifier, external: true }
    },
    load: (module) =>
      module === id
        ? `const http = process.getBuiltinModule('node:http')\nexport const { ${names.join(', ')} } = http\nexport default http\n`
        : null,
  }
}

/** The path of a module below the project's folder; undefined for one of a package. */
function sourceOf(id: string): string | undefined {
  const place = path.relative(ROOT, id).replaceAll(path.sep, '/')
  return /^(?:core|plugins|sdk)\//u.test(place) ? place : undefined
}

function writeBuild(chunks: readonly OutputChunk[]): void {
  const record = recordOf(chunks)
  const folder = hash('sha256', chunks.map(({ code }) => code).join('\0')).slice(0, 12)
  const place = `dist/${folder}`
  const draft = `${place}.${process.pid}`
  mkdirSync(draft, { recursive: true })
  for (const { fileName, code, map } of chunks) {
    writeFileSync(`${draft}/${fileName}`, code)
    if (map) writeFileSync(`${draft}/${fileName}.map`, JSON.stringify({ ...map, sourcesContent: undefined }))
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

function recordOf(chunks: readonly OutputChunk[]): BuildRecord {
  const entries = chunks.flatMap(({ isEntry, facadeModuleId, fileName }) => {
    const source = isEntry && facadeModuleId !== null ? sourceOf(facadeModuleId) : undefined
    return source === undefined ? [] : [[source, fileName] as const]
  })
  const modules = new Set(chunks.flatMap(({ moduleIds }) => moduleIds.map(sourceOf)))
  const sources = [...modules].flatMap((source) => {
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
  const compiler = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json']
  const { status } = spawnSync(process.execPath, compiler, { stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(1)
}
