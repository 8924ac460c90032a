import { expect } from 'chai'
import { parsePortList, PORT_ENTRY_PATTERN, type PortEntry } from './port-list.ts'

const cases: readonly [text: string, entry: PortEntry][] = [
  ['udp:9000', { kind: 'udp', host: undefined, port: 9000 }],
  ['udp::9000', { kind: 'udp', host: undefined, port: 9000 }],
  ['tcp:9000', { kind: 'tcp', host: undefined, port: 9000 }],
  ['udp:192.0.2.2:9000', { kind: 'udp', host: '192.0.2.2', port: 9000 }],
  ['tcp:[2001:db8::1]:9000', { kind: 'tcp', host: '2001:db8::1', port: 9000 }],
  ['udp:9000-9100', { kind: 'udp-range', range: { first: 9000, last: 9100 } }],
]

describe('the ports of WebRTC', () => {
  for (const [text, entry] of cases) {
    it(`are read: ${text}`, () => {
      expect(parsePortList([text])).to.eql([entry])
      expect(text).to.match(new RegExp(PORT_ENTRY_PATTERN))
    })
  }

  for (const text of ['', '9000', 'sctp:9000', 'udp:host:9000', 'tcp:9000-9100', 'udp:']) {
    it(`are refused: '${text}'`, () => expect(text).to.not.match(new RegExp(PORT_ENTRY_PATTERN)))
  }

  it('are named where they are none', () => {
    expect(() => parsePortList(['udp:9000', 'udp'])).to.throw("'udp' is no port of WebRTC")
  })
})
