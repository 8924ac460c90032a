import { expect } from 'chai'
import { jpegIn } from './upload-body.ts'

const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xdb, 1, 2, 3, 0xff, 0xd9])
const form = (...parts: readonly Buffer[]) =>
  Buffer.concat([
    ...parts.flatMap((part) => [Buffer.from('--x\r\nA: b\r\n\r\n'), part, Buffer.from('\r\n')]),
    Buffer.from('--x--\r\n'),
  ])
const json = (imageData: unknown) => Buffer.from(JSON.stringify({ imageData }))

describe('the picture in an upload', () => {
  const cases: readonly [string, Buffer, boolean][] = [
    ['alone', JPEG, true],
    ['with zeros behind it', Buffer.concat([JPEG, Buffer.alloc(9)]), true],
    ['in a form', form(JPEG), true],
    ['as the last part', form(Buffer.from('1'), Buffer.from('two'), JPEG), true],
    ['in a form that does not end', Buffer.concat([Buffer.from('--x\r\n\r\n'), JPEG]), true],
    ['in JSON', json(JPEG.toString('base64')), true],
    ['cut off', JPEG.subarray(0, 6), false],
    ['of another kind', Buffer.from('GIF89a'), false],
    ['that is no text in JSON', json(7), false],
    ['in what is no JSON', Buffer.from('{"imageData":'), false],
    ['in a form of many parts', form(...Array.from({ length: 40 }, () => Buffer.from('x')), JPEG), false],
    ['in nothing', Buffer.alloc(0), false],
  ]
  for (const [name, body, isThere] of cases) {
    it(`is ${isThere ? 'found' : 'none'} ${name}`, () => {
      expect(jpegIn(body)?.subarray(0, JPEG.length)).to.eql(isThere ? JPEG : undefined)
    })
  }

  it('is looked for in anything at all', () => {
    let seed = 7
    const next = () => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff) % 256
    const heads = ['--x\r\n', '{"imageData":"', '\xff\xd8\xff', '']
    for (let run = 0; run < 2000; run += 1) {
      const tail = Buffer.from(Array.from({ length: next() % 64 }, next))
      jpegIn(Buffer.concat([Buffer.from(heads[run % heads.length]!, 'latin1'), tail, form(tail)]))
    }
  })
})
