import { createSocket, type Socket } from 'node:dgram'
import { X509Certificate, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  CipherContext,
  classes,
  DtlsClient,
  DtlsServer,
  HashAlgorithm,
  Message,
  methods,
  NamedCurveAlgorithm,
  parseMessage,
  RtcpRrPacket,
  RtcpReceiverInfo,
  SignatureAlgorithm,
  SrtcpSession,
  SrtpSession,
} from 'werift'
import { offerOf, readAnswer, type Answer } from './offer.ts'

/** Of the group of pictures that a viewer begins with. */
const RECEIVE_BUFFER_BYTES = 1024 * 1024
const CHECK_INTERVAL_MS = 100
/** As RFC 7675 5.1 has it, in the middle of its range. */
const CONSENT_INTERVAL_MS = 5000
/** The priority of a host candidate of component 1 (RFC 8445 5.1.2.1). */
const PRIORITY = 2_130_706_431
/** The first bytes of datagrams (RFC 7983 7). */
const [MAX_STUN_BYTE, FIRST_DTLS_BYTE, LAST_DTLS_BYTE, FIRST_RTP_BYTE] = [3, 20, 63, 128]
/** What a payload type may not be where RTCP shares the port (RFC 5761 4). */
const [FIRST_RTCP_TYPE, LAST_RTCP_TYPE] = [192, 223]
const KEY_BYTES = 16
/** SRTP_AEAD_AES_128_GCM (RFC 7714 14.2) and SRTP_AES128_CM_HMAC_SHA1_80 (RFC 5764 4.1.2), and their salts. */
const PROFILES = [7, 1] as const
const SALT_BYTES = { 7: 12, 1: 14 } as const
const SIGNATURE = { signature: SignatureAlgorithm.ecdsa_3, hash: HashAlgorithm.sha256_4 } as const

type Certificate = { readonly cert: string; readonly key: string; readonly fingerprint: string }

/** What a report says of the packets that came (RFC 3550 6.4.2). */
export type Reception = { readonly ssrc: number; readonly highestSequence: number; readonly packetsLost: number }

export type LinkEvents = {
  /** A packet of SRTP, as it came. */
  packet(packet: Buffer): void
  failed(reason: string): void
  /** The server has said good-bye. */
  closed?(): void
  /** A datagram that was sent. */
  sent?(datagram: Buffer): void
}

/** One certificate is enough for all viewers of a process: making one takes longer than a handshake. */
let certificate: Promise<Certificate> | undefined

