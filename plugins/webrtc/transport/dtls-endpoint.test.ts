import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { generate } from 'selfsigned'
import type { Certificate } from 'sluice/sdk'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { DtlsEndpoint } from './dtls-endpoint.ts'
import { fingerprintOf } from './dtls-proof.ts'
import { CONTENT, parseRecords, serializeRecord, type DtlsRecord } from './dtls-record.ts'

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

/** The records of what was sent. */
function recordsOf(datagrams: readonly Buffer[]): DtlsRecord[] {
  return datagrams.flatMap((datagram) => parseRecords(datagram))
}

/** The numbers of the records of an epoch. */
function numbersOf(datagrams: readonly Buffer[], epoch: number): number[] {
  return recordsOf(datagrams).flatMap((record) => (record.epoch === epoch ? [record.sequence] : []))
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

  it('answers each greeting under its number, or a later one where it was used', async () => {
    const sent: Buffer[] = []
    const client: Buffer[] = []
    const common = {
      certificate,
      fingerprints: [fingerprintOf(certificate.cert)],
      connected: () => {},
      ended: () => {},
    }
    const server = await DtlsEndpoint.open({ ...common, isClient: false, send: (datagram) => void sent.push(datagram) })
    const greet = (datagram: Buffer) => void client.push(datagram)
    ;(await DtlsEndpoint.open({ ...common, isClient: true, send: greet })).close()
    const [greeting] = recordsOf(client)
    for (const [times, sequence] of [0, 4, 4, 2 ** 48 - 1].entries()) {
      server.receive(serializeRecord({ ...greeting!, sequence }))
      await waitFor(() => sent.length === times + 1, { what: 'the answer' })
    }
    expect(numbersOf(sent, 0)).to.eql([0, 4, 5, 6])
    const [answer, ...others] = recordsOf(sent).map(({ fragment }) => fragment)
    expect(others).to.eql([answer, answer, answer])
    server.close()
  })

  it('sends its last flight again to a client that repeats its own, under new numbers', async () => {
    const { server, sentByClient, sentByServer, ends } = await Handshake.run(certificate)
    const { length } = sentByServer
    server.receive(sentByClient.findLast(isFinished)!)
    await waitFor(() => sentByServer.length >= length + 2, { what: 'the flight' })
    const [first, again] = [sentByServer.slice(length - 2, length), sentByServer.slice(length, length + 2)]
    const kindsOf = (datagrams: readonly Buffer[]) => recordsOf(datagrams).map(({ contentType }) => contentType)
    expect(kindsOf(again)).to.eql(kindsOf(first))
    const numbers = numbersOf(sentByServer, 1)
    expect(numbers).to.have.length.above(1)
    expect(numbers).to.eql(numbers.map((_, index) => index))
    expect(ends).to.eql([])
  })

  it('gives each record a number of its own, counted from 0 in each epoch', async () => {
    const { server, sentByClient, sentByServer } = await Handshake.run(certificate)
    server.settle()
    server.close()
    expect(recordsOf(sentByServer).at(-1)).to.deep.include({ contentType: CONTENT.alert, epoch: 1 })
    for (const sent of [sentByClient, sentByServer]) {
      for (const epoch of [0, 1]) {
        const numbers = numbersOf(sent, epoch)
        expect(numbers).to.eql(numbers.map((_, index) => index))
      }
    }
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
