import { Int64, Type, type Static } from 'sluice/sdk'

const TRACK = {
  codec: Type.String(),
  delta: Type.String({ description: 'Time between two units' }),
  meta: Type.String({ description: 'JSON text' }),
  bps: Type.Integer({ description: 'Bytes a second, received' }),
  bpsOut: Type.Integer({ description: 'Bytes a second, sent to all viewers' }),
  fps: Type.Number({ description: 'Units a second' }),
  timestamp: Type.Integer({ description: 'Time of decoding of the newest unit in the stream, in milliseconds' }),
}

const AudioTrackInfo = Type.Object({ ...TRACK, sampleRate: Type.Integer(), channels: Type.Integer() })

const VideoTrackInfo = Type.Object({
  ...TRACK,
  width: Type.Integer(),
  height: Type.Integer(),
  gop: Type.Integer({ description: 'Units from one keyframe to the next' }),
})

const Details = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
  description: 'What the plugin of the session says of it',
})

const RecordingDetail = Type.Object({
  filePath: Type.String(),
  mode: Type.String(),
  fragment: Type.String({ description: 'A duration with its unit' }),
  append: Type.Boolean(),
  pluginName: Type.String(),
  pointer: Int64(),
})

/** `StreamInfo` of the API. */
export const StreamInfo = Type.Object({
  path: Type.String(),
  state: Type.Integer({ description: '0 init, 1 track added, 2 subscribed, 3 waiting for subscribers, 4 disposed' }),
  subscribers: Type.Integer({ description: 'Players; not what the server itself takes the stream for' }),
  audioTrack: Type.Union([AudioTrackInfo, Type.Null()]),
  videoTrack: Type.Union([VideoTrackInfo, Type.Null()]),
  startTime: Type.String({ format: 'date-time' }),
  pluginName: Type.String(),
  type: Type.String(),
  meta: Type.String({ description: 'JSON text' }),
  details: Details,
  isPaused: Type.Boolean(),
  gop: Type.Integer(),
  speed: Type.Number(),
  bufferTime: Type.String({ description: 'A duration with its unit' }),
  stopOnIdle: Type.Boolean(),
  recording: Type.Array(RecordingDetail, { description: 'The recordings that are being made of it' }),
  writeMergeMs: Type.Integer(),
  eventLoopUtilization: Type.Number(),
})
export type StreamInfo = Static<typeof StreamInfo>

const Reader = Type.Object({
  sequence: Type.Integer(),
  timestamp: Type.Integer({ description: 'Milliseconds' }),
  delay: Type.Integer({ description: 'Units behind the publisher' }),
  state: Type.Integer(),
  bps: Type.Integer(),
})

/** `Subscriber` of the API. */
export const SubscriberInfo = Type.Object({
  id: Type.Integer(),
  startTime: Type.String({ format: 'date-time' }),
  audioReader: Type.Union([Reader, Type.Null()]),
  videoReader: Type.Union([Reader, Type.Null()]),
  meta: Type.String({ description: 'JSON text' }),
  bufferTime: Type.String({ description: 'A duration with its unit' }),
  subMode: Type.Integer(),
  syncMode: Type.Integer({ description: '0: at the pace of its times, 1: as it comes in' }),
  pluginName: Type.String(),
  type: Type.String(),
  remoteAddr: Type.String(),
  streamPath: Type.String(),
  sourcePath: Type.String({ description: 'The stream that it gets, where it was moved to another' }),
  sentBytes: Int64(),
  queuedBytes: Int64(),
  dropped: Type.Integer({ description: 'Units it was not sent' }),
  skips: Type.Integer(),
  details: Details,
  lifetimeMs: Type.Union([Type.Number(), Type.Null()], {
    description: 'What the control server gave it; not enforced',
  }),
})
export type SubscriberInfo = Static<typeof SubscriberInfo>
