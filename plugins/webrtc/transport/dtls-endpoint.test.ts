import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { generate } from 'selfsigned'
import type { Certificate } from 'sluice/sdk'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { DtlsEndpoint } from './dtls-endpoint.ts'
import { fingerprintOf } from './dtls-proof.ts'
import { CONTENT, parseRecords } from './dtls-record.ts'

/** Both ends of a handshake, and what each has sent. */
class Handshake {
  readonly sentByClient: Buffer[] = []
  readonly sentByServer: Buffer[] = []
  readonly ends: string[] = []
  server!: DtlsEndpoint
  #client: DtlsEndpoint | undefined
  #connected = 0

  static async run(certificate: Certificate): Promise<Handshake> {
    const handshake = new Handshake()
    await handshake.#run(certificate)
    return handshake
  }

  async #run(certificate: Certificate): Promise<void> {
    const common = {
      certificate,
      fingerprints: [fingerprintOf(certificate.cert)],
      connected: () => void this.#connected++,
      ended: (why: string) => void this.ends.push(why),
    }
    const toClient = (datagram: Buffer) => {
      this.sentByServer.push(datagram)
      setImmediate(() => this.#client?.receive(datagram))
    }
    const toServer = (datagram: Buffer) => {
      this.sentByClient.push(datagram)
      setImmediate(() => this.server.receive(datagram))
    }
    this.server = await DtlsEndpoint.open({ ...common, isClient: false, send: toClient })
    this.#client = await DtlsEndpoint.open({ ...common, isClient: true, send: toServer })
    await waitFor(() => this.#connected === 2, { what: 'both ends to be connected' })
  }
}

function isFinished(datagram: Buffer): boolean {
  return parseRecords(datagram).some(({ contentType, epoch }) => contentType === CONTENT.handshake && epoch === 1)
}

describe('DtlsEndpoint', () => {
  let certificate: Certificate

  before(async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' })
    certificate = { cert, key }
  })

  it('sends its first answer again, unchanged, to a client that repeats its greeting', async () => {
    const sent: Buffer[] = []
    const client: Buffer[] = []
    const common = {
      certificate,
      fingerprints: [fingerprintOf(certificate.cert)],
      connected: () => {},
      ended: () => {},
    }
    const server = await DtlsEndpoint.open({ ...common, isClient: false, send: (datagram) => void sent.push(datagram) })
    const greeting = (datagram: Buffer) => void client.push(datagram)
    ;(await DtlsEndpoint.open({ ...common, isClient: true, send: greeting })).close()
    for (const times of [1, 2]) {
      server.receive(client[0]!)
      await waitFor(() => sent.length === times, { what: 'the answer' })
    }
    expect(sent[1]).to.eql(sent[0])
    server.close()
  })

  it('sends its last flight again, unchanged, to a client that repeats its own', async () => {
    const { server, sentByClient, sentByServer, ends } = await Handshake.run(certificate)
    const sent = [...sentByServer]
    server.receive(sentByClient.findLast(isFinished)!)
    await waitFor(() => sentByServer.length === sent.length + 2, { what: 'the flight' })
    expect(sentByServer).to.eql([...sent, ...sent.slice(-2)])
    expect(ends).to.eql([])
  })

  it('sends no handshake any more to a client whose repeated flight comes just before its media', async () => {
    const { server, sentByClient, sentByServer, ends } = await Handshake.run(certificate)
    const { length } = sentByServer
    server.receive(sentByClient.findLast(isFinished)!)
    server.settle()
    for (let turns = 0; turns < 10; turns += 1) await turn()
    expect(sentByServer).to.have.length(length)
    expect(ends).to.eql([])
  })
})
