import { X509Certificate } from 'node:crypto'
import type * as Werift from 'werift'
import type { Certificate } from 'sluice/sdk'
import { srtpCipherLibrary } from '../srtp/create-contexts.ts'
import type { SrtpKeys, SrtpProfile } from '../srtp/srtp-context.ts'
import { DtlsAlerts } from './dtls-alerts.ts'
import { isAnnounced, isClientProven, isFinished, isServerProven } from './dtls-proof.ts'
import {
  CONTENT,
  HANDSHAKE,
  HandshakeReader,
  parseRecords,
  serializeMessage,
  serializeRecord,
  type DtlsRecord,
} from './dtls-record.ts'
import { SentRecords } from './dtls-sent-records.ts'
import type { Fingerprint } from './transport-description.ts'

/** The result of a handshake: the keys of each direction. */
export type DtlsKeys = { readonly sending: SrtpKeys; readonly receiving: SrtpKeys }

export type DtlsEndpointOptions = {
  readonly isClient: boolean
  readonly certificate: Certificate
  /** The peer's fingerprints, one of which its certificate must have. */
  readonly fingerprints: readonly Fingerprint[]
  send(datagram: Buffer): void
  connected(keys: DtlsKeys): void
  /** The handshake or connection has ended, for the reason `why`. */
  ended(why: string): void
}

/** The numbers of the profiles, and the sizes of their keys (RFC 5764 4.1.2, RFC 7714 14.2). */
const PROFILES: { readonly [Name in SrtpProfile]: { readonly id: 1 | 7; readonly saltBytes: number } } = {
  SRTP_AES128_CM_HMAC_SHA1_80: { id: 1, saltBytes: 14 },
  SRTP_AEAD_AES_128_GCM: { id: 7, saltBytes: 12 },
}
const KEY_BYTES = 16
/** werift's numbers of algorithms (RFC 5246 7.4.1.4.1). */
const ECDSA = 3
const RSA = 1
const SHA_256 = 4
/** The most datagrams of a handshake, of which it needs some ten; the rest are repetitions. All later ones count too. */
const MAX_DATAGRAMS = 256
const MAX_BYTES = 128 * 1024
/** A number above those of all flights of werift, which repeats a flight until the next one has begun. */
const NO_FLIGHT = 99
const FATAL = 2
/** The size of Finished with its header, the only message of the handshake that is encrypted (RFC 5246 7.4.9, RFC 6347 4.2.2). */
const FINISHED_BYTES = 24

/**
 * One end of a DTLS 1.2 handshake for SRTP (RFC 5764), which is werift's. werift gets only whole messages, each once and in their order,
 * and the checks that it leaves out are made here: the peer's certificate was announced, the peer has its key, and both ends saw the same
 * handshake.
 */
export class DtlsEndpoint {
  readonly #options: DtlsEndpointOptions
  /** werift's socket, until the peer has proved that it has finished, too. */
  #socket: Werift.DtlsSocket | undefined
  #reader: HandshakeReader | undefined = new HandshakeReader()
  /** The alerts of the connection, in place of the socket from then on. */
  #alerts: DtlsAlerts | undefined
  /** The function by which werift takes its datagrams, which it sets here. */
  readonly #transport: { onData?: (datagram: Buffer) => void }
  readonly #sent = new SentRecords()
  #sequence = 0
  #datagrams = 0
  #bytes = 0
  #isProven = false
  #isConnected = false
  #isClosed = false
  /** The last alert that came in the clear, from the peer or anyone else. */
  #alert: number | undefined

  /** Creates an endpoint. The first one loads werift, which takes a tenth of a second. */
  static async open(options: DtlsEndpointOptions): Promise<DtlsEndpoint> {
    return new DtlsEndpoint(options, await import('werift'))
  }

