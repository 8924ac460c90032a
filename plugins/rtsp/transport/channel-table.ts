import type { InterleavedFrame } from '../wire/message/message.ts'
import type { PacketHandlers } from './media-transport.ts'

const MAX_CHANNEL = 254

/** The two channels of a media. */
export type ChannelPair = { readonly rtp: number; readonly rtcp: number }

/** The channels of one connection, with the handlers of their packets. */
export class ChannelTable {
  readonly #takers = new Map<number, (packet: Buffer) => void>()

  /**
   * Finds two free channels: the one that a peer asks for and the next, if these are free, or else the first free pair; undefined when
   * there is none.
   */
  free(wanted: number | undefined): number | undefined {
    if (wanted !== undefined && wanted <= MAX_CHANNEL && this.#isFree(wanted)) return wanted
    for (let channel = 0; channel <= MAX_CHANNEL; channel += 2) if (this.#isFree(channel)) return channel
    return undefined
  }

  /** True when a channel is in use. */
  has(channel: number): boolean {
    return this.#takers.has(channel)
  }

  /** True when media may come on a channel: on one that is in use or, while none is, on any. */
  mayCarry(channel: number): boolean {
    return this.#takers.size === 0 || this.#takers.has(channel)
  }

  set({ rtp, rtcp }: ChannelPair, handlers: PacketHandlers): void {
    this.#takers.set(rtp, (packet) => handlers.rtp(packet))
    this.#takers.set(rtcp, (packet) => handlers.rtcp(packet))
  }

  delete({ rtp, rtcp }: ChannelPair): void {
    this.#takers.delete(rtp)
    this.#takers.delete(rtcp)
  }

  /** Passes a frame to the handlers of its channel; frames of other channels are dropped. */
  take({ channel, payload }: InterleavedFrame): void {
    this.#takers.get(channel)?.(payload)
  }

  #isFree(channel: number): boolean {
    return !this.#takers.has(channel) && !this.#takers.has(channel + 1)
  }
}
