import { createCipheriv } from 'node:crypto'
import { expect } from 'chai'
import { ERROR_PAGE, makeSegments, VIDEO } from './fixtures/made-segments.ts'
import { SegmentLoader } from './segment-loader.ts'
import type { FileRequest } from './source-client.ts'
import { SourceError } from './source-error.ts'
import type { SegmentKey, SourceSegment } from '../wire/source-playlist.ts'

const KEY = Buffer.from('0123456789abcdef')
const FMP4 = makeSegments('', { format: 'fmp4', video: VIDEO, count: 2 })
const TS = makeSegments('', { format: 'ts', video: VIDEO, count: 1 })

function rig(files: Readonly<Record<string, Buffer>>) {
  const asked: FileRequest[] = []
  const loader = new SegmentLoader({
    fetch: async (request) => {
      asked.push(request)
      const bytes = files[request.uri]
      if (bytes === undefined) throw new SourceError(`there is no ${request.uri}`)
      return { bytes, url: request.uri }
    },
  })
  return { loader, asked, names: () => asked.map(({ uri }) => uri) }
}

function segment(uri: string, more: Partial<SourceSegment> = {}): SourceSegment {
  const plain = { range: undefined, durationSeconds: 1, sequence: 258, discontinuity: 0 }
  return { ...plain, uri, key: undefined, init: undefined, gap: false, ...more }
}

const init = (uri: string, offset = 0) => ({ uri, range: { offset, sizeBytes: 700 }, key: undefined })
const aes = (iv?: string): SegmentKey => ({ method: 'AES-128', uri: 'key', iv, format: 'identity' })

function encrypt(bytes: Buffer, iv: Buffer): Buffer {
  const cipher = createCipheriv('aes-128-cbc', KEY, iv)
  return Buffer.concat([cipher.update(bytes), cipher.final()])
}

async function reasonOf(promise: Promise<unknown>): Promise<SourceError> {
  const error: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).to.be.instanceOf(SourceError)
  return error as SourceError
}

