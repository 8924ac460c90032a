import { expect } from 'chai'
import * as fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { serializeAnswer } from './answer.ts'
import { NotAcceptable, parseOffer } from './offer.ts'

const LIVE = [
  'v=0',
  'o=34020000002000000001 0 0 IN IP4 10.0.0.1',
  's=Play',
  'c=IN IP4 10.0.0.1',
  't=0 0',
  'm=video 30000 RTP/AVP 96 97 98',
  'a=recvonly',
  'a=rtpmap:98 H264/90000',
  'a=rtpmap:97 MPEG4/90000',
  'a=rtpmap:96 PS/90000',
  'a=streamnumber:1',
  'y=0200000017',
  'f=v/2/4///a/1//',
]

const text = (lines: readonly string[]) => lines.map((line) => `${line}\r\n`).join('')
const changed = (from: RegExp, to: string) => text(LIVE.map((line) => line.replace(from, to)))

describe('the descriptions of a platform', () => {
  it('are read for what is live', () => {
    expect(parseOffer(text(LIVE))).to.eql({
      kind: 'Play',
      uri: undefined,
      start: 0,
      end: 0,
      host: '10.0.0.1',
      media: 'video',
      port: 30_000,
      transport: 'udp',
      setup: undefined,
      payloadType: 96,
      ssrc: '0200000017',
      format: 'v/2/4///a/1//',
      downloadSpeed: undefined,
      streamNumber: 1,
    })
  })

  it('are read for a download over TCP, with the connection of its media', () => {
    const lines = [
      'v=0',
      's=Download',
      'u=34:0',
      'c=IN IP4 10.0.0.1',
      't=1714557600 1714561200',
      'm=video 9 TCP/RTP/AVP 100',
      'c=IN IP4 10.0.0.7',
      'a=setup:active',
      'a=rtpmap:100 PS/90000',
      'a=downloadspeed:4',
    ]
    expect(parseOffer(lines.join('\n'))).to.include({
      kind: 'Download',
      uri: '34:0',
      start: 1_714_557_600,
      end: 1_714_561_200,
      host: '10.0.0.7',
      transport: 'tcp',
      setup: 'active',
      payloadType: 100,
      downloadSpeed: 4,
      ssrc: undefined,
    })
  })

  it('are refused when they can not be met, or are broken', () => {
    expect(() => parseOffer(changed(/RTP\/AVP/u, 'RTP/SAVPF'))).to.throw(NotAcceptable)
    for (const [from, to] of [
      [/^m=.*/u, 'b=AS:1'],
      [/^c=.*/u, 'b=AS:1'],
      [/^t=.*/u, 't=a b'],
      [/^s=.*/u, 'nonsense'],
    ] as const) {
      expect(() => parseOffer(changed(from, to)), String(from)).to.throw(MalformedError)
    }
    expect(() => parseOffer('a=x\n'.repeat(201))).to.throw(MalformedError)
  })

  it('are read, or refused, whatever the text is', () => {
    const line = fc.oneof(fc.constantFrom(...LIVE), fc.string())
    fc.assert(
      fc.property(fc.array(line, { maxLength: 15 }), (lines) => {
        try {
          parseOffer(lines.join('\r\n'))
        } catch (error) {
          expect(error instanceof MalformedError || error instanceof NotAcceptable).to.equal(true)
        }
      }),
      { seed: 1, numRuns: 300 },
    )
  })
})

describe('the answers of a device', () => {
  const answer = (lines: readonly string[], port: number | undefined = 40_000) =>
    String(
      serializeAnswer(parseOffer(text(lines)), {
        channelId: '34',
        host: '10.0.0.2',
        port,
        ssrc: '0200000017',
        fileSizeBytes: 9,
        format: 'v/2',
      }),
    ).split('\r\n')

  it('state what an offer asks for', () => {
    expect(answer(LIVE)).to.eql([
      'v=0',
      'o=34 0 0 IN IP4 10.0.0.2',
      's=Play',
      'c=IN IP4 10.0.0.2',
      't=0 0',
      'm=video 40000 RTP/AVP 96',
      'a=sendonly',
      'a=rtpmap:96 PS/90000',
      'a=streamnumber:1',
      'a=filesize:9',
      'y=0200000017',
      'f=v/2',
      '',
    ])
  })

  it('take the other role of a connection, and may be without a port', () => {
    const lines = LIVE.map((line) => line.replace(' RTP/AVP', ' TCP/RTP/AVP'))
    expect(answer([...lines, 'a=setup:active'])).to.include.members(['a=setup:passive', 'a=connection:new'])
    expect(answer([...lines, 'a=setup:passive'])).to.include('a=setup:active')
    expect(answer(LIVE, -1)).to.include('m=video -1 RTP/AVP 96')
  })
})
