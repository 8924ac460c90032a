import {
  InvalidRequest,
  PublishConfig,
  PullRule,
  quoted,
  StreamExists,
  StreamPath,
  StreamUnavailable,
  Type,
  type PluginContext,
  type PullWish,
  type Static,
} from 'sluice/sdk'
import { OPERATOR } from '../origins.ts'
import { awaitBegin } from './begin-wait.ts'

type Context = Pick<PluginContext<unknown>, 'jobs' | 'operations' | 'readConfigText' | 'streams'>

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
export function addPullOperations(ctx: Context): void {
  const { pulls } = ctx.jobs
  ctx.operations.add({
    method: 'POST',
    path: '/api/stream/pull',
    aliases: ['/api/pull/add'],
    summary: 'Remote pull',
    body: PullRequest,
    async handle({ body }) {
      const wish = wantedPull(body, ctx)
      if (!pulls.canPull(wish.plugin)) throw new InvalidRequest(`no plugin pulls by ${quoted(wish.plugin)}`)
      if (isTaken(wish, ctx)) throw new StreamExists()
      const pull = pulls.start(wish)
      if (pull === undefined) throw new StreamUnavailable('the server is stopping')
      await awaitBegin(pull)
    },
  })
}

/** True when the path is pulled already, or has a publisher that is not to be replaced. */
function isTaken({ streamPath, publish, rule }: PullWish, { jobs, streams }: Context): boolean {
  if (jobs.pulls.get(streamPath)?.ending === false) return true
  return rule.testmode === 0 && publish.kickexist !== true && streams.get(streamPath) !== undefined
}

function wantedPull(request: PullRequest, ctx: Context): PullWish {
  const { remoteURL: remoteUrl } = request
  const plugin = request.protocol || ctx.jobs.pulls.protocolOf(remoteUrl)
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
      loop: numberOf('loop', request.loop, ctx),
      testmode: numberOf('testmode', request.testMode, ctx) === 1 ? 1 : 0,
    },
    publish: publishOf(request, ctx),
    args: {},
    isLasting: true,
    origin: OPERATOR,
  }
}

/** A number of the rule; 0 unless given. */
function numberOf(key: 'loop' | 'testmode', given: PullRequest['loop'], ctx: Context): number {
  return given === undefined ? 0 : ctx.readConfigText(key, String(given), PullRule.properties[key])
}

function publishOf(request: PullRequest, ctx: Context): PullWish['publish'] {
  // Some clients send a scale of 0 where they mean none.
  const { scale, ...rest } = request
  const schemas = new Map(Object.entries(PublishConfig.properties))
  const given = Object.entries(scale === 0 ? rest : request).flatMap(([name, value]) => {
    const schema = Object.hasOwn(PublishFields.properties, name) ? schemas.get(name.toLowerCase()) : undefined
    return schema === undefined
      ? []
      : [[name.toLowerCase(), ctx.readConfigText(name.toLowerCase(), String(value), schema)]]
  })
  return Object.fromEntries(given)
}
