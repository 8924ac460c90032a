import { fullBox, serializeBoxes, uint32, uint64 } from './box.ts'

/** An event along the timeline, such as timed metadata in ID3 (ISO/IEC 23009-1 5.10.3.3, version 1). */
export type EventMessage = {
  /** Says how the rest is meant, for example `https://aomedia.org/emsg/ID3`. */
  readonly schemeIdUri: string
  readonly value: string
  /** Ticks a second. */
  readonly timescale: number
  /** From the start of the track's times, in ticks. */
  readonly presentationTime: number
  /** In ticks; 0xffffffff is unknown. */
  readonly eventDuration: number
  /** The same for repetitions of one event. */
  readonly id: number
  readonly messageData: Buffer
}

/** The `emsg` box of an event, which goes before the `moof` of a fragment. */
export function serializeEventMessage(event: EventMessage): Buffer {
  const { timescale, presentationTime, eventDuration, id, schemeIdUri, value, messageData } = event
  const texts = Buffer.from(`${schemeIdUri}\0${value}\0`)
  const fields = [uint32(timescale), uint64(presentationTime), uint32(eventDuration, id), texts, messageData]
  return serializeBoxes([fullBox('emsg', 1, 0, fields)])
}
