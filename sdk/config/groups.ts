import { Type, type Static } from 'typebox'
import { HookConfig } from './hook.ts'
import { Address, AutoDuration, ByteSize, Duration, Network, Secret, WebhookUrl } from './types.ts'
import type { Frozen } from './values.ts'

/** A recording is played at most this many times faster or slower. */
const MAX_SPEED = 16

/** `publish`: how sessions that feed a stream are treated. Each key can be set in `global` and per plugin. */
export const PublishConfig = Type.Object(
  {
    maxcount: Type.Integer({
      default: 0,
      minimum: 0,
      description: 'Most streams on the server when a publisher starts; 0 is no limit',
    }),
    pubaudio: Type.Boolean({ default: true, description: 'Take audio tracks' }),
    pubvideo: Type.Boolean({ default: true, description: 'Take video tracks' }),
    kickexist: Type.Boolean({
      default: false,
      description: 'A second publisher on a path replaces the first; otherwise it is refused',
    }),
    publishtimeout: Duration({
      default: '10s',
      description:
        'A publisher that was not heard this long is closed: no media, and no sign of life that its protocol has; 0 is never',
    }),
    mediatimeout: Duration({
      default: '0s',
      description: 'A publisher that sends no media this long is closed, however alive it is; 0 is never',
    }),
    pausetimeout: Duration({
      default: '30s',
      description: 'A publisher whose source is paused this long is closed; 0 is never',
    }),
    continuepushtimeout: Duration({
      default: '0s',
      description: 'Keep a stream this long for its publisher to come back, besides what subscribers wait',
    }),
    delayclosetimeout: Duration({
      default: '0s',
      description: 'Close the publisher this long after its last subscriber left; 0 is never',
    }),
    idletimeout: Duration({
      default: '0s',
      description: 'Close the publisher when nobody subscribed for this long; 0 is never',
    }),
    buffertime: Duration({
      default: '0s',
      description: 'Media kept for late joiners; 0 is back to the newest keyframe',
    }),
    speed: Type.Number({
      default: 0,
      minimum: 0,
      maximum: MAX_SPEED,
      description: 'Pace at which recordings are sent, 1 being that of their own times; 0 is as fast as they are read',
    }),
    scale: Type.Number({
      default: 1,
      minimum: 1 / MAX_SPEED,
      maximum: MAX_SPEED,
      description: "What the source's times are divided by",
    }),
    maxfps: Type.Integer({
      default: 60,
      minimum: 1,
      description:
        'A recording sent at another speed than 1 is cut down to its keyframes when it has more pictures a second',
    }),
    keyframeinterval: Duration({
      default: '1s',
      description: 'A source is asked for a keyframe at most once in this time; 0 is whenever somebody asks',
    }),
    key: Secret({ default: '', description: 'Key of the signature that publishers must carry; empty is no check' }),
    secretargname: Type.String({
      default: '',
      description: 'As the key of that name beside this group; empty: that one holds',
    }),
    expireargname: Type.String({
      default: '',
      description: 'As the key of that name beside this group; empty: that one holds',
    }),
  },
  { title: 'Publish' },
)
export type PublishConfig = Frozen<Static<typeof PublishConfig>>

