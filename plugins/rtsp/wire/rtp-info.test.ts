import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '../../../test/support/soak.ts'
import { parseRtpInfo, serializeRtpInfo, type RtpInfo } from './rtp-info.ts'

/** The text is what is written; what else means the same stands below it. */
const cases: { name: string; text: string; same?: string[]; entries: RtpInfo[] }[] = [
  {
    name: 'what VLC sends',
    text: 'url=rtsp://127.0.0.1:7052/live/a/trackID=0;seq=53926;rtptime=1171184953,url=rtsp://127.0.0.1:7052/live/a/trackID=1;seq=14431;rtptime=104105329',
    same: [
      'url=rtsp://127.0.0.1:7052/live/a/trackID=0;seq=53926;rtptime=1171184953, url=rtsp://127.0.0.1:7052/live/a/trackID=1;seq=14431;rtptime=104105329',
      ' URL = "rtsp://127.0.0.1:7052/live/a/trackID=0" ; rtptime = 1171184953 ; Seq=53926 ;ssrc=1 , url=rtsp://127.0.0.1:7052/live/a/trackID=1;seq=14431;rtptime=104105329',
    ],
    entries: [
      { url: 'rtsp://127.0.0.1:7052/live/a/trackID=0', sequenceNumber: 53_926, rtpTime: 1_171_184_953 },
      { url: 'rtsp://127.0.0.1:7052/live/a/trackID=1', sequenceNumber: 14_431, rtpTime: 104_105_329 },
    ],
  },
  {
    name: 'URLs with commas, semicolons and parameters',
    text: 'url=rtsp://10.0.0.1/cam;1?a=1,2;b=3/trackID=0;seq=0;rtptime=4294967295,url=trackID=1;seq=65535',
    entries: [
      { url: 'rtsp://10.0.0.1/cam;1?a=1,2;b=3/trackID=0', sequenceNumber: 0, rtpTime: 4_294_967_295 },
      { url: 'trackID=1', sequenceNumber: 65_535 },
    ],
  },
  {
    name: 'a URL alone',
    text: 'url=rtsp://10.0.0.1/a',
    same: [
      'url=rtsp://10.0.0.1/a;seq=;rtptime=-1',
      'url=rtsp://10.0.0.1/a;seq=65536;rtptime=4294967296',
      'x,url=rtsp://10.0.0.1/a;seq=1e3',
    ],
    entries: [{ url: 'rtsp://10.0.0.1/a' }],
  },
  { name: 'nothing', text: '', same: ['seq=1;rtptime=2', 'curl=1'], entries: [] },
]

describe('parseRtpInfo', () => {
  for (const { name, text, same = [], entries } of cases) {
    it(`takes ${name}`, () => {
      for (const each of [text, ...same]) expect(parseRtpInfo(each), each).to.deep.equal(entries)
    })
  }

  it('takes any text', () => {
    const piece = fc.constantFrom('url=', ',', ';', 'seq=', 'rtptime=', '1', '"', ' ', '=')
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
        ),
        (text) => {
          for (const { sequenceNumber = 0, rtpTime = 0 } of parseRtpInfo(text)) {
            expect(sequenceNumber).to.be.within(0, 0xffff)
            expect(rtpTime).to.be.within(0, 0xffffffff)
          }
        },
      ),
      { numRuns: rounds(1000) },
    )
  })
})

describe('serializeRtpInfo', () => {
  for (const { name, text, entries } of cases) {
    it(`writes ${name}`, () => {
      expect(serializeRtpInfo(entries)).to.equal(text)
    })
  }
})
