import { serializeLeb128 } from '../../codec/av1/obu.ts'
import type { RtpPayload } from '../packetizer.ts'
import { AV1_AGGREGATION } from './aggregation-header.ts'

/** A fragment smaller than this is not worth its size: it begins in the next packet. */
const MIN_FRAGMENT_BYTES = 8

type Element = { readonly parts: readonly Buffer[]; readonly sizeBytes: number }

/** Packs the OBUs of one temporal unit into payloads (RTP Payload Format For AV1 4.3 to 4.5). */
export class ElementPacker {
  readonly #maxElementsBytes: number
  readonly #sizeFieldBytes: number
  readonly #newSequence: boolean
  readonly #payloads: RtpPayload[] = []
  #elements: Element[] = []
  #roomBytes: number
  /** The first element goes on with one of the payload before. */
  #goesOn = false

  /** @param newSequence Whether the temporal unit begins a coded video sequence */
  constructor(maxPayloadBytes: number, newSequence: boolean) {
    this.#maxElementsBytes = maxPayloadBytes - 1
    this.#sizeFieldBytes = serializeLeb128(maxPayloadBytes).length
    this.#newSequence = newSequence
    this.#roomBytes = this.#maxElementsBytes
  }

  /** Adds an OBU without a size. */
  add(header: Buffer, payload: Buffer): void {
    const parts = [header, payload]
    let leftBytes = header.length + payload.length
    while (leftBytes > 0) {
      const room = this.#roomBytes - this.#sizeFieldBytes
      if (leftBytes > room && room < MIN_FRAGMENT_BYTES) {
        this.#close(false, false)
        continue
      }
      const sizeBytes = Math.min(leftBytes, room)
      this.#elements.push({ parts: takeFront(parts, sizeBytes), sizeBytes })
      this.#roomBytes -= this.#sizeFieldBytes + sizeBytes
      leftBytes -= sizeBytes
      if (leftBytes > 0) this.#close(true, false)
    }
  }

  /** Returns all payloads. */
  finish(): readonly RtpPayload[] {
    if (this.#elements.length > 0) this.#close(false, true)
    return this.#payloads
  }

  #close(continues: boolean, marker: boolean): void {
    const count = this.#elements.length <= AV1_AGGREGATION.MAX_COUNT ? this.#elements.length : 0
    const begins = this.#newSequence && this.#payloads.length === 0
    const head =
      (this.#goesOn ? AV1_AGGREGATION.GOES_ON : 0) |
      (continues ? AV1_AGGREGATION.CONTINUES : 0) |
      (count << AV1_AGGREGATION.COUNT_SHIFT) |
      (begins ? AV1_AGGREGATION.NEW_SEQUENCE : 0)
    const parts: Buffer[] = [Buffer.of(head)]
    for (const [index, element] of this.#elements.entries()) {
      if (index + 1 !== count) parts.push(serializeLeb128(element.sizeBytes))
      parts.push(...element.parts)
    }
    let sizeBytes = 0
    for (const part of parts) sizeBytes += part.length
    this.#payloads.push({ parts, sizeBytes, marker })
    this.#elements = []
    this.#roomBytes = this.#maxElementsBytes
    this.#goesOn = continues
  }
}

/** Takes so many bytes out of the front of some parts, as views. */
function takeFront(parts: Buffer[], sizeBytes: number): Buffer[] {
  const taken: Buffer[] = []
  for (let left = sizeBytes; left > 0;) {
    const part = parts.shift()!
    const view = part.subarray(0, left)
    left -= view.length
    if (view.length > 0) taken.push(view)
    if (view.length < part.length) parts.unshift(part.subarray(view.length))
  }
  return taken
}
