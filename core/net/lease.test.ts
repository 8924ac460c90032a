import { expect } from 'chai'
import { pino } from 'pino'
import type { ListenAddress } from './address.ts'
import { Lease } from './lease.ts'
import { PortTable, type Bound } from './port-table.ts'

/** A port, as a system has it that keeps those below 1024 for others, and where 2000 is in use. */
class SystemPort implements Bound<string> {
  listening = false
  address = { host: '', port: 0 }

  async listen({ host, port }: ListenAddress): Promise<void> {
    const code = port < 1024 ? 'EACCES' : port === 2000 ? 'EADDRINUSE' : undefined
    if (code !== undefined) throw Object.assign(new Error(code), { code })
    this.listening = true
    this.address = { host: host ?? '::', port }
  }

  activate(): void {}

  deactivate(): void {}

  pause(): void {}

  close(): void {
    this.listening = false
  }
}

const wishFor = (text: string) => ({ text, key: 'rtsp.tcp.listenaddr', kind: 'tcp', create: () => new SystemPort() })

describe('Lease', () => {
  let table: PortTable<SystemPort>
  let lease: Lease<string, SystemPort>

  beforeEach(() => {
    table = new PortTable('', pino({ level: 'silent' }))
    lease = new Lease({ plugin: 'rtsp' }, table)
  })

  const ports = () => table.listening().map(({ bound }) => bound.address.port)

  it('takes the first address where it can be had', async () => {
    expect(await lease.takeEither(wishFor(':1554'), ':8554', 'handler')).to.equal(undefined)
    expect(ports()).to.eql([1554])
  })

  it('takes the other one where the system keeps the first, says why, and gives it up again', async () => {
    const refusal = await lease.takeEither(wishFor(':554'), ':8554', 'handler')
    expect(refusal?.message).to.include("can't listen on :554: permission denied")
    expect(ports()).to.eql([8554])
    await lease.bind()
    await lease.release()
    expect(ports()).to.eql([])
  })

  for (const [first, fallback, told] of [
    [':554', undefined, ':554: permission denied'],
    [':2000', ':8554', ':2000: address already in use'],
    [':554', ':2000', ':2000: address already in use'],
  ] as const) {
    it(`takes none of ${first} and ${fallback}: ${told}`, async () => {
      const error: unknown = await lease
        .takeEither(wishFor(first), fallback, 'handler')
        .catch((reason: unknown) => reason)
      expect(error).to.have.property('message').that.includes(told)
      await lease.bind()
      expect(ports()).to.eql([])
    })
  }
})