describe('SegmentLoader', () => {
  it('fetches an init segment once for all segments that have the same', async () => {
    const files = { init: FMP4.get('init')!, other: FMP4.get('init')!, a: FMP4.get('0')!, b: FMP4.get('1')! }
    const { loader, names } = rig(files)
    const first = await loader.load(segment('a', { init: init('init') }), 'base')
    const second = await loader.load(segment('b', { init: init('init') }), 'base')
    expect(first).to.eql({ bytes: files.a, container: 'fmp4', init: files.init })
    expect(second.init).to.equal(first.init)
    expect(names()).to.eql(['init', 'a', 'b'])
    await loader.load(segment('a', { init: init('init', 700) }), 'base')
    await loader.load(segment('b', { init: init('other') }), 'base')
    expect(names().slice(3)).to.eql(['init', 'a', 'other', 'b'])
  })

  it('asks for parts of files, as seen from the playlist', async () => {
    const { loader, asked } = rig({ a: TS.get('0')! })
    const range = { offset: 188, sizeBytes: 376 }
    expect(await loader.load(segment('a', { range }), 'http://h/l.m3u8')).to.include({
      container: 'ts',
      init: undefined,
    })
    expect(asked).to.have.length(1)
    expect(asked[0]).to.deep.include({ uri: 'a', base: 'http://h/l.m3u8', range, maxSizeBytes: 64 * 1024 * 1024 })
  })

  it('tells packed audio', async () => {
    const { loader } = rig({ a: Buffer.from('494433040000000000000000', 'hex') })
    expect((await loader.load(segment('a'), '')).container).to.equal('packed')
  })

  it('does not keep an init segment that is none', async () => {
    const files: Record<string, Buffer> = { init: ERROR_PAGE, a: FMP4.get('0')! }
    const { loader } = rig(files)
    expect((await reasonOf(loader.load(segment('a', { init: init('init') }), ''))).fatal).to.equal(false)
    files['init'] = FMP4.get('init')!
    expect(await loader.load(segment('a', { init: init('init') }), '')).to.include({ container: 'fmp4' })
  })

  const none: readonly (readonly [what: string, bytes: Buffer, hasInit: boolean])[] = [
    ['an error page in place of MPEG-TS', ERROR_PAGE, false],
    ['an error page in place of fragmented MP4', ERROR_PAGE, true],
    ['nothing', Buffer.alloc(0), false],
    ['a box that is longer than the file', FMP4.get('0')!.subarray(0, 16), true],
  ]
  for (const [what, bytes, hasInit] of none) {
    it(`refuses ${what}`, async () => {
      const { loader } = rig({ init: FMP4.get('init')!, a: bytes })
      const more = hasInit ? { init: init('init') } : {}
      expect((await reasonOf(loader.load(segment('a', more), ''))).message).to.equal('what came is no segment')
    })
  }

  it('finds MPEG-TS behind other bytes', async () => {
    const { loader } = rig({ a: Buffer.concat([Buffer.from('GIF89aG'), TS.get('0')!]) })
    expect((await loader.load(segment('a'), '')).container).to.equal('ts')
  })

  describe('of encrypted segments', () => {
    it('decrypts by the vector of the playlist, or by the number of the segment', async () => {
      const plain = TS.get('0')!
      const counted = Buffer.alloc(16)
      counted.writeUInt16BE(258, 14)
      const told = Buffer.alloc(16)
      told.writeUInt16BE(0x1f2, 14)
      const { loader, asked } = rig({ key: KEY, a: encrypt(plain, counted), b: encrypt(plain, told) })
      expect((await loader.load(segment('a', { key: aes() }), '')).bytes.equals(plain)).to.equal(true)
      expect((await loader.load(segment('b', { key: aes('0x1F2') }), '')).bytes.equals(plain)).to.equal(true)
      expect(asked.map(({ uri, maxSizeBytes }) => `${uri} ${maxSizeBytes}`)).to.eql([
        `a ${64 * 1024 * 1024}`,
        'key 16',
        `b ${64 * 1024 * 1024}`,
      ])
    })

    it('keeps the four keys that were needed last', async () => {
      const files: Record<string, Buffer> = { a: encrypt(TS.get('0')!, Buffer.alloc(16)) }
      for (let key = 0; key < 5; key++) files[`key${key}`] = KEY
      const { loader, names } = rig(files)
      for (const key of [0, 1, 2, 3, 4, 4, 1, 0]) {
        await loader.load(segment('a', { sequence: 0, key: { ...aes(), uri: `key${key}` } }), '')
      }
      expect(names().filter((name) => name !== 'a')).to.eql(['key0', 'key1', 'key2', 'key3', 'key4', 'key0'])
    })

    it('asks again for a key that could not be had', async () => {
      const files: Record<string, Buffer> = { a: encrypt(TS.get('0')!, Buffer.alloc(16)) }
      const { loader } = rig(files)
      const load = () => loader.load(segment('a', { sequence: 0, key: aes() }), '')
      expect((await reasonOf(load())).message).to.equal('there is no key')
      files['key'] = KEY.subarray(1)
      expect((await reasonOf(load())).message).to.equal('the key of a segment has 15 bytes')
      files['key'] = KEY
      expect((await load()).container).to.equal('ts')
    })

    it('says that a key is the wrong one', async () => {
      const { loader } = rig({ key: Buffer.alloc(16), a: encrypt(TS.get('0')!, Buffer.alloc(16)) })
      const error = await reasonOf(loader.load(segment('a', { key: aes() }), ''))
      expect([error.message, error.fatal]).to.eql(['a segment can not be decrypted with the key of the source', false])
    })

    const unknown: readonly (readonly [key: SegmentKey, message: string])[] = [
      [{ ...aes(), method: 'SAMPLE-AES' }, 'encrypted by SAMPLE-AES;'],
      [{ ...aes(), format: 'com.apple' }, 'encrypted by AES-128 with keys of com.apple;'],
      [{ ...aes(), uri: '' }, 'encrypted by AES-128;'],
    ]
    for (const [key, message] of unknown) {
      it(`gives the source up that is ${message}`, async () => {
        const { loader, asked } = rig({ key: KEY, a: TS.get('0')! })
        const error = await reasonOf(loader.load(segment('a', { key }), ''))
        expect(error.message).to.include(message)
        expect(error.fatal).to.equal(true)
        expect(asked).to.eql([])
      })
    }
  })
})