  private constructor(options: DtlsEndpointOptions, werift: typeof Werift) {
    this.#options = options
    const transport = {
      type: 'udp',
      address: { address: '', port: 0, family: 'IPv4' },
      closed: false,
      onData: (): void => {},
      send: async (datagram: Buffer) => this.#sendFlight(datagram),
      close: async () => {},
    }
    this.#transport = transport
    const { cert, key } = options.certificate
    const isRsa = new X509Certificate(cert).publicKey.asymmetricKeyType === 'rsa'
    const socketOptions = {
      cert,
      key,
      transport,
      extendedMasterSecret: true,
      certificateRequest: !options.isClient,
      srtpProfiles: srtpCipherLibrary().profiles.map((name) => PROFILES[name].id),
      signatureHash: {
        hash: SHA_256,
        signature: isRsa ? RSA : ECDSA,
      },
    } satisfies ConstructorParameters<typeof Werift.DtlsServer>[0]
    const socket = options.isClient ? new werift.DtlsClient(socketOptions) : new werift.DtlsServer(socketOptions)
    this.#socket = socket
    // No function here may use the variable: the transport's functions, which stay, would keep the socket in memory.
    socket.onConnect.subscribe(() => this.#connected())
    socket.onError.subscribe((error: Error | string) => this.#failed(typeof error === 'string' ? error : error.message))
    if (socket instanceof werift.DtlsClient) {
      socket.connect().catch((error: Error) => this.#failed(error.message))
    }
  }

  /** The state of the handshake, as text for people. */
  get progress(): string {
    if (this.#alert !== undefined) return `the peer sent the alert ${this.#alert}`
    return this.#datagrams === 0 ? 'nothing came from the peer' : `${this.#datagrams} datagrams came from the peer`
  }

  /** Takes a datagram of the peer. @returns false when none of its records can belong to this connection */
  receive(datagram: Buffer): boolean {
    this.#datagrams += 1
    this.#bytes += datagram.length
    if (this.#isClosed || this.#datagrams > MAX_DATAGRAMS || this.#bytes > MAX_BYTES) return false
    let isOurs = false
    for (const record of parseRecords(datagram)) {
      try {
        isOurs = this.#receive(record) || isOurs
      } catch (error) {
        // An undecryptable record may come from anyone, and a malformed one is of no use: the deadline ends a handshake without progress.
        if (error instanceof HandshakeRefused) this.#end(error.message)
      }
    }
    return isOurs
  }

  /** Ends the connection, and notifies the peer. Idempotent. */
  close(): void {
    if (this.#isClosed) return
    this.settle()
    if (this.#alerts !== undefined) this.#send(this.#alerts.closeNotify())
    this.#isClosed = true
    this.#forget()
  }

  /** Ends the handshake as the peer has sent media, and so has finished, too: no message has to be sent again. */
  settle(): void {
    if (this.#socket === undefined || !this.#isConnected) return
    this.#alerts = new DtlsAlerts(this.#socket, this.#sent.nextEncrypted)
    this.#forget()
  }

  #forget(): void {
    if (this.#socket !== undefined) this.#socket.dtls.flight = NO_FLIGHT
    this.#socket = undefined
    this.#reader = undefined
    this.#transport.onData = () => {}
  }

  /** @returns false when the record does not belong to this connection */
  #receive(record: DtlsRecord): boolean {
    const { contentType, epoch, fragment } = record
    const socket = this.#socket
    if (contentType === CONTENT.alert) return this.#receiveAlert(record)
    if (contentType !== CONTENT.handshake || socket === undefined) return false
    if (epoch === 0) {
      if (this.#isConnected) return false
      for (const message of this.#reader?.read(fragment) ?? []) {
        if (message.type === HANDSHAKE.clientHello) this.#sent.answers(record)
        this.#pass({ ...record, sequence: this.#sequence++, fragment: serializeMessage(message) })
      }
    } else {
      const clear = decrypt(socket, record)
      // Any other message would make werift begin the handshake again, without its keys.
      if (clear[0] !== HANDSHAKE.finished || clear.length !== FINISHED_BYTES) return true
      this.#prove(socket, clear)
      this.#pass(record)
    }
    return true
  }

  #receiveAlert(record: DtlsRecord): boolean {
    if (record.epoch === 0) {
      this.#alert = record.fragment[1]
      return !this.#isConnected
    }
    if (this.#alerts === undefined && this.#socket === undefined) return false
    const [level, description] = this.#alerts?.decrypt(record) ?? decrypt(this.#socket!, record)
    if (description === 0) this.#end('the peer closed the connection')
    else if (level === FATAL) this.#end(`the peer sent the fatal alert ${description}`)
    return true
  }

  #pass(record: DtlsRecord): void {
    this.#transport.onData?.(serializeRecord(record))
  }

  /** @throws {HandshakeRefused} when the peer's certificate was not announced, or it does not have the key */
  #prove({ cipher, dtls }: Werift.DtlsSocket, finished: Buffer): void {
    if (this.#isProven) return
    const { isClient, fingerprints } = this.#options
    const certificate = cipher.remoteCertificate
    if (certificate === undefined) throw new HandshakeRefused('the peer showed no certificate')
    if (!isAnnounced(certificate, fingerprints))
      throw new HandshakeRefused('the certificate of the peer has another fingerprint')
    const transcript = dtls.sortedHandshakeCache
    const randoms = () => ({ client: cipher.localRandom.serialize(), server: cipher.remoteRandom.serialize() })
    const isKeyOwner = isClient
      ? isServerProven(certificate, transcript, randoms())
      : isClientProven(certificate, transcript)
    if (!isKeyOwner) throw new HandshakeRefused('the peer does not have the key of its certificate')
    if (!isFinished(finished, transcript, cipher.masterSecret, isClient ? 'server' : 'client')) {
      throw new HandshakeRefused('the handshake was tampered with')
    }
    this.#isProven = true
  }

  #connected(): void {
    const socket = this.#socket
    if (socket === undefined || this.#isConnected || !this.#isProven) return
    const name = srtpCipherLibrary().profiles.find((known) => PROFILES[known].id === socket.srtp.srtpProfile)
    if (name === undefined) {
      this.#end('the peer wants no SRTP profile that is spoken here')
      return
    }
    this.#isConnected = true
    const { saltBytes } = PROFILES[name]
    const { localKey, localSalt, remoteKey, remoteSalt } = socket.extractSessionKeys(KEY_BYTES, saltBytes)
    this.#options.connected({
      sending: { profile: name, masterKey: localKey, masterSalt: localSalt },
      receiving: { profile: name, masterKey: remoteKey, masterSalt: remoteSalt },
    })
  }

  // werift may still answer a repeated message after the socket was let go: neither that answer nor its errors count any more.

  #sendFlight(datagram: Buffer): void {
    if (this.#socket !== undefined) this.#send(this.#sent.number(datagram, this.#socket))
  }

  #failed(why: string): void {
    if (this.#socket !== undefined) this.#end(why)
  }

  #send(datagram: Buffer): void {
    if (!this.#isClosed) this.#options.send(datagram)
  }

  #end(why: string): void {
    if (this.#isClosed) return
    this.close()
    this.#options.ended(why)
  }
}

class HandshakeRefused extends Error {}

/** @throws {Error} when the peer did not encrypt the record, or the keys are not there yet */
function decrypt(
  { cipher }: Werift.DtlsSocket,
  { contentType, version, epoch, sequence, fragment }: DtlsRecord,
): Buffer {
  const protocolVersion = { major: version >> 8, minor: version & 255 }
  const recordLayerHeader = {
    contentType,
    protocolVersion,
    epoch,
    sequenceNumber: sequence,
    contentLen: fragment.length,
  }
  return cipher.decryptPacket({ recordLayerHeader, fragment } as Parameters<typeof cipher.decryptPacket>[0])
}
