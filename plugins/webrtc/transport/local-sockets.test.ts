import { expect } from 'chai'
import { pino } from 'pino'
import type { UdpListener } from 'sluice/sdk'
import { LocalSockets } from './local-sockets.ts'

describe('LocalSockets', () => {
  /** A machine whose addresses change, and of which some are taken. */
  class Machine {
    outward: string[] = []
    readonly taken = new Set<string>()
    readonly closed: string[] = []
    readonly sockets = new LocalSockets({
      net: {
        addresses: () => ({ outward: this.outward, loopback: [], publicIpv4: undefined, publicIpv6: undefined }),
        udp: async ({ listenaddr }) => this.#listen(listenaddr.split(':')[0]!),
      },
      log: pino({ enabled: false }),
      entries: [{ kind: 'udp', host: undefined, port: 9000 }],
      onDatagram: () => false,
    })

    get used(): string[] {
      return this.sockets.all.map(({ listener }) => listener.address.host)
    }

    #listen(host: string): UdpListener {
      if (this.taken.has(host)) throw Object.assign(new Error('the address is in use'), { code: 'EADDRINUSE' })
      const unused = { send: () => {}, sendRun: () => {}, claim: () => expect.fail() }
      return { ...unused, address: { host, port: 9000 }, close: async () => void this.closed.push(host) }
    }
  }

  it('are those of the addresses that the machine has at the time', async () => {
    const machine = new Machine()
    machine.outward = ['192.0.2.1', '192.0.2.2']
    await machine.sockets.open()
    machine.outward = ['192.0.2.2', '192.0.2.3']
    await machine.sockets.refresh()
    expect(machine.used).to.eql(['192.0.2.2', '192.0.2.3'])
    machine.outward = ['192.0.2.1']
    await machine.sockets.refresh()
    expect(machine.used).to.eql(['192.0.2.1'])
    expect(machine.closed).to.eql([])
  })

  it('leave out a new address that is taken, until it is free', async () => {
    const machine = new Machine()
    machine.taken.add('192.0.2.1')
    machine.outward = ['192.0.2.1', '192.0.2.2']
    await machine.sockets.refresh()
    expect(machine.used).to.eql(['192.0.2.2'])
    machine.taken.clear()
    await machine.sockets.refresh()
    expect(machine.used).to.have.members(['192.0.2.1', '192.0.2.2'])
  })

  it('fail at the start where an address is taken', async () => {
    const machine = new Machine()
    machine.taken.add('192.0.2.1')
    machine.outward = ['192.0.2.1']
    const error = await machine.sockets.open().catch(({ message }: Error) => message)
    expect(error).to.equal('the address is in use')
  })

  it('are bounded in number, and those of addresses that have gone make room', async () => {
    const machine = new Machine()
    const addresses = Array.from({ length: 40 }, (_, index) => `192.0.2.${index}`)
    machine.outward = addresses
    await machine.sockets.open()
    expect(machine.used).to.eql(addresses.slice(0, 32))
    machine.outward = addresses.slice(30)
    await machine.sockets.refresh()
    expect(machine.used).to.eql(addresses.slice(30))
    expect(machine.closed).to.eql(addresses.slice(0, 8))
  })
})
