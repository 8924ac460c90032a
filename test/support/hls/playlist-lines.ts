/** A rule that a playlist breaks. */
export type Violation = {
  /** The rule's name, for example `segment-duration`. */
  readonly rule: string
  /** Where, from 1. */
  readonly line: number
  /** What is wrong, with the value. */
  readonly detail: string
}

/** A tag of a playlist. */
export type Tag = {
  readonly line: number
  /** Without `#`. */
  readonly name: string
  readonly value: string
  /** Of an attribute list, without quotes; empty if the value is none. */
  readonly attributes: ReadonlyMap<string, string>
}

/** A line of a playlist that is neither empty nor a comment. */
export type PlaylistLine = { readonly line: number; readonly tag?: Tag; readonly uri?: string }

const ATTRIBUTE = /([A-Z0-9-]+)=("[^"]*"|[^",\s][^",]*)(?:,|$)/gu
const TAGS_WITH_ATTRIBUTES = new Set([
  'EXT-X-MAP',
  'EXT-X-MEDIA',
  'EXT-X-PART',
  'EXT-X-PART-INF',
  'EXT-X-PRELOAD-HINT',
  'EXT-X-RENDITION-REPORT',
  'EXT-X-SERVER-CONTROL',
  'EXT-X-SKIP',
  'EXT-X-STREAM-INF',
])
const QUOTED_ATTRIBUTES = new Set(['AUDIO', 'BYTERANGE', 'CHANNELS', 'CODECS', 'GROUP-ID', 'LANGUAGE', 'NAME', 'URI'])

/** Splits a playlist into its tags and URIs; nothing is refused. */
export function readPlaylistLines(text: string): PlaylistLine[] {
  return text.split('\n').flatMap((content, index): PlaylistLine[] => {
    const line = index + 1
    if (content.startsWith('#EXT')) return [{ line, tag: readTag(content, line) }]
    return content === '' || content.startsWith('#') ? [] : [{ line, uri: content }]
  })
}

function readTag(content: string, line: number): Tag {
  const [, name = '', value = ''] = /^#([^:]*):?(.*)$/su.exec(content) ?? []
  const attributes = new Map(attributesOf(value).found.map(([key, text]) => [key, text.replaceAll('"', '')]))
  return { line, name, value, attributes: TAGS_WITH_ATTRIBUTES.has(name) ? attributes : new Map() }
}

/** Names and values as they are written, as far as it is an attribute list. */
function attributesOf(value: string): { found: [name: string, value: string][]; whole: boolean } {
  const matches = [...value.matchAll(ATTRIBUTE)]
  const sizeChars = matches.reduce((sum, [match]) => sum + match.length, 0)
  return {
    found: matches.map(([, name = '', text = '']) => [name, text]),
    whole: sizeChars === value.length && !value.endsWith(','),
  }
}

/** What holds of any playlist: its first line, known tags, well-formed attributes and URIs. */
export function* checkLines(text: string, known: ReadonlySet<string>): Generator<Violation> {
  if (!text.startsWith('#EXTM3U\n')) yield { rule: 'first-line', line: 1, detail: text.slice(0, 20) }
  for (const { line, tag, uri } of readPlaylistLines(text)) {
    if (uri !== undefined && /[\s"]/u.test(uri)) yield { rule: 'uri', line, detail: uri }
    if (!tag) continue
    if (!known.has(tag.name)) yield { rule: 'unknown-tag', line, detail: tag.name }
    if (TAGS_WITH_ATTRIBUTES.has(tag.name)) yield* checkAttributes(tag)
  }
}

function* checkAttributes({ line, value }: Tag): Generator<Violation> {
  const { found, whole } = attributesOf(value)
  if (!whole) yield { rule: 'attributes', line, detail: value }
  const names = found.map(([name]) => name)
  if (new Set(names).size < names.length) yield { rule: 'attributes', line, detail: `${value} repeats a name` }
  for (const [name, text] of found) {
    if (text.startsWith('"') !== QUOTED_ATTRIBUTES.has(name)) {
      yield { rule: 'attributes', line, detail: `quotes of ${name}=${text}` }
    }
  }
}
