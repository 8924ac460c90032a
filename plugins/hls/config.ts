import { Duration, parseDuration, RegexMap, Type, type PluginConfig } from 'sluice/sdk'

/** The format of `fragment x window`, as in 5.x. */
const TRANSFORM_INPUT = /^\s*([\d.hms]{1,40})\s*[xX*]\s*([3-9]|[1-9]\d{1,2}|1000)\s*$/u

/** A rule of `onpub.transform`. In its place, a string is its `input`. */
const TransformRule = Type.Object({
  input: Type.String({ pattern: TRANSFORM_INPUT.source, description: 'Fragment and window, for example "5s x 3"' }),
})

export const HlsConfig = Type.Object(
  {
    format: Type.Union([Type.Literal('llhls'), Type.Literal('fmp4'), Type.Literal('ts')], {
      default: 'llhls',
      description:
        'What a viewer gets who does not ask for one with ?format=: llhls is fmp4 with low-latency parts, fmp4 ' +
        'segments of fragmented MP4, ts segments of MPEG-TS',
    }),
    fragment: Duration({
      default: '2s',
      description: 'Length of segments, which end at the next keyframe after it; from 500ms to 60s',
    }),
    window: Type.Integer({ default: 7, minimum: 3, maximum: 1000, description: 'Segments in a playlist' }),
    part: Duration({ default: '200ms', description: 'Length of low-latency parts; from 50ms to the fragment' }),
    mode: Type.Union([Type.Literal('ondemand'), Type.Literal('always')], {
      default: 'ondemand',
      description: 'Make segments while somebody watches, or of every stream from its start',
    }),
    idletimeout: Duration({
      default: '10s',
      description: 'On demand, segments are freed this long after the last viewer',
    }),
    onpub: Type.Object(
      {
        transform: RegexMap(TransformRule, {
          default: {},
          description: 'Regular expression to the fragment and window of streams whose path matches it, as "5s x 3"',
        }),
      },
      { title: 'When a stream is published' },
    ),
  },
  { title: 'HLS' },
)
export type HlsConfig = PluginConfig<typeof HlsConfig>

/** The format of a presentation: MPEG-TS, or fragmented MP4 with or without low-latency parts. */
export type HlsFormat = HlsConfig['format']

export const HLS_FORMATS: readonly HlsFormat[] = ['llhls', 'fmp4', 'ts']

const MIN_FRAGMENT_MS = 500
const MAX_FRAGMENT_MS = 60_000
const MIN_PART_MS = 50

/** The lengths by which the segments of a stream are cut, and how many are listed. */
export type SegmentRule = { readonly fragmentMs: number; readonly partMs: number; readonly window: number }

/** The segment rules of streams: one for all, except for those with a path that matches a rule of `onpub.transform`. */
export class SegmentRules {
  readonly #common: SegmentRule
  readonly #transform: readonly { readonly pattern: RegExp; readonly rule: SegmentRule }[]

  /** @throws {Error} when a duration is out of its range or a rule can't be understood */
  constructor({ fragment, part, window, onpub }: HlsConfig) {
    this.#common = { fragmentMs: fragment, partMs: part, window }
    this.#transform = Object.entries(onpub.transform).map(([expression, { input }]) => ({
      pattern: new RegExp(expression, 'u'),
      rule: parseTransformInput(input, part),
    }))
    for (const { fragmentMs } of [this.#common, ...this.#transform.map(({ rule }) => rule)]) checkFragment(fragmentMs)
    if (part < MIN_PART_MS || part > fragment) {
      throw new Error(`part: expected a duration from ${MIN_PART_MS}ms to that of fragment, found ${part}ms`)
    }
  }

  of(streamPath: string): SegmentRule {
    return this.#transform.find(({ pattern }) => pattern.test(streamPath))?.rule ?? this.#common
  }
}

function parseTransformInput(input: string, partMs: number): SegmentRule {
  const [, fragment = '', window] = TRANSFORM_INPUT.exec(input) ?? []
  const fragmentMs = parseDuration(fragment)
  if (fragmentMs === undefined) throw new Error(`onpub.transform: "${input}" is not fragment x window, as "5s x 3"`)
  return { fragmentMs, partMs: Math.min(partMs, fragmentMs), window: Number(window) }
}

function checkFragment(fragmentMs: number): void {
  if (fragmentMs >= MIN_FRAGMENT_MS && fragmentMs <= MAX_FRAGMENT_MS) return
  throw new Error(`fragment: expected a duration from ${MIN_FRAGMENT_MS}ms to 60s, found ${fragmentMs}ms`)
}
