import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { generate } from 'selfsigned'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { fingerprintOf } from './dtls-proof.ts'
import { serializeRecord } from './dtls-record.ts'
import type { DtlsEndpointOptions } from './dtls-endpoint.ts'
import { SessionHandshake } from './session-handshake.ts'

const APPLICATION_DATA = 23

function record(sizeBytes: number): Buffer {
  const fragment = Buffer.alloc(sizeBytes)
  return serializeRecord({ contentType: APPLICATION_DATA, version: 0xfefd, epoch: 0, sequence: 0, fragment })
}

describe('SessionHandshake', () => {
  let common: Omit<DtlsEndpointOptions, 'isClient' | 'send'>
  let greeting: Buffer

  before(async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' })
    const fingerprints = [fingerprintOf(cert)]
    common = { certificate: { cert, key }, fingerprints, connected: () => {}, ended: () => {} }
    const client = new SessionHandshake()
    await client.begin({ ...common, isClient: true, send: (datagram) => void (greeting ??= datagram) }, 0)
    await waitFor(() => greeting !== undefined, { what: 'the greeting' })
    client.close()
  })

  it('answers a greeting that came before it had begun, however long that is', async () => {
    const sent: Buffer[] = []
    const server = new SessionHandshake()
    server.receive(Buffer.concat([greeting, record(1200)]))
    await server.begin({ ...common, isClient: false, send: (datagram) => void sent.push(datagram) }, 0)
    await waitFor(() => sent.length > 0, { what: 'the answer' })
    server.close()
  })

  for (const [sizeBytes, count] of [
    [10, 8],
    [1620, 5],
  ] as const) {
    it(`keeps ${count} datagrams of ${sizeBytes} bytes of what comes before it has begun`, async () => {
      const sent: Buffer[] = []
      const options = { ...common, isClient: false, send: (datagram: Buffer) => void sent.push(datagram) }
      const [full, answering] = [new SessionHandshake(), new SessionHandshake()]
      for (let index = 0; index < count; index += 1) full.receive(record(sizeBytes))
      for (let index = 0; index < count - 1; index += 1) answering.receive(record(sizeBytes))
      for (const handshake of [full, answering]) handshake.receive(greeting)
      await full.begin(options, 0)
      for (let turns = 0; turns < 10; turns += 1) await turn()
      expect(sent).to.have.length(0)
      await answering.begin(options, 0)
      await waitFor(() => sent.length > 0, { what: 'the answer' })
      answering.close()
      full.close()
    })
  }

  it('is late twenty seconds after it has begun', async () => {
    const server = new SessionHandshake()
    expect(server.isLate(1e9)).to.equal(false)
    await server.begin({ ...common, isClient: false, send: () => {} }, 1000)
    expect([server.isLate(20_999), server.isLate(21_000)]).to.eql([false, true])
    server.close()
  })
})
