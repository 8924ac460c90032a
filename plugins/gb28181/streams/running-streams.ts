import type { GbSessionName } from '../sdp/session-description.ts'
import type { PlaybackControl } from './playback-control.ts'

/** A stream that is fetched from a device. */
export type RunningStream = {
  readonly deviceId: string
  readonly channelId: string
  readonly name: GbSessionName
  /** The SSRC that the device was told, as ten digits. */
  readonly ssrc: string
  /** Steers a recording that is played; undefined of other streams. */
  readonly playback: Pick<PlaybackControl, 'pause' | 'resume' | 'setSpeed' | 'seek'> | undefined
}

/** The streams that all generations fetch at present, by path. */
export type RunningStreams = Map<string, RunningStream>

/** Lists a stream while it is fetched. */
export async function whileListed<Result>(
  streams: RunningStreams,
  streamPath: string,
  stream: RunningStream,
  fetching: Promise<Result>,
): Promise<Result> {
  streams.set(streamPath, stream)
  try {
    return await fetching
  } finally {
    if (streams.get(streamPath) === stream) streams.delete(streamPath)
  }
}
