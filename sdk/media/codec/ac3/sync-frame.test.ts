import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import { ac3Config } from './config.ts'
import { parseAc3SyncFrame } from './sync-frame.ts'
import type { Ac3SyncFrame } from './sync-frame.ts'

const SURROUND: Ac3SyncFrame = {
  codec: 'ac3',
  sampleRate: 48_000,
  channels: 6,
  sizeBytes: 1792,
  samplesPerFrame: 1536,
  bitrate: 448_000,
  fscod: 0,
  bsid: 8,
  bsmod: 0,
  acmod: 7,
  lfeOn: true,
  independent: true,
  substreamId: 0,
}
const STEREO: Ac3SyncFrame = { ...SURROUND, channels: 2, acmod: 2, lfeOn: false, fscod: 1, sampleRate: 44_100 }

// The first four are from ffmpeg; the last ones change bits of those.
const cases: { name: string; hex: string; frame: Ac3SyncFrame }[] = [
  { name: 'AC-3 of 5.1', hex: '0b77b50b1e40ebf8', frame: SURROUND },
  { name: 'AC-3 in stereo', hex: '0b77d80e544043e1', frame: { ...STEREO, sizeBytes: 834, bitrate: 192_000 } },
  { name: 'AC-3 in stereo, longer', hex: '0b77d80e554043e1', frame: { ...STEREO, sizeBytes: 836, bitrate: 192_000 } },
  { name: 'E-AC-3 of 5.1', hex: '0b77037f3f87c000', frame: { ...SURROUND, codec: 'eac3', bsid: 16 } },
  {
    name: 'a dependent substream of one block at half the rate',
    hex: '0b774b7fcf87c000',
    frame: {
      ...SURROUND,
      codec: 'eac3',
      bsid: 16,
      fscod: 3,
      sampleRate: 24_000,
      bitrate: 224_000,
      independent: false,
      substreamId: 1,
    },
  },
  {
    name: 'E-AC-3 of one block',
    hex: '0b77037f0f87c000',
    frame: { ...SURROUND, codec: 'eac3', bsid: 16, samplesPerFrame: 256, bitrate: 2_688_000 },
  },
]

describe('parseAc3SyncFrame', () => {
  for (const { name, hex, frame } of cases) {
    it(`parses ${name}`, () => expect(parseAc3SyncFrame(Buffer.from(hex, 'hex'))).to.deep.equal(frame))
  }

  it('refuses reserved values and what is cut off', () => {
    const broken = [
      '0b77b50b1e40eb', // short
      '0b78b50b1e40ebf8', // syncword
      '0b77b50bde40ebf8', // fscod
      '0b77b50b2640ebf8', // frmsizecod
      '0b77b50b1e48ebf8', // bsid 9
      '0b77b50b1e88ebf8', // bsid 17
      '0b77c37f3f87c000', // stream type
      '0b77037fff87c000', // fscod2
    ]
    for (const hex of broken) {
      expect(() => parseAc3SyncFrame(Buffer.from(hex, 'hex')), hex).to.throw(MalformedError)
    }
  })

  it('takes any bytes', () => {
    fuzz(
      cases.map(({ hex }) => Buffer.from(hex, 'hex')),
      (bytes) => expect(parseAc3SyncFrame(bytes).sizeBytes).to.be.within(2, 4096),
    )
  })
})

describe('ac3Config', () => {
  it('describes both codecs', () => {
    const [ac3, , , eac3] = cases.map(({ hex }) => Buffer.from(hex, 'hex')) as [Buffer, Buffer, Buffer, Buffer]
    const fields = { record: Buffer.alloc(0), sampleRate: 48_000, channels: 6 }
    expect(ac3Config('ac3', ac3)).to.deep.equal({ ...fields, codecString: 'ac-3' })
    expect(ac3Config('eac3', eac3)).to.deep.equal({ ...fields, codecString: 'ec-3' })
    expect(() => ac3Config('ac3', eac3)).to.throw(MalformedError, 'a frame of eac3 in a track of ac3')
  })
})