/** `subscribe`: how sessions that take a stream are treated. Each key can be set in `global` and per plugin. */
export const SubscribeConfig = Type.Object(
  {
    maxcount: Type.Integer({ default: 0, minimum: 0, description: 'Most subscribers of a stream; 0 is no limit' }),
    subaudio: Type.Boolean({ default: true, description: 'Send audio tracks' }),
    subvideo: Type.Boolean({ default: true, description: 'Send video tracks' }),
    iframeonly: Type.Boolean({ default: false, description: 'Send only the keyframes of video' }),
    buffertime: Duration({ default: '0s', description: 'Start this far back; more than 0 makes it submode 2' }),
    submode: Type.Union(
      [
        Type.Literal(0, { title: 'The newest keyframe; jump when behind' }),
        Type.Literal(1, { title: 'The newest keyframe; never jump' }),
        Type.Literal(2, { title: 'Back by the buffer time; never jump' }),
        Type.Literal(3, { title: 'The next keyframe' }),
      ],
      {
        default: 0,
        description:
          '0: start at the newest stored keyframe, and when behind jump to the next; 1: the same without jumping (a ' +
          'viewer too slow is closed); 2: start buffertime back, without jumping; 3: start at the next keyframe',
      },
    ),
    waittimeout: Duration({ default: '10s', description: 'Wait this long for a path without publisher' }),
    waittrack: Type.Union([Type.Literal('video'), Type.Literal('audio'), Type.Literal('all')], {
      default: 'video',
      description: 'Tracks to wait for before starting',
    }),
    writemerge: AutoDuration({
      default: 'auto',
      maximum: '350ms',
      description: 'Gather output this long into one write per viewer; auto grows it with load, from 0 to 300 ms',
    }),
    queuesize: ByteSize({ default: '4MB', description: 'Most bytes queued for a viewer before it skips media' }),
    queuetime: Duration({ default: '5s', description: 'Most media time queued for a viewer before it skips media' }),
    stalltimeout: Duration({
      default: '20s',
      description: 'A viewer that takes no bytes this long while some are queued is closed as slow; 0 is never',
    }),
    key: Secret({ default: '', description: 'Key of the signature that subscribers must carry; empty is no check' }),
    secretargname: Type.String({
      default: '',
      description: 'As the key of that name beside this group; empty: that one holds',
    }),
    expireargname: Type.String({
      default: '',
      description: 'As the key of that name beside this group; empty: that one holds',
    }),
  },
  { title: 'Subscribe' },
)
export type SubscribeConfig = Frozen<Static<typeof SubscribeConfig>>

const TLS_FILES = {
  certfile: Type.String({ default: '', description: 'Certificate chain (PEM); a self-signed one is made when empty' }),
  keyfile: Type.String({ default: '', description: 'Private key (PEM) of certfile' }),
}

/** `http`: a plugin with an address of its own serves its routes there too, without the prefix. */
export const HttpConfig = Type.Object(
  {
    listenaddr: Address({ default: ':8080', description: 'HTTP address; empty is none' }),
    listenaddrtls: Address({ default: '', description: 'HTTPS address; empty is none' }),
    ...TLS_FILES,
    cors: Type.Boolean({ default: true, description: 'Let pages of other origins use the API and the media' }),
    accesslog: Type.Boolean({
      default: false,
      description: 'Log each answer, without queries and tokens, by the logger access',
    }),
    trustproxy: Type.Array(Network(), {
      default: [],
      description: "Addresses and networks of proxies whose word on a client's address, scheme and host counts",
    }),
    username: Type.String({
      default: '',
      pattern: '^[^:]*$',
      description:
        'Name that every request must bring by HTTP Basic; when it and password are empty, none is asked for',
    }),
    password: Secret({ default: '', description: 'Password that goes with username' }),
  },
  { title: 'HTTP' },
)
export type HttpConfig = Frozen<Static<typeof HttpConfig>>

/** Makes a plugin's `tcp` section; the default address is the plugin's own. Not inherited from `global`. */
export function tcpConfig(defaults: { readonly listenaddr: string }) {
  return Type.Object(
    {
      listenaddr: Address({ default: defaults.listenaddr, description: 'TCP address; empty is none' }),
      listenaddrtls: Address({ default: '', description: 'Address for the same over TLS; empty is none' }),
      ...TLS_FILES,
      nodelay: Type.Boolean({ default: true, description: 'Send small writes at once (TCP_NODELAY)' }),
      keepalive: Type.Boolean({ default: true, description: 'Probe idle connections (SO_KEEPALIVE)' }),
    },
    { title: 'TCP' },
  )
}
/** `tcp`, as {@link tcpConfig} makes it. */
export type TcpConfig = Frozen<Static<ReturnType<typeof tcpConfig>>>

/** Makes a plugin's `udp` section; the default address is the plugin's own. Not inherited from `global`. */
export function udpConfig(defaults: { readonly listenaddr: string }) {
  return Type.Object(
    {
      listenaddr: Address({ default: defaults.listenaddr, description: 'UDP address; empty is none' }),
      readbuffer: ByteSize({
        default: '4MB',
        description: 'What the system keeps of datagrams that come, at most; it may give less (net.core.rmem_max)',
      }),
      writebuffer: ByteSize({
        default: '4MB',
        description: 'What the system keeps of datagrams that go, at most; it may give less (net.core.wmem_max)',
      }),
    },
    { title: 'UDP' },
  )
}
/** `udp`, as {@link udpConfig} makes it. */
export type UdpConfig = Frozen<Static<ReturnType<typeof udpConfig>>>

