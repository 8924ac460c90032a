import { expect } from 'chai'
import * as fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { parsePlaybackOrder, serializePlaybackResponse } from './mansrtsp.ts'

const nothing = { scale: undefined, seekMs: undefined }

describe('orders for a playback', () => {
  const cases = [
    { lines: ['PLAY MANSRTSP/1.0', 'CSeq: 2', 'Range: npt=now-'], is: { verb: 'PLAY', sequence: '2', ...nothing } },
    {
      lines: ['PLAY RTSP/1.0', 'CSeq:3', 'Range:npt=100-'],
      is: { verb: 'PLAY', sequence: '3', ...nothing, seekMs: 100_000 },
    },
    { lines: ['play MANSRTSP/1.0', 'Range: npt=1.5-20'], is: { verb: 'PLAY', sequence: '', ...nothing, seekMs: 1500 } },
    { lines: ['PLAY MANSRTSP/1.0', 'Scale: -2.0'], is: { verb: 'PLAY', sequence: '', ...nothing, scale: -2 } },
    { lines: ['PAUSE MANSRTSP/1.0', 'CSeq: 9', 'PauseTime: now'], is: { verb: 'PAUSE', sequence: '9', ...nothing } },
    { lines: ['TEARDOWN MANSRTSP/1.0'], is: { verb: 'TEARDOWN', sequence: '', ...nothing } },
  ]
  for (const { lines, is } of cases) {
    it(`are read from ${lines.join(', ')}`, () => {
      for (const end of ['\r\n', '\n']) expect(parsePlaybackOrder(Buffer.from(lines.join(end)))).to.eql(is)
    })
  }

  for (const text of [
    '',
    'SETUP MANSRTSP/1.0',
    'PLAY',
    'PLAY MANSRTSP/1.0\r\nScale: 0',
    'PLAY MANSRTSP/1.0\r\nScale: x',
    'PLAY MANSRTSP/1.0\r\nRange: clock=1',
    `PLAY MANSRTSP/1.0\r\n${'x'.repeat(20_000)}`,
  ]) {
    it(`are none in ${JSON.stringify(text.slice(0, 40))}`, () => {
      expect(() => parsePlaybackOrder(Buffer.from(text))).to.throw(MalformedError)
    })
  }

  it('are answered with their number', () => {
    const order = parsePlaybackOrder(Buffer.from('PAUSE MANSRTSP/1.0\r\nCSeq: 9\r\n'))
    expect(String(serializePlaybackResponse(order))).to.equal('MANSRTSP/1.0 200 OK\r\nCSeq: 9\r\n\r\n')
  })

  it('are read, or refused, whatever the text is', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom('PLAY MANSRTSP/1.0\r\n', 'Range: npt=', 'Scale: ', '\r\n', '-', '1e9'),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        try {
          parsePlaybackOrder(Buffer.from(pieces.join('')))
        } catch (error) {
          expect(error).to.be.instanceOf(MalformedError)
        }
      }),
      { seed: 1, numRuns: 300 },
    )
  })
})
