import { expect } from 'chai'
import fc from 'fast-check'
import { Candidate } from 'werift'
import { candidateLines, pairPriority, parseRemoteCandidate } from './ice-candidate.ts'

describe('candidates', () => {
  it('are told best first, TCP below UDP, and as others read them', () => {
    const lines = candidateLines([
      { transport: 'udp', address: '192.0.2.2', port: 9000 },
      { transport: 'udp', address: '2001:db8::2', port: 9000 },
      { transport: 'udp', address: '198.51.100.7', port: 9000 },
      { transport: 'tcp', address: '192.0.2.2', port: 9000 },
    ])
    const read = lines.map((line) => Candidate.fromSdp(line))
    expect(read.map(({ type }) => type)).to.eql(['host', 'host', 'host', 'host'])
    expect(read[2]).to.include({ port: 9000, host: '198.51.100.7' })
    expect(read[3]).to.include({ transport: 'tcp', tcptype: 'passive' })
    const priorities = read.map(({ priority }) => priority)
    expect(priorities).to.eql(priorities.toSorted((one, other) => other - one))
    expect(new Set(read.map(({ foundation }) => foundation)).size).to.equal(4)
  })

  const understood: readonly [line: string, address: string][] = [
    ['1 1 udp 2122260223 192.0.2.9 54321 typ host generation 0 ufrag abcd network-id 1', '192.0.2.9'],
    ['candidate:842163049 1 UDP 1677729535 198.51.100.9 5 typ srflx raddr 0.0.0.0 rport 0', '198.51.100.9'],
    ['a=candidate:1 1 udp 2122260223 2001:0db8:0:0::9 54321 typ host', '2001:db8::9'],
    ['1 1 udp 1 ::ffff:192.0.2.9 5 typ relay raddr 192.0.2.1 rport 4', '192.0.2.9'],
  ]
  for (const [line, address] of understood) {
    it(`are understood: ${line}`, () => expect(parseRemoteCandidate(line)?.address).to.equal(address))
  }

  for (const line of [
    '',
    '1 1 udp 2122260223 6d8f4b5c-7e4c-4bb5-9f4a-1c0b5b8b4d41.local 54321 typ host',
    '1 1 tcp 1518280447 192.0.2.9 9 typ host tcptype active',
    '1 2 udp 2122260222 192.0.2.9 54321 typ host',
    '1 1 udp 2122260223 192.0.2.9 0 typ host',
    '1 1 udp 2122260223 192.0.2.9 65536 typ host',
    '1 1 udp 2122260223 fe80::1%eth0 5 typ host',
    '1 1 udp 2122260223 0.0.0.0 5 typ host',
    '1 1 udp 99999999999 192.0.2.9 5 typ host',
    `1 1 udp 1 192.0.2.9 5 typ host ${'x'.repeat(600)}`,
  ]) {
    it(`are left out: ${line.slice(0, 80)}`, () => expect(parseRemoteCandidate(line)).to.equal(undefined))
  }

  it('may be anything', () => {
    const words = fc.array(fc.oneof(fc.string(), fc.constantFrom('1', 'udp', 'typ', 'host', '192.0.2.9', '::1', '9')), {
      maxLength: 12,
    })
    fc.assert(fc.property(words, (list) => void parseRemoteCandidate(list.join(' '))))
  })

  it('make pairs that both ends rank alike', () => {
    expect(pairPriority(2, 1)).to.equal(2n ** 32n + 4n + 1n)
    expect(pairPriority(1, 2)).to.equal(2n ** 32n + 4n)
  })
})
