import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { rounds } from '../../../test/support/soak.ts'
import { parseTransports, serializeTransports, type Transport } from './transport.ts'

const UDP = { profile: 'RTP/AVP', lowerTransport: 'UDP', others: [] } as const
const TCP = { ...UDP, lowerTransport: 'TCP' } as const

/** The text is what is written; what else means the same stands below it. */
const cases: { name: string; text: string; same?: string[]; transports: Transport[] }[] = [
  {
    name: 'what ffmpeg plays with over TCP',
    text: 'RTP/AVP/TCP;unicast;interleaved=0-1',
    same: [
      'rtp/avp/tcp; unicast ; interleaved = 0-1 ',
      ',;RTP/AVP/TCP;;unicast;interleaved="0-1";,',
      'RTP/AVP/TCP;UNICAST;Interleaved=0 - 1',
      'RTP/AVP;unicast;interleaved=0-1',
    ],
    transports: [{ ...TCP, delivery: 'unicast', interleaved: { first: 0, last: 1 } }],
  },
  {
    name: 'one channel',
    text: 'RTP/AVP/TCP;interleaved=255',
    same: ['RTP/AVP/TCP;interleaved=255-255'],
    transports: [{ ...TCP, interleaved: { first: 255, last: 255 } }],
  },
  {
    name: 'what ffmpeg records with',
    text: 'RTP/AVP/TCP;unicast;interleaved=0-1;mode=record',
    same: [
      'RTP/AVP/TCP;unicast;interleaved=0-1;mode=RECORD',
      'RTP/AVP/TCP;unicast;mode=receive;interleaved=0-1',
      'RTP/AVP/TCP;unicast;interleaved=0-1;mode="PLAY, RECORD"',
    ],
    transports: [{ ...TCP, delivery: 'unicast', interleaved: { first: 0, last: 1 }, mode: 'record' }],
  },
  {
    name: 'what VLC answers',
    text: 'RTP/AVP;unicast;client_port=25928-25929;server_port=33549-33550;ssrc=385D2FE8;mode=play',
    same: [
      'RTP/AVP/UDP;unicast;client_port=25928-25929;server_port=33549-33550;ssrc=385D2FE8;mode=play',
      'RTP/AVP;unicast;client_port=25928-25929;server_port=33549-33550;ssrc=0x385d2fe8;mode="PLAY"',
    ],
    transports: [
      {
        ...UDP,
        delivery: 'unicast',
        clientPort: { first: 25_928, last: 25_929 },
        serverPort: { first: 33_549, last: 33_550 },
        ssrc: 0x385d2fe8,
        mode: 'play',
      },
    ],
  },
  {
    name: 'a port for RTCP below that for RTP',
    text: 'RTP/AVP;unicast;client_port=25928-25929;server_port=47487-5',
    transports: [
      {
        ...UDP,
        delivery: 'unicast',
        clientPort: { first: 25_928, last: 25_929 },
        serverPort: { first: 47_487, last: 5 },
      },
    ],
  },
  {
    name: 'ports over the connection, which make no sense',
    text: 'RTP/AVP;interleaved=0-1;client_port=4-5',
    transports: [{ ...UDP, interleaved: { first: 0, last: 1 }, clientPort: { first: 4, last: 5 } }],
  },
  {
    name: 'a choice, as in RFC 2326 12.39',
    text: 'RTP/AVP;multicast;ttl=127;mode=play,RTP/AVP;unicast;client_port=3456-3457;mode=play',
    same: ['RTP/AVP;multicast;ttl=127;mode="PLAY",\r\n RTP/AVP;unicast;client_port=3456-3457;mode="PLAY"'],
    transports: [
      { ...UDP, delivery: 'multicast', ttl: 127, mode: 'play' },
      { ...UDP, delivery: 'unicast', clientPort: { first: 3456, last: 3457 }, mode: 'play' },
    ],
  },
  {
    name: 'addresses of multicast',
    text: 'RTP/AVP;multicast;destination=224.2.0.1;source=[2001:db8::1];ttl=16;port=3456-3457',
    same: ['RTP/AVP;multicast;destination="224.2.0.1";source=[2001:db8::1];ttl=16;port=3456-3457'],
    transports: [
      {
        ...UDP,
        delivery: 'multicast',
        destination: '224.2.0.1',
        source: '[2001:db8::1]',
        ttl: 16,
        port: { first: 3456, last: 3457 },
      },
    ],
  },
  {
    name: 'a profile that is to be refused',
    text: 'RTP/SAVP;unicast;client_port=1-2,RAW/RAW/TLS;unicast',
    transports: [
      { ...UDP, profile: 'RTP/SAVP', delivery: 'unicast', clientPort: { first: 1, last: 2 } },
      { ...UDP, profile: 'RAW/RAW', lowerTransport: 'TLS', delivery: 'unicast' },
    ],
  },
  {
    name: 'unknown and broken parameters',
    text: 'RTP/AVP;ssrc=00000001;layers=2;append;destination="";client_port=2-1-3;interleaved=0-256;ttl=256;SSRC=xyz;a="b,c;d\\"e"',
    transports: [
      {
        ...UDP,
        ssrc: 1,
        others: [
          ['layers', '2'],
          ['append', undefined],
          ['destination', ''],
          ['client_port', '2-1-3'],
          ['interleaved', '0-256'],
          ['ttl', '256'],
          ['SSRC', 'xyz'],
          ['a', 'b,c;d"e'],
        ],
      },
    ],
  },
]

