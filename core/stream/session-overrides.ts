import { InvalidRequest, PublishConfig, SubscribeConfig } from 'sluice/sdk'
import { readGiven } from '../config/value-reader.ts'
import type { JsonSchema } from '../config/schema.ts'

/** The query of a session, decoded. */
type Params = Readonly<Record<string, string>>

/** The limit of `buffertime` for a subscriber: the server keeps that much media of the stream while it is there. */
const MAX_BUFFERTIME_MS = 30_000
/** The limit of `waittimeout` for a subscriber, which holds a connection while it waits. */
const MAX_WAITTIMEOUT_MS = 60_000

/** A key that any client may set for its own session (config.md 4), with the limit of its value. */
type Override = { readonly key: string; readonly schema: JsonSchema; readonly maximum: number }

const PUBLISH_OVERRIDES = overrides<keyof PublishConfig>(PublishConfig as JsonSchema, [
  ...(['pubaudio', 'pubvideo', 'speed', 'scale'] as const),
])
const SUBSCRIBE_OVERRIDES = overrides<keyof SubscribeConfig>(
  SubscribeConfig as JsonSchema,
  ['subaudio', 'subvideo', 'iframeonly', 'buffertime', 'submode', 'waittimeout', 'waittrack'],
  { buffertime: MAX_BUFFERTIME_MS, waittimeout: MAX_WAITTIMEOUT_MS },
)

/** The suffix of renamings: `bufferTimeArgName=x` means that the parameter `x` carries `buffertime`. */
const RENAMING_SUFFIX = 'argname'

/**
 * The publish config of one session: `pubaudio`, `pubvideo`, `speed` and `scale` may be set in its query. The same object
 * when the query sets none.
 * @throws {InvalidRequest} for a value that the schema refuses
 */
export function applyPublishOverrides(config: PublishConfig, params: Params): PublishConfig {
  return applied(config, params, PUBLISH_OVERRIDES)
}

/**
 * The subscribe config of one session: `subaudio`, `subvideo`, `iframeonly`, `buffertime` (at most 30 s or, if longer, the
 * configured time), `submode`, `waittimeout` (likewise, 60 s) and `waittrack` may be set in its query. The same object when
 * the query sets none.
 * @throws {InvalidRequest} for a value that the schema refuses, and when nothing is left to be sent
 */
export function applySubscribeOverrides(config: SubscribeConfig, params: Params): SubscribeConfig {
  const overridden = applied(config, params, SUBSCRIBE_OVERRIDES)
  if (overridden === config || overridden.subaudio || overridden.subvideo) return overridden
  throw new InvalidRequest('neither audio nor video is asked for: subaudio and subvideo are both off')
}

function overrides<Key extends string>(
  group: JsonSchema,
  keys: readonly Key[],
  maxima: Partial<Record<Key, number>> = {},
): ReadonlyMap<string, Override> {
  return new Map(
    keys.map((key) => [key, { key, schema: group.properties?.[key] ?? {}, maximum: maxima[key] ?? Infinity }]),
  )
}

function applied<Values extends object>(
  config: Values,
  params: Params,
  allowed: ReadonlyMap<string, Override>,
): Values {
  let texts: Map<string, string> | undefined
  for (const name in params) {
    const lower = name.toLowerCase()
    const renamed = lower.endsWith(RENAMING_SUFFIX)
    const key = renamed ? lower.slice(0, -RENAMING_SUFFIX.length) : lower
    if (!allowed.has(key)) continue
    texts ??= new Map()
    const text = renamed ? parameter(params, params[name] ?? '') : params[name]
    // A renaming decides which parameter counts, wherever in the query it is.
    if (text !== undefined && (renamed || !texts.has(key))) texts.set(key, text)
  }
  return texts === undefined ? config : overridden(config, texts, allowed)
}

function overridden<Values extends object>(
  config: Values,
  texts: ReadonlyMap<string, string>,
  allowed: ReadonlyMap<string, Override>,
): Values {
  const changed: Record<string, unknown> = Object.fromEntries(Object.entries(config))
  for (const { key, schema, maximum } of allowed.values()) {
    const text = texts.get(key)
    if (text === undefined) continue
    // A renaming could have the value point at a signature, which no message repeats.
    const value = readGiven(key, text, schema)
    changed[key] = typeof value === 'number' ? Math.min(value, Math.max(maximum, Number(changed[key]))) : value
  }
  return changed as Values
}

function parameter(params: Params, name: string): string | undefined {
  const wanted = name.toLowerCase()
  for (const candidate in params) if (candidate.toLowerCase() === wanted) return params[candidate]
  return undefined
}
