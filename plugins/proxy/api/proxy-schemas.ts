import { StreamPath, Type, type Static } from 'sluice/sdk'

const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

const Uint = () => Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 }))

/** A duration, `10s` or a number of seconds. */
const DurationText = () => Type.Optional(Type.Unsafe<string | number>({ type: ['number', 'string'] }))

/** The fields of a request that pull and push proxies have in common. */
const COMMON_FIELDS = {
  parentID: Uint(),
  name: Text(256),
  type: Type.Optional(
    Type.Union([Type.String(), Type.Integer()], {
      description:
        'Protocol, by name or number (1 rtmp, 2 rtsp, 3 srt, 4 webrtc, 5 hls, 6 flv, 7 mp4, 8 gb28181, 9 h264, 10 h265); ' +
        'told by the address when empty or 0',
    }),
  ),
  status: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 3, description: '3 disables the proxy, anything else enables it' }),
  ),
  audio: Type.Optional(Type.Boolean()),
  description: Text(4096),
  streamPath: Type.Optional(StreamPath()),
}

const PULL_FIELDS = {
  pullURL: Type.Optional(Type.String()),
  pullOnStart: Type.Optional(Type.Boolean()),
  stopOnIdle: Type.Optional(Type.Boolean()),
  recordPath: Text(1024),
  recordFragment: DurationText(),
  checkInterval: DurationText(),
}
const PUSH_FIELDS = { pushURL: Type.Optional(Type.String()), pushOnStart: Type.Optional(Type.Boolean()) }

/** `PullProxy` of the API in a request that adds one. */
export const PullProxyInput = Type.Object({ ...COMMON_FIELDS, ...PULL_FIELDS })
export type PullProxyInput = Static<typeof PullProxyInput>

/** `PushProxy` of the API in a request that adds one. */
export const PushProxyInput = Type.Object({ ...COMMON_FIELDS, ...PUSH_FIELDS })
export type PushProxyInput = Static<typeof PushProxyInput>

const ProxyId = Type.Integer({ minimum: 1, maximum: 2 ** 32 - 1 })

/** `PullProxyPatch` of the API: a field that is left out stays as it is. */
export const PullProxyPatch = Type.Object({ ID: ProxyId, ...PullProxyInput.properties })
/** `PushProxyPatch` of the API: a field that is left out stays as it is. */
export const PushProxyPatch = Type.Object({ ID: ProxyId, ...PushProxyInput.properties })

/** The answer to a request that adds a proxy. */
export const AddedProxy = Type.Object({
  ID: Type.Integer({ description: 'By which the proxy is changed and removed' }),
})

const IDENTITY = {
  ID: Type.Integer(),
  createTime: Type.String({ format: 'date-time' }),
  updateTime: Type.String({ format: 'date-time' }),
  parentID: Type.Integer(),
  name: Type.String(),
  type: Type.String(),
  error: Type.String({
    description: 'Why it is offline, or why its latest pull or push failed; empty when nothing is known to be wrong',
  }),
  isFixed: Type.Boolean({ description: 'It stands in the config file alone, and is not changed by the API' }),
}

/** `PullProxy` of the API in an answer. */
export const PullProxyView = Type.Object({
  ...IDENTITY,
  status: Type.Integer({ description: '0 offline, 1 online, 2 pulling, 3 disabled' }),
  pullURL: Type.String({ description: 'Without what its user information and query say' }),
  pullOnStart: Type.Boolean(),
  stopOnIdle: Type.Boolean(),
  audio: Type.Boolean(),
  description: Type.String(),
  recordPath: Type.String(),
  recordFragment: Type.String({ description: 'A duration with its unit' }),
  rtt: Type.Integer({ description: 'Milliseconds' }),
  streamPath: Type.String(),
  checkInterval: Type.String({ description: 'A duration with its unit' }),
})
export type PullProxyView = Static<typeof PullProxyView>

/** `PushProxy` of the API in an answer. */
export const PushProxyView = Type.Object({
  ...IDENTITY,
  status: Type.Integer({ description: '0 offline, 1 online, 2 pushing, 3 disabled' }),
  pushURL: Type.String({ description: 'Without what its user information and query say' }),
  pushOnStart: Type.Boolean(),
  audio: Type.Boolean(),
  description: Type.String(),
  rtt: Type.Integer({ description: 'Milliseconds' }),
  streamPath: Type.String(),
})
export type PushProxyView = Static<typeof PushProxyView>
