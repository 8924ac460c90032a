import { Duration, RegexMap, Type, type PluginConfig } from 'sluice/sdk'
import { parseTransformRules, TransformRule, type PathRule } from './transform-rules.ts'

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

/** What a presentation is made of: MPEG-TS, or fragmented MP4 with or without low-latency parts. */
export type HlsFormat = HlsConfig['format']

export const HLS_FORMATS: readonly HlsFormat[] = ['llhls', 'fmp4', 'ts']

const MIN_FRAGMENT_MS = 500
const MAX_FRAGMENT_MS = 60_000
const MIN_PART_MS = 50

/** How the segments of a stream are cut. */
export type Cutting = { readonly fragmentMs: number; readonly partMs: number; readonly window: number }

/** How streams are cut: the same for all, but for those that a rule is for. */
export class Cuttings {
  readonly #common: Cutting
  readonly #rules: readonly PathRule[]

  /** @throws {Error} when a duration is out of its range or a rule can't be understood */
  constructor({ fragment, part, window, onpub }: HlsConfig) {
    this.#common = { fragmentMs: fragment, partMs: part, window }
    this.#rules = parseTransformRules(onpub.transform)
    for (const { fragmentMs } of [this.#common, ...this.#rules]) checkFragment(fragmentMs)
    if (part < MIN_PART_MS || part > fragment) {
      throw new Error(`part: expected a duration from ${MIN_PART_MS}ms to that of fragment, found ${part}ms`)
    }
  }

  of(streamPath: string): Cutting {
    const rule = this.#rules.find(({ pattern }) => pattern.test(streamPath))
    if (rule === undefined) return this.#common
    const { fragmentMs, window } = rule
    return { fragmentMs, window, partMs: Math.min(this.#common.partMs, fragmentMs) }
  }
}

function checkFragment(fragmentMs: number): void {
  if (fragmentMs >= MIN_FRAGMENT_MS && fragmentMs <= MAX_FRAGMENT_MS) return
  throw new Error(`fragment: expected a duration from ${MIN_FRAGMENT_MS}ms to 60s, found ${fragmentMs}ms`)
}
