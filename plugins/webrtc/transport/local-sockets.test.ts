import { expect } from 'chai'
import { pino } from 'pino'
import type { UdpListener } from 'sluice/sdk'
import { LocalSockets, localCandidates, mayReach } from './local-sockets.ts'

const MACHINE = {
  outward: ['192.0.2.2', '2001:db8::2'],
  loopback: ['127.0.0.1', '::1'],
  publicIpv4: undefined,
  publicIpv6: undefined,
}
const SHARED = [
  { transport: 'tcp', host: undefined, port: 9000 },
  { transport: 'udp', host: undefined, port: 9000 },
] as const

const IN_LAN = '192.168.1.7'
const IN_INTERNET = '203.0.113.9'

/** As `TRANSPORT ADDRESS`. */
function ends(...args: Parameters<typeof localCandidates>): string[] {
  return localCandidates(...args).map(({ transport, address }) => `${transport} ${address}`)
}

describe('the candidates of this machine', () => {
  it('are all of its addresses, UDP first, and without loopback', () => {
    expect(ends(SHARED, MACHINE, IN_LAN)).to.eql([
      'udp 192.0.2.2',
      'udp 2001:db8::2',
      'tcp 192.0.2.2',
      'tcp 2001:db8::2',
    ])
  })

  it('have loopback for clients that came by it, and where there is nothing else', () => {
    for (const client of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
      expect(ends(SHARED.slice(1), MACHINE, client)).to.include.members(['udp 127.0.0.1', 'udp ::1'])
    expect(ends(SHARED.slice(1), { ...MACHINE, outward: [] }, IN_LAN)).to.eql(['udp 127.0.0.1', 'udp ::1'])
  })

  const withPublic = { ...MACHINE, publicIpv4: '198.51.100.7', publicIpv6: '2001:db8::7' }
  const [own, ofNat] = [
    ['udp 192.0.2.2', 'udp 2001:db8::2'],
    ['udp 198.51.100.7', 'udp 2001:db8::7'],
  ]
  for (const client of [IN_INTERNET, '2001:db8:7::1', '172.32.0.1'])
    it(`begin with the public ones for ${client}`, () =>
      expect(ends(SHARED.slice(1), withPublic, client)).to.eql([...ofNat, ...own]))
  for (const client of [IN_LAN, '10.1.2.3', '172.16.0.9', 'fd00::1', 'fe80::1', 'media.example', undefined])
    it(`end with the public ones for ${client ?? 'one that nothing is known of'}`, () =>
      expect(ends(SHARED.slice(1), withPublic, client)).to.eql([...own, ...ofNat]))

  it('have a public address once where the machine has it itself, and none of a kind that the machine has not', () => {
    const machine = { ...withPublic, outward: ['198.51.100.7'], loopback: ['127.0.0.1'] }
    expect(ends(SHARED.slice(1), machine, IN_INTERNET)).to.eql(['udp 198.51.100.7'])
  })

  it('are those of an address that the config names alone', () => {
    const ports = [{ transport: 'udp', host: '192.0.2.99', port: 9000 }] as const
    expect(ends(ports, MACHINE, IN_LAN)).to.eql(['udp 192.0.2.99'])
  })
})

describe('LocalSockets', () => {
  /** A machine whose addresses change, and of which some are taken. */
  class Machine {
    outward: string[] = []
    readonly taken = new Set<string>()
    readonly closed: string[] = []
    readonly sockets = new LocalSockets({
      net: {
        addresses: () => ({ ...MACHINE, loopback: [], outward: this.outward }),
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

describe('mayReach', () => {
  const cases: readonly [local: string, remote: string, may: boolean][] = [
    ['192.0.2.2', '198.51.100.9', true],
    ['192.0.2.2', '2001:db8::9', false],
    ['192.0.2.2', '127.0.0.1', false],
    ['127.0.0.1', '198.51.100.9', false],
    ['127.0.0.1', '127.0.0.1', true],
    ['::', '198.51.100.9', true],
    ['::', '2001:db8::9', true],
    ['0.0.0.0', '2001:db8::9', false],
  ]
  for (const [local, remote, may] of cases) {
    it(`${may ? 'lets' : 'does not let'} ${local} try ${remote}`, () => expect(mayReach(local, remote)).to.equal(may))
  }
})