const SESSION_ACTIONS = Type.Array(Type.Union([Type.Literal('publish'), Type.Literal('play')]), {
  default: ['publish', 'play'],
  description: 'Actions that pass this gate; none is both',
})
const SESSION_PROTOCOLS = Type.Array(Type.String({ pattern: '^[a-z][a-z0-9-]*$' }), {
  default: [],
  description:
    'Protocols (plugin names: rtmp, webrtc, srt, rtsp, webtransport, hls, flv, mp4) that pass this gate; none is all',
})

/** `signed_policy`: the HMAC-SHA256 URL gate (spec.md, Signed Policy). */
export const SignedPolicyConfig = Type.Object(
  {
    enable: Type.Boolean({ default: false, description: 'Ask for a signed token in the URL' }),
    secret: Secret({ default: '', description: 'Key of the HMAC; empty switches the gate off' }),
    token_query: Type.String({ default: 'policy', minLength: 1, description: 'Query parameter of the token' }),
    expire_query: Type.String({
      default: 'expire',
      minLength: 1,
      description: 'Query parameter of the expiry, decimal Unix seconds',
    }),
    algorithm: Type.Literal('hmac-sha256', { default: 'hmac-sha256', description: 'The only algorithm there is' }),
    actions: SESSION_ACTIONS,
    protocols: SESSION_PROTOCOLS,
  },
  { title: 'Signed Policy' },
)
export type SignedPolicyConfig = Frozen<Static<typeof SignedPolicyConfig>>

/** `admission_webhook`: the control server that is asked about each session (spec.md, Admission webhook config). */
export const AdmissionWebhookConfig = Type.Object(
  {
    enable: Type.Boolean({ default: false, description: 'Ask a control server about each session' }),
    url: WebhookUrl({ default: '', description: 'Control server (http or https); empty switches the gate off' }),
    secret: Secret({ default: '', description: 'When set, requests carry a signature header made with it' }),
    timeout_ms: Type.Integer({
      default: 3000,
      minimum: 1,
      // A longer timer of Node fires at once.
      maximum: 2 ** 31 - 1,
      description: 'Deadline of a request in milliseconds',
    }),
    fail_policy: Type.Union([Type.Literal('closed'), Type.Literal('open')], {
      default: 'closed',
      description: 'When the control server fails: closed denies, open admits (for development)',
    }),
    notify_closing: Type.Boolean({ default: false, description: 'Tell the control server when a session ends' }),
    actions: SESSION_ACTIONS,
    protocols: SESSION_PROTOCOLS,
  },
  { title: 'Admission Webhook' },
)
export type AdmissionWebhookConfig = Frozen<Static<typeof AdmissionWebhookConfig>>

/** The keys that the section of every plugin has besides its own; unset keys come from `global`. */
export const InheritedConfig = Type.Object({
  publish: PublishConfig,
  subscribe: SubscribeConfig,
  http: HttpConfig,
  loglevel: Type.Union(
    [Type.Literal('trace'), Type.Literal('debug'), Type.Literal('info'), Type.Literal('warn'), Type.Literal('error')],
    { default: 'info', description: 'Least severe log line that is written' },
  ),
  enableauth: Type.Boolean({ default: false, description: 'Check the signatures of publishers and subscribers' }),
  secretargname: Type.String({ default: 'secret', minLength: 1, description: 'Query parameter of the signature' }),
  expireargname: Type.String({
    default: 'expire',
    minLength: 1,
    description: 'Query parameter of its expiry, hexadecimal Unix seconds',
  }),
  auth_timeout: Duration({
    default: '5s',
    description: 'Deadline of a custom auth handler; past it the session is denied; 0 is none',
  }),
  signed_policy: SignedPolicyConfig,
  admission_webhook: AdmissionWebhookConfig,
  hook: HookConfig,
})
export type InheritedConfig = Frozen<Static<typeof InheritedConfig>>
