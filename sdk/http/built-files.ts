import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The bytes of a file in one content coding; undefined is the file as it is. */
export type BuiltBody = { readonly coding: ContentCoding | undefined; readonly bytes: Buffer; readonly etag: string }
type ContentCoding = 'br' | 'gzip'

/** A file of a built page. */
export type BuiltFile = {
  readonly type: string
  /** True when the name changes with the content, so that browsers need not ask again. */
  readonly isImmutable: boolean
  /** The file in its content codings, the preferred one first; the file as it is comes last. */
  readonly bodies: readonly BuiltBody[]
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  gif: 'image/gif',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  map: 'application/json',
  mjs: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  webmanifest: 'application/manifest+json',
  webp: 'image/webp',
  woff2: 'font/woff2',
}
const OTHER_TYPE = 'application/octet-stream'
const CODINGS: Readonly<Record<ContentCoding, string>> = { br: '.br', gzip: '.gz' }
const COMPRESSED = /\.(?:br|gz)$/u
/** Build tools put a hash of the content into names: `assets/index-BxYz12_4.js`. */
const HASHED = /^assets\/(?:.*[-.])?[\w-]{8,}\.[\w.]+$/u

/**
 * Reads all files of a folder, by their paths below it, with `/`. Links and names that begin with a dot are left out; a file
 * with `.br` or `.gz` behind its name is the same one, compressed.
 * @throws {Error} when there is no such folder
 */
export function readBuiltFiles(folder: string): ReadonlyMap<string, BuiltFile> {
  const names = new Set(namesBelow(folder))
  const files = new Map<string, BuiltFile>()
  for (const name of names) {
    if (COMPRESSED.test(name) && names.has(name.replace(COMPRESSED, ''))) continue
    files.set(name, {
      ...kindOf(name),
      bodies: bodiesOf(path.join(folder, name), (ending) => names.has(name + ending)),
    })
  }
  return files
}

/** The file that a name and some bytes make, uncompressed. */
export function builtFileOf(name: string, bytes: Buffer): BuiltFile {
  return { ...kindOf(name), bodies: [{ coding: undefined, bytes, etag: etagOf(bytes) }] }
}

/** The validator of some bytes. */
export function etagOf(bytes: Buffer | string): string {
  return `"${createHash('sha256').update(bytes).digest('base64url')}"`
}

function kindOf(name: string): Pick<BuiltFile, 'type' | 'isImmutable'> {
  return { type: TYPES[path.extname(name).slice(1).toLowerCase()] ?? OTHER_TYPE, isImmutable: HASHED.test(name) }
}

/** A recursive `readdir` would follow links. */
function* namesBelow(folder: string, prefix = ''): Generator<string> {
  for (const entry of readdirSync(path.join(folder, prefix), { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue
    const name = prefix + entry.name
    if (entry.isDirectory()) yield* namesBelow(folder, `${name}/`)
    else if (entry.isFile()) yield name
  }
}

function bodiesOf(file: string, has: (ending: string) => boolean): BuiltBody[] {
  const read = (coding: ContentCoding | undefined, ending: string): BuiltBody => {
    const bytes = readFileSync(file + ending)
    return { coding, bytes, etag: etagOf(bytes) }
  }
  const compressed = (['br', 'gzip'] as const).filter((coding) => has(CODINGS[coding]))
  return [...compressed.map((coding) => read(coding, CODINGS[coding])), read(undefined, '')]
}
