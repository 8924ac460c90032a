import type { InterleavedFrame } from '../wire/message/message.ts'
import type { PacketHandlers } from './media-transport.ts'

const MAX_CHANNEL = 254

/** The channels of one connection: who takes what comes on them. */
export class ChannelTable {
  readonly #handlers = new Map<number, PacketHandlers>()

  /** The channel that a peer asks for, if it and the next are free, or else the first free one; undefined when there is none. */
  free(wanted: number | undefined): number | undefined {
    if (wanted !== undefined && wanted <= MAX_CHANNEL && this.#isFree(wanted)) return wanted
    for (let channel = 0; channel <= MAX_CHANNEL; channel += 2) if (this.#isFree(channel)) return channel
    return undefined
  }

  /** @param channel of RTP; RTCP has the next */
  set(channel: number, handlers: PacketHandlers): void {
    this.#handlers.set(channel, handlers)
  }

  delete(channel: number): void {
    this.#handlers.delete(channel)
  }

  /** Hands a frame to who takes it; nobody takes those of channels that were not set up. */
  take({ channel, payload }: InterleavedFrame): void {
    const rtp = this.#handlers.get(channel)
    if (rtp !== undefined) rtp.rtp(payload)
    else this.#handlers.get(channel - 1)?.rtcp(payload)
  }

  #isFree(channel: number): boolean {
    const others = [channel - 1, channel, channel + 1]
    return others.every((other) => !this.#handlers.has(other))
  }
}
