import { randomBytes } from 'node:crypto'
import type { PacketArena } from 'sluice/sdk'
import type { KeyEncryption, StreamKeys } from './key-encryption.ts'
import { EVEN_KEY, ODD_KEY, type KeyFlag } from './key-material.ts'
import { PacketCipher } from './packet-cipher.ts'

/** When keys are renewed, counted in new packets (draft-sharabayko-srt-01 6.1.6). */
export type KeyRenewal = {
  /** The number of packets that a key encrypts. */
  readonly renewAfterPackets: number
  /**
   * The number of packets before the renewal at which the next key is announced, and after it for which the old one is kept: at most half
   * of `renewAfterPackets`.
   */
  readonly announcePackets: number
}

/** Options that only tests set. */
export type KeyOptions = {
  readonly random?: (bytes: number) => Buffer
  readonly renewal?: KeyRenewal
}

const DEFAULT_RENEWAL: KeyRenewal = { renewAfterPackets: 2 ** 24, announcePackets: 2 ** 12 }
/** The most times as long that a key serves when the peer does not confirm the next one. */
const MAX_DELAY = 2

type SendingKey = { readonly flag: KeyFlag; readonly key: Buffer; readonly cipher: PacketCipher }

/** Encrypts the packets of one direction, and renews their key: the next key is announced to the peer, then comes in force. */
export class SendingKeys {
  readonly #encryption: KeyEncryption
  readonly #random: (bytes: number) => Buffer
  readonly #renewal: KeyRenewal
  #message: Buffer
  #request: Buffer | undefined
  #current: SendingKey | undefined
  /** The next key: announced, but not yet in force. */
  #next: SendingKey | undefined
  /** The previous key, for packets that were first sent with it. */
  #previous: SendingKey | undefined
  /** New packets since the key came in force. */
  #packetCount = 0

  /**
   * Begins with the even one of the keys, if it is there.
   * @param message the Key Material message that brought them to the peer, or came from there
   * @throws {RangeError} for a renewal that is announced before the last one is over
   */
  constructor(encryption: KeyEncryption, keys: StreamKeys, message: Buffer, options: KeyOptions = {}) {
    const { random = randomBytes, renewal = DEFAULT_RENEWAL } = options
    if (renewal.announcePackets * 2 > renewal.renewAfterPackets) {
      throw new RangeError(
        `SRT keys for ${renewal.renewAfterPackets} packets, announced ${renewal.announcePackets} before`,
      )
    }
    this.#encryption = encryption
    this.#random = random
    this.#renewal = renewal
    this.#message = message
    const flag = keys.has(EVEN_KEY) ? EVEN_KEY : ODD_KEY
    this.#current = this.#createKey(flag, keys.get(flag)!)
  }

  /** The Key Material message with the key in force, and the one before or after it while that is in use. */
  get message(): Buffer {
    return this.#message
  }

  /** The key in force: new packets are encrypted with it. */
  get flag(): KeyFlag {
    return this.#open().flag
  }

  /** The message that the peer has yet to confirm; it is to be sent again and again until then. */
  get request(): Buffer | undefined {
    return this.#request
  }

  /**
   * Encrypts a payload in place, at once or when `finish` is called. All between two such calls lie in one arena.
   * @param flag the key: the one in force for a new packet, the one that it was first sent with for a repeat
   * @returns the key that was used: the one in force when the other one is gone
   * @throws {Error} when it is closed
   */
  encrypt(arena: PacketArena, sequence: number, textAt: number, endAt: number, flag: KeyFlag): KeyFlag {
    const current = this.#open()
    const key = flag === current.flag ? current : (this.#previous ?? current)
    key.cipher.crypt(arena, sequence, textAt, endAt)
    return key.flag
  }

  /** Does the work that `encrypt` has put off: before that, no packet may leave. */
  finish(): void {
    this.#current?.cipher.finish()
    this.#previous?.cipher.finish()
  }

  /**
   * Counts new packets, and renews the key when it is time. The next key comes in force when the peer has confirmed it, at the latest after
   * twice the packets.
   */
  count(packets: number): void {
    if (this.#current === undefined) return
    const { renewAfterPackets, announcePackets } = this.#renewal
    this.#packetCount += packets
    if (this.#previous !== undefined && this.#packetCount >= announcePackets) this.#giveUpPrevious()
    if (this.#next === undefined) {
      if (this.#packetCount >= renewAfterPackets - announcePackets) this.#announce(this.#current)
      return
    }
    const isKnown = this.#request === undefined || this.#packetCount >= renewAfterPackets * MAX_DELAY
    if (isKnown && this.#packetCount >= renewAfterPackets) this.#switch(this.#next)
  }

  /** Takes the answer to `request`; other messages are ignored. */
  confirm(message: Buffer): void {
    if (this.#request?.equals(message) === true) this.#request = undefined
  }

  /** Frees the keys. Idempotent. */
  close(): void {
    for (const key of [this.#previous, this.#current, this.#next]) key?.cipher.close()
    this.#previous = undefined
    this.#current = undefined
    this.#next = undefined
    this.#request = undefined
  }

  #open(): SendingKey {
    if (this.#current === undefined) throw new Error('The keys of the SRT connection are closed')
    return this.#current
  }

  #createKey(flag: KeyFlag, key: Buffer): SendingKey {
    return { flag, key, cipher: new PacketCipher(key, this.#encryption.salt) }
  }

  #announce(current: SendingKey): void {
    const flag = current.flag === EVEN_KEY ? ODD_KEY : EVEN_KEY
    this.#next = this.#createKey(flag, this.#random(this.#encryption.keyBytes))
    this.#message = this.#wrap([current, this.#next])
    this.#request = this.#message
  }

  #switch(next: SendingKey): void {
    this.#previous = this.#current
    this.#current = next
    this.#next = undefined
    this.#packetCount = 0
  }

  #giveUpPrevious(): void {
    this.#previous!.cipher.close()
    this.#previous = undefined
    this.#message = this.#wrap([this.#current!])
  }

  #wrap(keys: readonly SendingKey[]): Buffer {
    return this.#encryption.wrap(new Map(keys.map(({ flag, key }) => [flag, key])))
  }
}
