import { expect } from 'chai'
import * as fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { MAX_TEXT_LENGTH, parseMansrtsp, serializeMansrtsp, type MansrtspMessage } from './message.ts'

type Case = {
  readonly name: string
  readonly lines: readonly string[]
  readonly message: MansrtspMessage
  readonly written?: false
}

const PLAY = { kind: 'request', method: 'PLAY', cseq: 2, scale: undefined, start: undefined } as const

/** Read and written, but where devices write otherwise than this server. */
const CASES: readonly Case[] = [
  {
    name: 'go on',
    lines: ['PLAY RTSP/1.0', 'CSeq: 2', 'Range: npt=now-'],
    message: { ...PLAY, start: 'now' },
  },
  { name: 'go to a time', lines: ['PLAY RTSP/1.0', 'CSeq: 2', 'Range: npt=100-'], message: { ...PLAY, start: 100 } },
  { name: 'faster', lines: ['PLAY RTSP/1.0', 'CSeq: 2', 'Scale: 4'], message: { ...PLAY, scale: 4 } },
  {
    name: 'slowly backwards from a time',
    lines: ['PLAY RTSP/1.0', 'CSeq: 2', 'Scale: -0.25', 'Range: npt=12.5-'],
    message: { ...PLAY, scale: -0.25, start: 12.5 },
  },
  {
    name: 'stand still',
    lines: ['PAUSE RTSP/1.0', 'CSeq: 3', 'PauseTime: now'],
    message: { ...PLAY, method: 'PAUSE', cseq: 3 },
  },
  { name: 'end', lines: ['TEARDOWN RTSP/1.0', 'CSeq: 4'], message: { ...PLAY, method: 'TEARDOWN', cseq: 4 } },
  {
    name: 'an answer',
    lines: ['RTSP/1.0 200 OK', 'CSeq: 2'],
    message: { kind: 'response', status: 200, reason: 'OK', cseq: 2, rtpInfo: undefined },
  },
  {
    name: 'an answer with the first packet',
    lines: ['RTSP/1.0 200 OK', 'CSeq: 2', 'RTP-Info: seq=1024;rtptime=2016'],
    message: { kind: 'response', status: 200, reason: 'OK', cseq: 2, rtpInfo: { sequence: 1024, timestamp: 2016 } },
  },
  {
    name: 'a request of 2011, in any case',
    lines: ['play MANSRTSP/1.0', 'cseq :2', 'scale:2.0', 'range: NPT = 0-20'],
    message: { ...PLAY, scale: 2, start: 0 },
    written: false,
  },
  {
    name: 'a request with a URL, and values that are none',
    lines: ['PLAY rtsp://a/b RTSP/1.0', 'CSeq: 2', 'Scale: 0', 'Range: clock=1-', 'none'],
    message: PLAY,
    written: false,
  },
  {
    name: 'an answer of 2011 without a phrase',
    lines: ['MANSRTSP/1.0 404', 'CSeq: 2', 'RTP-Info: url=x;seq=7'],
    message: { kind: 'response', status: 404, reason: '', cseq: 2, rtpInfo: { sequence: 7, timestamp: undefined } },
    written: false,
  },
]

describe('MANSRTSP', () => {
  for (const { name, lines, message, written } of CASES) {
    it(`is read and written: ${name}`, () => {
      expect(parseMansrtsp(`${lines.join('\r\n')}\r\n\r\n`)).to.eql(message)
      expect(parseMansrtsp(lines.join('\n'))).to.eql(message)
      if (written !== false) expect(serializeMansrtsp(message)).to.equal(`${lines.join('\r\n')}\r\n\r\n`)
    })
  }

  for (const [name, text] of [
    ['nothing', ''],
    ['another method', 'RECORD RTSP/1.0\r\nCSeq: 1\r\n'],
    ['another protocol', 'PLAY HTTP/1.0\r\nCSeq: 1\r\n'],
    ['no CSeq', 'PLAY RTSP/1.0\r\n'],
    ['a CSeq that is none', 'PLAY RTSP/1.0\r\nCSeq: x\r\n'],
    ['too much', `PLAY RTSP/1.0\r\nCSeq: 1\r\nX: ${'a'.repeat(MAX_TEXT_LENGTH)}`],
  ] as const) {
    it(`is refused: ${name}`, () => {
      expect(() => parseMansrtsp(text)).to.throw(MalformedError)
    })
  }

  it('is read or refused, whatever the text is, and written as it was read', () => {
    const seeds = CASES.map(({ lines }) => lines.join('\r\n'))
    const edits = fc.array(fc.tuple(fc.nat(100), fc.nat(255)), { maxLength: 6 })
    fc.assert(
      fc.property(fc.constantFrom(...seeds), edits, (seed, changes) => {
        const bytes = Buffer.from(seed)
        for (const [at, value] of changes) bytes[at % bytes.length] = value
        try {
          const message = parseMansrtsp(bytes.toString('latin1'))
          expect(parseMansrtsp(serializeMansrtsp(message))).to.eql(message)
        } catch (error) {
          if (!(error instanceof MalformedError)) throw error
        }
      }),
      { numRuns: 1000, seed: 28_181 },
    )
  })
})