describe('parseTransports', () => {
  for (const { name, text, same = [], transports } of cases) {
    it(`takes ${name}`, () => {
      for (const each of [text, ...same]) expect(parseTransports(each), each).to.deep.equal(transports)
    })
  }

  it('leaves out what is no transport at all', () => {
    expect(parseTransports('UDP,RTP/AVP/TCP;unicast,x y')).to.deep.equal([{ ...TCP, delivery: 'unicast' }])
  })

  for (const text of ['', ',;,', 'unicast;client_port=1-2', 'RTP/AVP/TCP/x']) {
    it(`refuses '${text}'`, () => {
      expect(() => parseTransports(text)).to.throw(MalformedError, 'no transport')
    })
  }

  it('parses or refuses any text', () => {
    const piece = fc.constantFrom('RTP/AVP', '/TCP', ';', ',', '=', '"', '\\', '-', '1', '65536', 'interleaved', 'mode')
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
    )
    fc.assert(
      fc.property(text, (text) => {
        try {
          const transports = parseTransports(text)
          expect(parseTransports(serializeTransports(transports))).to.have.length(transports.length)
        } catch (error) {
          expect(error).to.be.instanceOf(MalformedError)
        }
      }),
      { numRuns: rounds(1000) },
    )
  })
})

describe('serializeTransports', () => {
  for (const { name, text, transports } of cases) {
    it(`writes ${name}`, () => {
      expect(serializeTransports(transports)).to.equal(text)
    })
  }

  it('writes what is parsed again', () => {
    const pair = fc.record({ first: fc.nat(255), last: fc.nat(255) })
    const text = fc.string({ minLength: 1 })
    const fields = {
      delivery: fc.constantFrom('unicast' as const, 'multicast' as const),
      destination: text,
      source: text,
      interleaved: pair,
      ttl: fc.nat(255),
      port: pair,
      clientPort: pair,
      serverPort: pair,
      ssrc: fc.nat(0xffffffff),
      mode: fc.constantFrom('play' as const, 'record' as const),
    }
    const transport = fc
      .record({ ...fields, profile: fc.constantFrom('RTP/AVP', 'RTP/SAVP') }, { requiredKeys: ['profile'] })
      .map((fields): Transport => ({ ...fields, lowerTransport: 'TCP', others: [['a', '']] }))
    fc.assert(
      fc.property(fc.array(transport, { minLength: 1, maxLength: 4 }), (transports) => {
        expect(parseTransports(serializeTransports(transports))).to.deep.equal(transports)
      }),
    )
  })
})
