import { randomBytes } from 'node:crypto'
import type { GbChannel, GbDeviceOptions, GbServer } from './device-options.ts'
import type { DeviceEvent } from './device-event.ts'
import { MANSCDP_TYPE, serializeBody, type Writing } from './manscdp/body.ts'
import type { Charset } from './manscdp/charset.ts'
import type { XmlElement } from './manscdp/xml.ts'
import { Quirks } from './quirks.ts'
import type { RequestInit, SipEndpoint } from './sip/endpoint.ts'
import type { SipHeaders, SipResponse } from './sip/message.ts'
import type { Timers } from './timers.ts'

const PRIVATE_CONTACT = '192.168.1.108:5060'
const REALM_DIGITS = 10

/** The messages of a device outside dialogs, in its name. */
export class Signalling {
  readonly id: string
  readonly server: GbServer
  readonly realm: string
  readonly channels: readonly GbChannel[]
  readonly options: GbDeviceOptions
  readonly quirks: Quirks
  readonly timers: Timers
  readonly endpoint: SipEndpoint
  readonly emit: (event: DeviceEvent) => void
  readonly #writing: Writing
  readonly #tag = randomBytes(5).toString('hex')
  #number = 0
  #sn = 0
  #contact = ''

  constructor(init: {
    readonly options: GbDeviceOptions
    readonly channels: readonly GbChannel[]
    readonly timers: Timers
    readonly endpoint: SipEndpoint
    readonly emit: (event: DeviceEvent) => void
  }) {
    const { options } = init
    this.options = options
    this.id = options.id
    this.server = options.server
    this.realm = options.server.realm ?? options.server.id.slice(0, REALM_DIGITS)
    this.channels = init.channels
    this.quirks = new Quirks(options.quirks)
    this.timers = init.timers
    this.endpoint = init.endpoint
    this.emit = init.emit
    this.#writing = writingOf(options, this.quirks)
  }

  /** The value of `Contact`: the own address as the last registration has stated it. */
  get contact(): string {
    return this.#contact
  }

  /** The tag that the device gives itself in `To`; undefined for a device that gives none. */
  get toTag(): string | undefined {
    return this.quirks.has('no-to-tag') ? undefined : this.#tag
  }

  /** The URI of the server. */
  get serverUri(): string {
    return `sip:${this.server.id}@${this.realm}`
  }

  /** The URI of the device. */
  get uri(): string {
    return `sip:${this.id}@${this.realm}`
  }

  /** States the own address of now from here on. */
  renewContact(): void {
    const { host, port } = this.endpoint.link.local
    const place = this.quirks.has('private-contact')
      ? PRIVATE_CONTACT
      : this.quirks.has('bad-ports')
        ? `${host}:-1`
        : this.quirks.has('no-ports')
          ? host
          : `${host}:${port}`
    this.#contact = `<sip:${this.id}@${place}>`
  }

  /** The next number of a message of the device's own. */
  nextSn(): number {
    this.#sn += 1
    return this.#sn
  }

  /**
   * Sends a body by `MESSAGE`, and returns the response.
   * @throws {NoResponse} when there is none
   */
  message(body: XmlElement | string): Promise<SipResponse> {
    return this.endpoint.request(this.outside('MESSAGE', this.bytesOf(body)))
  }

  /** The bytes of a body in the charset of the device. */
  bytesOf(body: XmlElement | string): Buffer {
    return serializeBody(body, this.#writing)
  }

  /** A request outside dialogs, with a body of MANSCDP. */
  outside(method: string, body: Buffer): RequestInit {
    this.#number += 1
    const headers: SipHeaders = [
      ['From', `<${this.uri}>;tag=${randomBytes(5).toString('hex')}`],
      ['To', `<${this.serverUri}>`],
      ['Call-ID', randomBytes(10).toString('hex')],
      ['CSeq', `${this.#number} ${method}`],
      ['Content-Type', MANSCDP_TYPE],
    ]
    return { method, uri: this.serverUri, headers, body }
  }
}

function writingOf({ charset, version }: GbDeviceOptions, quirks: Quirks): Writing {
  const used: Charset = charset ?? (version === '3.0' ? 'GB18030' : 'GB2312')
  const other: Charset = used === 'UTF-8' ? 'GB2312' : 'UTF-8'
  return { charset: used, declared: quirks.has('wrong-declaration') ? other : used }
}
