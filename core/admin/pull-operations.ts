import {
  InvalidRequest,
  PublishConfig,
  PullRule,
  StreamPath,
  Type,
  type OperationRegistry,
  type Static,
} from 'sluice/sdk'
import { expectation, quoted } from '../config/expectation.ts'
import { normalizeKey } from '../config/key-name.ts'
import type { JsonSchema } from '../config/schema.ts'
import { readText } from '../config/value-reader.ts'
import type { PullManager } from '../pull/pull-manager.ts'
import type { WantedPull } from '../pull/pull-rules.ts'

/** A value that is read as the config's key of that name. */
const AsConfigured = () =>
  Type.Optional(Type.Unsafe<string | number | boolean>({ type: ['boolean', 'number', 'string'] }))

/** What a request may set for its publisher. */
const PublishFields = Type.Object({
  pubAudio: AsConfigured(),
  pubVideo: AsConfigured(),
  kickExist: AsConfigured(),
  publishTimeout: AsConfigured(),
  pauseTimeout: AsConfigured(),
  delayCloseTimeout: AsConfigured(),
  idleTimeout: AsConfigured(),
  bufferTime: AsConfigured(),
  maxCount: AsConfigured(),
  speed: AsConfigured(),
  scale: AsConfigured(),
  maxFPS: AsConfigured(),
})

/** `PullRequest` of the API, as far as it is supported. */
const PullRequest = Type.Object({
  remoteURL: Type.String(),
  protocol: Type.Optional(Type.String({ description: 'A plugin that pulls; told by the address unless given' })),
  streamPath: Type.Optional(StreamPath()),
  loop: AsConfigured(),
  ...PublishFields.properties,
  testMode: Type.Optional(Type.Number({ description: '0' })),
})
type PullRequest = Static<typeof PullRequest>

/** `POST /api/stream/pull` and `/api/pull/add` (api.md 3.1): publish what is fetched from elsewhere. */
export function addPullOperations(
  operations: OperationRegistry,
  pulls: Pick<PullManager, 'canPull' | 'protocolOf' | 'request'>,
): void {
  operations.add({
    method: 'POST',
    path: '/api/stream/pull',
    aliases: ['/api/pull/add'],
    summary: 'Remote pull',
    body: PullRequest,
    async handle({ body }) {
      const wanted = wantedPull(body, (url) => pulls.protocolOf(url))
      if (!pulls.canPull(wanted.plugin)) throw new InvalidRequest(`no plugin pulls by ${quoted(wanted.plugin)}`)
      await pulls.request(wanted)
    },
  })
}

function wantedPull(request: PullRequest, protocolOf: PullManager['protocolOf']): WantedPull {
  const { remoteURL: remoteUrl, testMode = 0 } = request
  const parsed = URL.parse(remoteUrl)
  // The address may hold secrets, so no message repeats it.
  if (parsed === null || parsed.host === '')
    throw new InvalidRequest('remoteURL is not an address with scheme and host')
  const plugin = request.protocol || protocolOf(parsed)
  if (plugin === undefined) throw new InvalidRequest('the address does not tell its protocol; give it as protocol')
  // Other servers know this; anything else would not be what was asked for.
  if (testMode !== 0) throw new InvalidRequest('testMode is not supported')
  return {
    plugin,
    streamPath: request.streamPath ?? `pull/${plugin}`,
    rule: { url: remoteUrl, loop: loopOf(request), maxretry: 0, retryinterval: 0, header: {} },
    publish: publishOf(request),
  }
}

function loopOf({ loop }: PullRequest): number {
  const value = loop === undefined ? undefined : configured('loop', loop, PullRule as JsonSchema)
  return typeof value === 'number' ? value : 0
}

function publishOf(request: PullRequest): WantedPull['publish'] {
  // Some clients send a scale of 0 where they mean none.
  const { scale, ...rest } = request
  const given = Object.entries(scale === 0 ? rest : request).filter(([name]) =>
    Object.hasOwn(PublishFields.properties, name),
  )
  return Object.fromEntries(
    given.map(([name, value]) => {
      const key = normalizeKey(name)
      return [key, configured(key, value, PublishConfig as JsonSchema)]
    }),
  )
}

/** Read as the config file's key of that name. */
function configured(key: string, value: unknown, group: JsonSchema): unknown {
  const schema = group.properties?.[key] ?? {}
  const reading = readText(String(value), schema)
  if (reading === undefined) throw new InvalidRequest(`${key}: expected ${expectation(schema)}`)
  return reading.value
}