/** A viewer's ICE, DTLS and SRTP: one socket, one pair of addresses, and no more than a server can ask of a browser. */
export class PeerLink {
  readonly #events: LinkEvents
  readonly #socket: Socket
  readonly #certificate: Certificate
  readonly #usernameFragment = randomBytes(4).toString('hex')
  readonly #password = randomBytes(16).toString('hex')
  readonly #transport = {
    type: 'udp',
    address: { address: '', port: 0, family: 'IPv4' } as const,
    closed: false,
    onData: (_datagram: Buffer): void => {},
    send: async (datagram: Buffer): Promise<void> => this.#send(datagram),
    close: async (): Promise<void> => {},
  }
  #answer: Answer | undefined
  #dtls: DtlsClient | DtlsServer | undefined
  #srtp: SrtpSession | undefined
  #srtcp: SrtcpSession | undefined
  #checks: NodeJS.Timeout | undefined

  static async open(events: LinkEvents): Promise<PeerLink> {
    certificate ??= createCertificate()
    const socket = createSocket('udp4')
    socket.bind(0)
    const [owned] = await Promise.all([certificate, once(socket, 'listening')])
    return new PeerLink(events, socket, owned)
  }

  private constructor(events: LinkEvents, socket: Socket, certificate: Certificate) {
    this.#events = events
    this.#socket = socket
    this.#certificate = certificate
    socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES)
    socket.on('message', (datagram) => this.#receive(datagram))
    socket.on('error', (error) => events.failed(error.message))
  }

  get offer(): string {
    return offerOf({
      usernameFragment: this.#usernameFragment,
      password: this.#password,
      fingerprint: this.#certificate.fingerprint,
      port: this.#socket.address().port,
    })
  }

  /** Takes the answer, and begins with checks; they go on as consent (RFC 7675), once the server has answered one. */
  connect(text: string): Answer {
    this.#answer = readAnswer(text)
    this.#check()
    this.#checks = setInterval(() => this.#check(), CHECK_INTERVAL_MS)
    return this.#answer
  }

  /** @throws {Error} when it was not encrypted with the server's key */
  decrypt(packet: Buffer): Buffer {
    if (this.#srtp === undefined) throw new Error('no keys yet')
    return this.#srtp.decrypt(packet)
  }

  report({ ssrc, highestSequence, packetsLost }: Reception): void {
    if (this.#srtcp === undefined) return
    const report = { ssrc, fractionLost: 0, packetsLost, highestSequence, jitter: 0, lsr: 0, dlsr: 0 }
    const packet = new RtcpRrPacket({ ssrc: 1, reports: [new RtcpReceiverInfo(report)] })
    this.#send(this.#srtcp.encrypt(packet.serialize()))
  }

  close(): void {
    this.#dtls?.close()
    this.vanish()
  }

  /** Ends without a word, as a client does that was killed. */
  vanish(): void {
    clearInterval(this.#checks)
    this.#socket.close()
  }

  #receive(datagram: Buffer): void {
    const first = datagram[0] ?? 0
    if (first >= FIRST_RTP_BYTE) {
      const type = datagram[1] ?? 0
      if (type < FIRST_RTCP_TYPE || type > LAST_RTCP_TYPE) this.#events.packet(datagram)
    } else if (first >= FIRST_DTLS_BYTE && first <= LAST_DTLS_BYTE) {
      this.#listen()
      this.#transport.onData(datagram)
    } else if (first <= MAX_STUN_BYTE) this.#receiveStun(datagram)
  }

  #receiveStun(datagram: Buffer): void {
    const message = parseMessage(datagram)
    if (message === undefined || this.#answer === undefined) return
    if (message.messageClass === classes.REQUEST) {
      const response = new Message(methods.BINDING, classes.RESPONSE, message.transactionId)
      response.setAttribute('XOR-MAPPED-ADDRESS', [this.#answer.address, this.#answer.port])
      response.addMessageIntegrity(Buffer.from(this.#password)).addFingerprint()
      this.#send(response.bytes)
    } else if (message.messageClass === classes.RESPONSE) this.#reached()
  }

  #check(): void {
    const { usernameFragment, password } = this.#answer!
    const request = new Message(methods.BINDING, classes.REQUEST)
    request
      .setAttribute('USERNAME', `${usernameFragment}:${this.#usernameFragment}`)
      .setAttribute('PRIORITY', PRIORITY)
      .setAttribute('ICE-CONTROLLING', 1n)
      .setAttribute('USE-CANDIDATE', null)
    request.addMessageIntegrity(Buffer.from(password)).addFingerprint()
    this.#send(request.bytes)
  }

  #reached(): void {
    if (this.#checks?.hasRef() !== true || this.#dtls?.connected === true) return
    if (this.#answer!.isServerActive) this.#listen()
    else this.#call()
  }

  /** Waits for the server's handshake. */
  #listen(): void {
    if (this.#dtls !== undefined || this.#answer?.isServerActive !== true) return
    this.#dtls = new DtlsServer({ ...this.#dtlsOptions, certificateRequest: true })
    this.#observe(this.#dtls)
  }

  #call(): void {
    if (this.#dtls !== undefined) return
    const client = new DtlsClient(this.#dtlsOptions)
    this.#dtls = client
    this.#observe(client)
    client.connect().catch((error: Error) => this.#events.failed(error.message))
  }

  get #dtlsOptions(): ConstructorParameters<typeof DtlsServer>[0] {
    const { cert, key } = this.#certificate
    return {
      cert,
      key,
      signatureHash: SIGNATURE,
      transport: this.#transport,
      srtpProfiles: [...PROFILES],
      extendedMasterSecret: true,
    }
  }

  #observe(dtls: DtlsClient | DtlsServer): void {
    dtls.onConnect.once(() => this.#connected(dtls))
    dtls.onClose.once(() => this.#events.closed?.())
    // An error is one of a message, such as a repeated one: the handshake goes on, or is missed in the end.
  }

  #connected(dtls: DtlsClient | DtlsServer): void {
    clearInterval(this.#checks)
    this.#checks = setInterval(() => this.#check(), CONSENT_INTERVAL_MS)
    const profile = PROFILES.find((profile) => profile === dtls.srtp.srtpProfile)
    if (profile === undefined) return this.#events.failed('the server chose no SRTP profile')
    const keys = dtls.extractSessionKeys(KEY_BYTES, SALT_BYTES[profile])
    const config = {
      profile,
      keys: {
        localMasterKey: keys.localKey,
        localMasterSalt: keys.localSalt,
        remoteMasterKey: keys.remoteKey,
        remoteMasterSalt: keys.remoteSalt,
      },
    }
    this.#srtp = new SrtpSession(config)
    this.#srtcp = new SrtcpSession(config)
  }

  #send(datagram: Buffer): void {
    if (this.#answer === undefined) return
    this.#events.sent?.(datagram)
    this.#socket.send(datagram, this.#answer.port, this.#answer.address)
  }
}

async function createCertificate(): Promise<Certificate> {
  const { certPem, keyPem } = await CipherContext.createSelfSignedCertificateWithKey(
    SIGNATURE,
    NamedCurveAlgorithm.secp256r1_23,
  )
  return { cert: certPem, key: keyPem, fingerprint: new X509Certificate(certPem).fingerprint256 }
}
