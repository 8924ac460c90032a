import { expect } from 'chai'
import { ERROR_PAGE, makeSegments, VIDEO } from './fixtures/made-segments.ts'
import { containerOf, type SegmentContainer } from './segment-container.ts'

const FMP4 = makeSegments('', { format: 'fmp4', video: VIDEO, count: 1 })
const TS = makeSegments('', { format: 'ts', video: VIDEO, count: 1 }).get('0')!
const box = (sizeBytes: number, lengthBytes: number, type = 'uuid') => {
  const bytes = Buffer.alloc(lengthBytes)
  bytes.writeUInt32BE(sizeBytes, 0)
  bytes.write(type, 4)
  return bytes
}

describe('the container of a segment', () => {
  const cases: readonly (readonly [what: string, Buffer, hasInit: boolean, SegmentContainer | undefined])[] = [
    ['fragmented MP4', FMP4.get('0')!, true, 'fmp4'],
    ['fragmented MP4 without init segment of its own', FMP4.get('0')!, false, 'fmp4'],
    ['a box that few have', box(24, 32), true, 'fmp4'],
    ['a box whose size is told after its type', box(1, 32), true, 'fmp4'],
    ['a box as long as the file', box(32, 32), true, 'fmp4'],
    ['a box past the end of the file', box(33, 32), true, undefined],
    ['a box shorter than its head', box(7, 32), true, undefined],
    ['less than a box', Buffer.alloc(7), true, undefined],
    ['MPEG-TS', TS, false, 'ts'],
    ['a single packet', TS.subarray(0, 188), false, 'ts'],
    ['MPEG-TS behind other bytes', Buffer.concat([Buffer.from('GIF'), TS]), false, 'ts'],
    ['less than a packet', TS.subarray(0, 187), false, undefined],
    ['an ID3 tag', Buffer.from('494433040000000000000000', 'hex'), false, 'packed'],
    ['ADTS', Buffer.from('fff15080017ffc', 'hex'), false, 'packed'],
    ['ADTS with a check sum', Buffer.from('fff05080017ffc', 'hex'), false, 'packed'],
    ['MP3', Buffer.from('fffb9064', 'hex'), false, undefined],
    ['an error page', ERROR_PAGE, false, undefined],
    ['an error page where fragmented MP4 should be', ERROR_PAGE, true, undefined],
    ['nothing', Buffer.alloc(0), false, undefined],
  ]
  for (const [what, bytes, hasInit, container] of cases) {
    it(`is ${container ?? 'not there'} for ${what}`, () => {
      expect(containerOf(bytes, hasInit)).to.equal(container)
    })
  }
})
