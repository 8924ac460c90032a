import { checkLines, readPlaylistLines, type PlaylistLine, type Tag, type Violation } from './playlist-lines.ts'

const KNOWN = new Set(['EXTM3U', 'EXT-X-VERSION', 'EXT-X-INDEPENDENT-SEGMENTS', 'EXT-X-MEDIA', 'EXT-X-STREAM-INF'])

const VIDEO_CODEC =
  /^(?:avc1\.[0-9a-fA-F]{6}|hvc1\.\d+\.[0-9A-F]+\.[LH]\d+(?:\.[0-9A-F]{1,2})*|av01\.\d\.\d{2}[MH]\.\d{2}|vp09\.\d{2}\.\d{2}\.\d{2})$/u
const AUDIO_CODEC = /^(?:mp4a\.40\.(?:2|5|29|34|42)|ac-3|ec-3|fLaC|opus)$/u

/** Which rules of RFC 8216bis and of Apple's HLS authoring specification a multivariant playlist breaks. */
export function validateMultivariant(text: string): Violation[] {
  const lines = readPlaylistLines(text)
  const tags = lines.flatMap(({ tag }) => tag ?? [])
  const rules = [checkHeader(tags), checkVariants(lines), checkAudio(tags)]
  return [...checkLines(text, KNOWN), ...rules.flatMap((rule) => [...rule])].toSorted(
    (one, other) => one.line - other.line,
  )
}

function* checkHeader(tags: readonly Tag[]): Generator<Violation> {
  const named = (name: string) => tags.filter((tag) => tag.name === name)
  for (const name of ['EXT-X-VERSION', 'EXT-X-INDEPENDENT-SEGMENTS']) {
    for (const { line } of named(name).slice(1)) yield { rule: 'repeated-tag', line, detail: name }
  }
  if (named('EXT-X-INDEPENDENT-SEGMENTS').length === 0) {
    yield { rule: 'independent-segments', line: 1, detail: 'missing' }
  }
  if (named('EXT-X-STREAM-INF').length === 0) yield { rule: 'variants', line: 1, detail: 'there are none' }
}

function* checkVariants(lines: readonly PlaylistLine[]): Generator<Violation> {
  const tags = lines.flatMap(({ tag }) => tag ?? [])
  const groups = new Set(
    tags.filter(({ name }) => name === 'EXT-X-MEDIA').map(({ attributes }) => attributes.get('GROUP-ID')),
  )
  for (const [index, { line, tag, uri }] of lines.entries()) {
    const before = lines[index - 1]?.tag
    if (uri !== undefined && before?.name !== 'EXT-X-STREAM-INF')
      yield { rule: 'variants', line, detail: `no tag: ${uri}` }
    if (tag?.name !== 'EXT-X-STREAM-INF') continue
    if (lines[index + 1]?.uri === undefined) yield { rule: 'variants', line, detail: 'no URI' }
    yield* checkVariant(tag)
    const group = tag.attributes.get('AUDIO')
    if (group !== undefined && !groups.has(group)) yield { rule: 'audio-group', line, detail: group }
  }
}

function* checkVariant({ line, attributes }: Tag): Generator<Violation> {
  const bandwidth = attributes.get('BANDWIDTH') ?? ''
  const average = attributes.get('AVERAGE-BANDWIDTH')
  const isRate = (value: string) => /^[1-9]\d*$/u.test(value)
  if (!isRate(bandwidth)) yield { rule: 'bandwidth', line, detail: bandwidth }
  else if (average !== undefined && !(isRate(average) && Number(average) <= Number(bandwidth))) {
    yield { rule: 'average-bandwidth', line, detail: `${average} of at most ${bandwidth}` }
  }
  const codecs = attributes.get('CODECS')?.split(',') ?? []
  const unknown = codecs.find((codec) => !VIDEO_CODEC.test(codec) && !AUDIO_CODEC.test(codec))
  if (codecs.length === 0 || unknown !== undefined) yield { rule: 'codecs', line, detail: unknown ?? 'missing' }
  const hasVideo = codecs.some((codec) => VIDEO_CODEC.test(codec)) || attributes.has('RESOLUTION')
  if (!hasVideo) return
  const resolution = attributes.get('RESOLUTION')
  if (!/^[1-9]\d*x[1-9]\d*$/u.test(resolution ?? '')) yield { rule: 'resolution', line, detail: `${resolution}` }
  const frameRate = Number(attributes.get('FRAME-RATE'))
  if (!(frameRate > 0)) yield { rule: 'frame-rate', line, detail: `${frameRate}` }
}

function* checkAudio(tags: readonly Tag[]): Generator<Violation> {
  const names = new Set<string>()
  const withDefault = new Set<string>()
  for (const { name, line, attributes } of tags) {
    if (name !== 'EXT-X-MEDIA') continue
    for (const key of ['TYPE', 'GROUP-ID', 'NAME', 'CHANNELS']) {
      if (!attributes.get(key)) yield { rule: 'media-attribute', line, detail: `no ${key}` }
    }
    const group = attributes.get('GROUP-ID') ?? ''
    const member = `${group}\n${attributes.get('NAME')}`
    if (names.has(member)) yield { rule: 'media-name', line, detail: `${attributes.get('NAME')} again` }
    names.add(member)
    if (attributes.get('DEFAULT') !== 'YES') continue
    if (withDefault.has(group)) yield { rule: 'media-default', line, detail: 'two of them' }
    withDefault.add(group)
    if (attributes.get('AUTOSELECT') === 'NO')
      yield { rule: 'media-default', line, detail: 'a default that none selects' }
  }
}
