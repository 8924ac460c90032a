import { expect } from 'chai'
import { localCandidates, mayReach } from './local-sockets.ts'

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

/** `TRANSPORT ADDRESS`, with the address behind it where there is one. */
function ends(...args: Parameters<typeof localCandidates>): string[] {
  return localCandidates(...args).map(({ transport, address, behind }) =>
    behind === undefined ? `${transport} ${address}` : `${transport} ${address} before ${behind}`,
  )
}

describe('the candidates of this machine', () => {
  it('are all of its addresses, UDP first, and without loopback', () => {
    expect(ends(SHARED, MACHINE, false)).to.eql([
      'udp 192.0.2.2',
      'udp 2001:db8::2',
      'tcp 192.0.2.2',
      'tcp 2001:db8::2',
    ])
  })

  it('have loopback for clients that came by it, and where there is nothing else', () => {
    expect(ends(SHARED.slice(1), MACHINE, true)).to.include.members(['udp 127.0.0.1', 'udp ::1'])
    expect(ends(SHARED.slice(1), { ...MACHINE, outward: [] }, false)).to.eql(['udp 127.0.0.1', 'udp ::1'])
  })

  it('have the public addresses, each before one of its kind', () => {
    const machine = { ...MACHINE, publicIpv4: '198.51.100.7', publicIpv6: '2001:db8::7' }
    expect(ends(SHARED.slice(1), machine, false)).to.eql([
      'udp 192.0.2.2',
      'udp 2001:db8::2',
      'udp 198.51.100.7 before 192.0.2.2',
      'udp 2001:db8::7 before 2001:db8::2',
    ])
    expect(ends(SHARED.slice(1), { ...machine, publicIpv4: '192.0.2.2', publicIpv6: undefined }, false)).to.have.length(
      2,
    )
  })

  it('are those of an address that the config names alone', () => {
    const ports = [{ transport: 'udp', host: '192.0.2.99', port: 9000 }] as const
    expect(ends(ports, MACHINE, false)).to.eql(['udp 192.0.2.99'])
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
