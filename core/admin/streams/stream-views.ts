import type { ActiveRecording, AudioTrack, Track, VideoTrack } from 'sluice/sdk'
import { mainTracks, rescale } from 'sluice/sdk/media'
import type { MergeWindow } from '../../stream/fan-out/merge-window.ts'
import type { Stream } from '../../stream/stream.ts'
import type { StreamPublisher } from '../../stream/stream-publisher.ts'
import type { StreamInfo, SubscriberInfo } from './stream-schemas.ts'
import type { StreamSubscriber } from '../../stream/stream-subscriber.ts'
import { subscriberInfo } from '../../stream/subscriber-info.ts'
import { selectsTrack } from '../../stream/track-selection.ts'

/** The `syncMode` of the API for media that goes out as it comes in, without pacing by its timestamps. */
const BY_WRITE_TIME = 1

/** `StreamInfo` of the API: one running stream, and the present write merging of its output. */
export function streamView(
  stream: Stream,
  { autoMs, utilization }: Pick<MergeWindow, 'autoMs' | 'utilization'>,
): StreamInfo {
  const { publisher } = stream
  const info = stream.info()
  const main = mainTracks(info.tracks)
  const audio = main.find((track): track is AudioTrack => track.kind === 'audio')
  const video = main.find((track): track is VideoTrack => track.kind === 'video')
  return {
    path: info.path,
    state: info.state,
    subscribers: info.subscriberCount,
    audioTrack: audio && publisher ? audioView(stream, publisher, audio) : null,
    videoTrack: video && publisher ? videoView(stream, publisher, video) : null,
    startTime: info.startTime.toISOString(),
    pluginName: info.pluginName,
    type: info.type,
    meta: JSON.stringify(info.metadata),
    details: publisher?.session.details.read() ?? {},
    isPaused: publisher?.pausedSinceMs !== undefined,
    gop: video ? (publisher?.meter(video)?.gopUnits ?? 0) : 0,
    speed: publisher?.speed ?? 1,
    bufferTime: `${(publisher?.config.buffertime ?? 0) / 1000}s`,
    stopOnIdle: (publisher?.config.delayclosetimeout ?? 0) > 0,
    recording: [],
    writeMergeMs: Math.round(autoMs),
    eventLoopUtilization: utilization,
  }
}

/** `RecordingDetail` of the API. */
export function recordingView({ filePath, mode, fragmentMs, append, type, taskId }: ActiveRecording) {
  return { filePath, mode, fragment: `${fragmentMs / 1000}s`, append, pluginName: type, pointer: taskId }
}

function audioView(stream: Stream, publisher: StreamPublisher, track: AudioTrack) {
  return {
    ...trackView(stream, publisher, track),
    sampleRate: track.config.sampleRate,
    channels: track.config.channels,
  }
}

function videoView(stream: Stream, publisher: StreamPublisher, track: VideoTrack) {
  return {
    ...trackView(stream, publisher, track),
    width: track.config.width,
    height: track.config.height,
    gop: publisher.meter(track)?.gopUnits ?? 0,
  }
}

function trackView(stream: Stream, publisher: StreamPublisher, track: Track) {
  const { language, label, layer } = track
  const meter = publisher.meter(track)
  const bps = meter?.bps ?? 0
  const fps = meter?.fps ?? 0
  return {
    codec: track.codec,
    delta: fps > 0 ? `${Math.round(1000 / fps)}ms` : '0ms',
    meta: JSON.stringify({ codec: track.config.codecString, language, label, layer }),
    bps,
    bpsOut: bps * receiversOf(stream, track),
    fps,
    timestamp: newestMsOf(publisher, track),
  }
}

/** The time of decoding of the newest unit of a track, in milliseconds of the stream; 0 before the first. */
function newestMsOf(publisher: StreamPublisher, track: Track): number {
  return Math.round(rescale(publisher.meter(track)?.lastDts ?? 0, track.timescale, 1000))
}

/** The number of subscribers that get the units of a track at present. */
function receiversOf({ subscribers }: Stream, track: Track): number {
  let receivers = 0
  for (const { waiting, selection } of subscribers) {
    if (waiting?.state === 'live' && selectsTrack(selection, track)) receivers++
  }
  return receivers
}

/** `Subscriber` of the API: one session that plays a stream or waits for it. */
export function subscriberView(subscriber: StreamSubscriber): SubscriberInfo {
  const { id, pluginName, type, remoteAddr, startTime } = subscriberInfo(subscriber)
  const { config, source } = subscriber
  const reader = (kind: Track['kind']) => {
    const track = mainTracks(subscriber.tracks).find((other) => other.kind === kind)
    return track && source.publisher ? readerView(source.publisher, track, subscriber) : null
  }
  return {
    id,
    startTime: startTime.toISOString(),
    audioReader: reader('audio'),
    videoReader: reader('video'),
    meta: JSON.stringify({ userAgent: subscriber.request.client.userAgent }),
    bufferTime: `${config.buffertime / 1000}s`,
    subMode: config.submode,
    syncMode: BY_WRITE_TIME,
    pluginName,
    type,
    remoteAddr,
    streamPath: subscriber.streamPath,
    sourcePath: subscriber.sourcePath,
    sentBytes: subscriber.sentBytes,
    queuedBytes: subscriber.queuedBytes,
    dropped: subscriber.dropped,
    skips: subscriber.skips,
    details: subscriber.session.details.read(),
    lifetimeMs: subscriber.session.lifetimeMs ?? null,
  }
}

/** `TrackReader` of the API: the position of a subscriber in a track. */
export function readerView(publisher: StreamPublisher, track: Track, subscriber: StreamSubscriber) {
  const meter = publisher.meter(track)
  const newestMs = newestMsOf(publisher, track)
  const { waiting, shift } = subscriber
  // A subscriber without a queue, such as a file, has no position in the stream: it counts as up to date.
  const timestamp = Math.round(waiting === undefined ? newestMs : waiting.lastTimeMs - (shift?.offsetMs ?? 0))
  const delay = Math.max(0, Math.round(((newestMs - timestamp) * (meter?.fps ?? 0)) / 1000))
  const live = waiting?.state === 'live'
  return {
    sequence: Math.max(0, (meter?.units ?? 0) - delay),
    timestamp,
    delay,
    state: live ? 1 : 0,
    bps: live ? (meter?.bps ?? 0) : 0,
  }
}
