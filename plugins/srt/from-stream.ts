import type { Logger } from 'pino'
import type { CloseReason, Sink, Subscriber } from 'sluice/sdk'
import { canCarryInTs, TS_DATA_FORMAT } from 'sluice/sdk/media'
import { Refusal } from './reject.ts'
import type { Connection } from './wire/connection.ts'
import { REJECT_REASON } from './wire/handshake/reject-reason.ts'

const LEFT_OUT = 'tracks are left out: MPEG-TS can carry none of their codecs'

/** @throws {Refusal} when the stream has tracks, and MPEG-TS can carry none of them */
export function checkTracks({ tracks }: Subscriber): void {
  if (tracks.length === 0 || tracks.some(canCarryInTs)) return
  const codecs = tracks.map(({ codec }) => codec).join(', ')
  throw new Refusal(REJECT_REASON.notSupportedMedia, `MPEG-TS carries none of the stream's codecs (${codecs})`)
}

/**
 * True when the stream of a subscriber has ended, so that the receiver should get all of it; false when the receiver left or was too slow.
 */
export function isOrderly(reason: CloseReason | undefined): boolean {
  return reason?.code === 'closed' || reason?.code === 'timeout'
}

/** Sends a subscriber's stream over a connection until either ends; tracks that MPEG-TS can't carry are named in the log. */
export function sendStream(subscriber: Subscriber, connection: Connection, log: Logger): void {
  const leftOut = subscriber.tracks.filter((track) => track.kind !== 'data' && !canCarryInTs(track))
  if (leftOut.length > 0) log.warn({ codecs: leftOut.map(({ codec }) => codec) }, LEFT_OUT)
  const sink: Sink = {
    write: (bytes) => connection.send(bytes),
    get queuedBytes() {
      return connection.queuedBytes
    },
  }
  subscriber.attach(TS_DATA_FORMAT, sink)
}
