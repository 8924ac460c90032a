import {
  InvalidRequest,
  PublishConfig,
  PullRule,
  type PullWish,
  StreamPath,
  Type,
  type OperationRegistry,
  type Static,
} from 'sluice/sdk'
import { expectation, quoted } from '../../config/expectation.ts'
import { normalizeKey } from '../../config/key-name.ts'
import type { JsonSchema } from '../../config/schema.ts'
import { readText } from '../../config/value-reader.ts'
import type { PullManager } from '../../jobs/pull-manager.ts'

/** A value that is read as the config's key of that name. */
const AsConfigured = () =>
  Type.Optional(Type.Unsafe<string | number | boolean>({ type: ['boolean', 'number', 'string'] }))

/** What a request may set for its publisher. */
const PublishFields = Type.Object({
  pubAudio: AsConfigured(),
  pubVideo: AsConfigured(),
  kickExist: AsConfigured(),
  publishTimeout: AsConfigured(),
  mediaTimeout: AsConfigured(),
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
  testMode: AsConfigured(),
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

function wantedPull(request: PullRequest, protocolOf: PullManager['protocolOf']): PullWish {
  const { remoteURL: remoteUrl } = request
  const plugin = request.protocol || protocolOf(remoteUrl)
  // The address may hold secrets, so no message repeats it.
  if (plugin === undefined) {
    throw new InvalidRequest(
      URL.parse(remoteUrl)?.host
        ? 'the address does not tell its protocol; give it as protocol'
        : 'remoteURL is neither an address with scheme and host, nor a file that a plugin plays',
    )
  }
  return {
    plugin,
    streamPath: request.streamPath ?? `pull/${plugin}`,
    rule: {
      url: remoteUrl,
      maxretry: 0,
      retryinterval: 0,
      proxy: '',
      header: {},
      args: {},
      loop: numberOf('loop', request.loop),
      testmode: numberOf('testmode', request.testMode) === 1 ? 1 : 0,
    },
    publish: publishOf(request),
    args: {},
  }
}

/** A number of the rule; 0 unless given. */
function numberOf(key: 'loop' | 'testmode', given: PullRequest['loop']): number {
  const value = given === undefined ? undefined : configured(key, given, PullRule as JsonSchema)
  return typeof value === 'number' ? value : 0
}

function publishOf(request: PullRequest): PullWish['publish'] {
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
