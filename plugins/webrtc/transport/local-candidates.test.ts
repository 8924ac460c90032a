import { expect } from 'chai'
import { localCandidates } from './local-candidates.ts'

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
