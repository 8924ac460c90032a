import { expect } from 'chai'
import type { AccessUnit } from 'sluice/sdk'
import { serializeFlvFileHeader, serializeFlvTag, unitTimestampMs } from 'sluice/sdk/media'
import { LogRecords } from 'sluice/sdk/testing'
import { makeFlv, MemoryBytes, type MadeFlv } from './fixtures/made-flv.ts'
import { FlvRecording } from './flv-recording.ts'
import { lastTagMs } from './last-tag.ts'

const SECONDS = 20
const INDEX = { keyframes: true, duration: SECONDS }

describe('FlvRecording', () => {
  let records: LogRecords

  beforeEach(() => (records = new LogRecords('flv')))

  const open = (bytes: MemoryBytes, lastMs?: number) =>
    FlvRecording.open({ bytes, log: records.logger, lastTagMs: lastMs })

  async function readAll(recording: FlvRecording, count = Infinity): Promise<AccessUnit[]> {
    const units: AccessUnit[] = []
    while (units.length < count) {
      const unit = await recording.next()
      if (unit === undefined) break
      units.push(unit)
    }
    return units
  }

  const errorOf = (promise: Promise<unknown>) => promise.then(() => 'none', String)
  const damages = () => records.records.filter(({ msg }) => msg.includes('played up to'))
  const inMs = ({ units }: MadeFlv) => units.map(unitTimestampMs)

  it('gives each unit with its time and bytes, as often as it is read', async () => {
    const made = makeFlv({ seconds: SECONDS, bFrames: 2 })
    const recording = await open(new MemoryBytes(made.bytes))
    expect(recording.tracks.map(({ codec }) => codec)).to.eql(['h264', 'aac'])
    for (let round = 0; round < 3; round++) {
      const units = await readAll(recording)
      expect(units.map(({ dts }) => dts)).to.eql(inMs(made))
      expect(units.map(({ data }) => data.toString('hex'))).to.eql(made.units.map(({ data }) => data.toString('hex')))
      expect(new Set(units.map(({ track }) => track.id))).to.eql(new Set([0, 1]))
      await recording.seek(0)
    }
    expect(records.records).to.eql([])
  })

  it('counts from its beginning, whenever that was', async () => {
    const made = makeFlv({ seconds: SECONDS, startMs: 3_600_000, metadata: INDEX })
    const recording = await open(new MemoryBytes(made.bytes))
    expect((await readAll(recording)).map(({ dts }) => dts)).to.eql(inMs(made))
    await recording.seek(7300)
    expect((await recording.next())?.dts).to.equal(7000)
  })

  for (const [what, metadata] of [
    ['by its index', INDEX],
    ['without one', {}],
    [
      'by an index that is wrong',
      {
        keyframes: new Map([
          ['times', [0, 5, 10]],
          ['filepositions', [500, 601, 703]],
        ]),
      },
    ],
    [
      'by an index of nonsense',
      {
        keyframes: new Map([
          ['times', ['a', -1, NaN, 5]],
          ['filepositions', [1, 2, 3, 1e300]],
        ]),
      },
    ],
    ['with keyframes that are none', { keyframes: 'yes' }],
  ] as const) {
    it(`begins at the keyframe before a position, ${what}`, async () => {
      const made = makeFlv({ seconds: SECONDS, gopFrames: 50, bFrames: 2, metadata })
      const recording = await open(new MemoryBytes(made.bytes))
      for (const [positionMs, wantedMs] of [
        [11_000, 10_000],
        [3999, 2000],
        [4000, 4000],
        [19_999, 18_000],
        [1e9, 18_000],
        [1, 0],
      ] as const) {
        await recording.seek(positionMs)
        const [unit, ...rest] = await readAll(recording, 30)
        expect([unit?.dts, unit?.keyframe, unit?.track.kind], `at ${positionMs}`).to.eql([wantedMs, true, 'video'])
        expect(rest.some(({ track }) => track.kind === 'audio')).to.equal(true)
      }
      expect(records.records).to.eql([])
    })
  }

  it('begins at any sound where there are no pictures', async () => {
    const made = makeFlv({ seconds: SECONDS, video: false })
    const recording = await open(new MemoryBytes(made.bytes))
    await recording.seek(12_000)
    expect((await recording.next())?.dts).to.be.within(11_950, 12_000)
  })

  for (const [what, missingTrackMs, codecs] of [
    ['waits for', undefined, ['h264', 'aac']],
    ['does not wait longer than it is to for', 3000, ['h264']],
  ] as const) {
    it(`${what} a track that is announced and begins late`, async () => {
      const pictures = makeFlv({ seconds: 4, audio: false, metadata: { videocodecid: 7, audiocodecid: 10 } })
      const both = makeFlv({ seconds: 2, startMs: 4000 })
      const header = serializeFlvFileHeader({ audio: true, video: true })
      const bytes = new MemoryBytes(Buffer.concat([pictures.bytes, both.bytes.subarray(header.length)]))
      const recording = await FlvRecording.open({ bytes, log: records.logger, missingTrackMs })
      expect(recording.tracks.map(({ codec }) => codec)).to.eql(codecs)
      const units = await readAll(recording)
      expect(units[0]?.dts).to.equal(0)
      expect(units.filter(({ track }) => track.kind === 'video')).to.have.length(6 * 25)
    })
  }

  it('reads no more than it plays, and to seek by an index no more than there', async () => {
    const made = makeFlv({ seconds: 60, unitBytes: 5000, metadata: INDEX })
    const bytes = new MemoryBytes(made.bytes)
    const recording = await open(bytes)
    await readAll(recording, 20)
    await recording.seek(50_000)
    await recording.next()
    expect(bytes.readBytes).to.be.lessThan(made.bytes.length / 10)
  })

  it('lasts as long as it says, or to its last tag, and as its units do once they were read', async () => {
    const told = await open(new MemoryBytes(makeFlv({ seconds: SECONDS, metadata: { duration: 90 } }).bytes))
    expect(told.durationMs).to.equal(90_000)
    const bytes = new MemoryBytes(makeFlv({ seconds: SECONDS }).bytes)
    const untold = await open(bytes, await lastTagMs(bytes))
    expect(untold.durationMs).to.be.within(SECONDS * 1000 - 50, SECONDS * 1000)
    for (const recording of [told, untold]) {
      const units = await readAll(recording)
      expect(recording.durationMs).to.be.within(SECONDS * 1000, SECONDS * 1000 + 30)
      expect(recording.durationMs).to.be.greaterThan(Math.max(...units.map(({ dts }) => dts)))
    }
  })

  for (const [what, spoil] of [
    ['is cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2 + 7)],
    [
      'is broken in the middle',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, bytes.length / 2), Buffer.alloc(bytes.length / 2, 0xee)]),
    ],
  ] as const) {
    it(`is played as far as it can be read where it ${what}, again and again, with one line in the log`, async () => {
      const made = makeFlv({ seconds: SECONDS })
      const recording = await open(new MemoryBytes(spoil(made.bytes)))
      for (let round = 0; round < 3; round++) {
        const units = await readAll(recording)
        expect(units.length).to.be.within(made.units.length / 2 - 10, made.units.length / 2 + 10)
        expect(units.map(({ dts }) => dts)).to.eql(inMs(made).slice(0, units.length))
        await recording.seek(0)
      }
      expect(damages()).to.have.length(1)
    })
  }

  it('is refused where there is nothing to play', async () => {
    const header = serializeFlvFileHeader({ audio: true, video: true })
    const cases: readonly (readonly [bytes: Buffer, message: RegExp])[] = [
      [Buffer.alloc(0), /the source is no FLV/u],
      [Buffer.from('<html></html>'), /the source is no FLV: .*0x3c68746d/u],
      [header, /no track that can be carried$/u],
      [header.subarray(0, 5), /the source is no FLV/u],
      [
        Buffer.concat([header, serializeFlvTag(9, 0, [Buffer.from([0x12, 0, 0])])]),
        /no track that can be carried \(Sorenson/u,
      ],
      [Buffer.concat([header, Buffer.alloc(100, 7)]), /the source is no FLV: FLV: tag type 7/u],
    ]
    for (const [bytes, message] of cases) expect(await errorOf(open(new MemoryBytes(bytes)))).to.match(message)
  })

  it('takes any bytes without harm', async () => {
    const made = makeFlv({ seconds: 2, metadata: INDEX })
    let random = 12_345
    const next = (below: number) => (random = (random * 1_103_515_245 + 12_345) % 2 ** 31) % below
    for (let round = 0; round < 300; round++) {
      const bytes = Buffer.from(made.bytes)
      for (let spoilt = 0; spoilt <= next(8); spoilt++) bytes[next(round < 150 ? 1500 : bytes.length)] = next(256)
      const memory = new MemoryBytes(bytes)
      const error = await errorOf(
        (async () => {
          const recording = await open(memory, await lastTagMs(memory))
          await recording.seek(next(3000))
          await readAll(recording)
          await recording.seek(0)
          expect((await readAll(recording)).length).to.be.at.most(made.units.length + 10)
        })(),
      )
      if (error !== 'none') expect(error).to.match(/^SourceError: the source (?:is no FLV|has no track)/u)
    }
  })
})
