import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { InvalidRequest, StoreUnavailable, StreamNotFound, StreamUnavailable } from 'sluice/sdk'
import { framemd5 } from '../../../test/peers/ffmpeg.ts'
import { ffprobePackets, ffprobeStreams, type ProbedPacket } from '../../../test/peers/ffprobe.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { rounds } from '../../../test/support/soak.ts'
import { prepareFmp4, prepareMp4 } from './download.ts'
import { CountedSource, cutOff, makeRecording, readAll, save } from './fixtures/recordings.ts'

type Kind = ProbedPacket['kind']

describe('downloads of recordings', () => {
  let folder: string
  let packets: ProbedPacket[]
  const at = (name: string) => path.join(folder, name)

  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-download-'))
    await makeRecording(at('a.mp4'), { seconds: 6, bFrames: 2 })
    await makeRecording(at('small.mp4'), { seconds: 3, size: '160x120' })
    await makeRecording(at('sound.mp4'), { seconds: 3, video: false })
    packets = await ffprobePackets(at('a.mp4'))
  })
  after(() => folder && rm(folder, { recursive: true }))

  const ofKind = (all: readonly ProbedPacket[], kind: Kind) => all.filter((packet) => packet.kind === kind)
  const hashes = (all: readonly ProbedPacket[], kind: Kind) => ofKind(all, kind).map(({ md5 }) => md5)

  for (const [kind, prepare] of Object.entries({ mp4: prepareMp4, fmp4: prepareFmp4 })) {
    describe(`as ${kind}`, () => {
      it('have all packets of one source, and one of it open at a time', async () => {
        const source = new CountedSource(at('a.mp4'), 0, { fromMs: -1000 })
        const { file, leftOut } = await prepare([source])
        expect(leftOut).to.eql([])
        expect(source.openNow).to.equal(0)
        const found = await ffprobePackets(await save(file, at('whole.mp4')))
        for (const each of ['video', 'audio'] as const) expect(hashes(found, each)).to.eql(hashes(packets, each))
        expect(source.openNow).to.equal(0)
        expect((await framemd5(at('whole.mp4'))).filter(({ stream }) => stream === 0)).to.have.length(150)
        expect(file.type).to.equal('video/mp4')
      })

      it('are the same by parts as in one', async () => {
        const sources = [new CountedSource(at('a.mp4')), new CountedSource(at('small.mp4'), 7000, { fromMs: 500 })]
        const { file } = await prepare(sources)
        const whole = await readAll(file)
        expect(whole).to.have.length(file.sizeBytes)
        const cuts = fc.array(fc.nat(file.sizeBytes - 1), { maxLength: 5 })
        await fc.assert(
          fc.asyncProperty(cuts, async (places) => {
            const sorted = [0, ...places.toSorted((one, other) => one - other), file.sizeBytes]
            const parts: Buffer[] = []
            for (const [index, first] of sorted.slice(0, -1).entries()) {
              const end = sorted[index + 1]!
              if (end > first) parts.push(await readAll(file, first, end - 1))
            }
            expect(Buffer.concat(parts).equals(whole)).to.equal(true)
          }),
          { numRuns: rounds(30) },
        )
        expect(sources.map(({ openNow }) => openNow)).to.eql([0, 0])
      })

      for (const hasTable of [true, false]) {
        it(`are cut at keyframes${hasTable ? '' : ', in a file without a table of fragments'}`, async () => {
          await copyFile(at('a.mp4'), at('cut.mp4'))
          // The table ends with its own size.
          const bytes = await readFile(at('a.mp4'))
          if (!hasTable) await cutOff(at('cut.mp4'), bytes.readUInt32BE(bytes.length - 4))
          const { file } = await prepare([new CountedSource(at('cut.mp4'), 0, { fromMs: 2500, toMs: 4000 })])
          const found = await ffprobePackets(await save(file, at(`cut-${kind}.mp4`)))
          const video = ofKind(packets, 'video')
          const startMs = video.findLast(({ keyframe, ptsMs }) => keyframe && ptsMs! <= 2500)!.ptsMs!
          const first = video.findIndex(({ ptsMs }) => ptsMs === startMs)
          expect(startMs).to.be.within(1500, 2500)
          const count = hashes(found, 'video').length
          expect(hashes(found, 'video')).to.eql(hashes(packets, 'video').slice(first, first + count))
          // As many as are decoded until then; the file's times begin two pictures before 0.
          expect(count).to.be.within(Math.round((4000 - startMs) / 40), Math.round((4000 - startMs) / 40) + 3)
          const sound = hashes(found, 'audio')
          const from = hashes(packets, 'audio').indexOf(sound[0]!)
          expect(sound).to.eql(hashes(packets, 'audio').slice(from, from + sound.length))
          expect(ofKind(packets, 'audio')[from]!.ptsMs).to.be.within(startMs - 1, startMs + 24)
          expect(sound.length).to.be.closeTo(((4000 - startMs) * 44.1) / 1024, 2)
          const zeroMs = found[0]!.ptsMs!
          expect(zeroMs).to.be.within(0, 81)
          expect(ofKind(found, 'video')[0]).to.include({ keyframe: true })
        })
      }

      it('begin with the first keyframe where there is none before, and end with the file', async () => {
        const { file } = await prepare([new CountedSource(at('small.mp4'), 0, { fromMs: -5000, toMs: 100_000 })])
        const found = await ffprobePackets(await save(file, at('wide-cut.mp4')))
        expect(hashes(found, 'video')).to.eql(hashes(await ffprobePackets(at('small.mp4')), 'video'))
      })

      it('go from file to file at their times, whatever their configuration is', async () => {
        const sources = [
          ['a.mp4', 0],
          ['small.mp4', 10_000],
          ['sound.mp4', 20_000],
          ['a.mp4', 22_000],
        ] as const
        const { file } = await prepare(sources.map(([name, startMs]) => new CountedSource(at(name), startMs)))
        // Its parser of H.264 knows nothing of a second sample entry, and would complain.
        const found = await ffprobePackets(await save(file, at('many.mp4')), { input: ['-fflags', '+noparse'] })
        const video = ofKind(found, 'video')
        expect(video).to.have.length(150 + 75 + 150)
        const [first, second, third] = [0, 150, 225].map((index) => video[index]!.ptsMs! - video[0]!.ptsMs!)
        expect(first).to.equal(0)
        expect(second).to.be.closeTo(10_000, 100)
        // The one before it ends a second later than the next begins.
        expect(third).to.be.closeTo(23_000, 100)
        const dts = found.filter(({ stream }) => stream === 1).map(({ dtsMs }) => dtsMs!)
        expect(dts).to.eql(dts.toSorted((one, other) => one - other))
      })

      it('have what is whole of a file that was cut off, or is damaged', async () => {
        const bytes = await readFile(at('a.mp4'))
        const moofs = [...bytes.toString('latin1').matchAll(/moof/gu)].map(({ index }) => index - 4)
        const last = moofs.at(-3)!
        const damages: readonly Buffer[] = [
          bytes.subarray(0, last + 5),
          bytes.subarray(0, last + 100),
          bytes.subarray(0, moofs.at(-2)! - 10),
          Buffer.concat([bytes.subarray(0, last), Buffer.alloc(5000)]),
          Buffer.concat([bytes.subarray(0, last + 30), Buffer.alloc(5000, 0xff)]),
        ]
        const wanted = new Set(packets.map(({ md5 }) => md5))
        for (const damaged of damages) {
          await writeFile(at('damaged.mp4'), damaged)
          const { file, leftOut } = await prepare([new CountedSource(at('damaged.mp4'), 0, { fromMs: 0 })])
          const found = await ffprobePackets(await save(file, at('repaired.mp4')))
          expect(leftOut).to.eql([])
          expect(found.every(({ md5 }) => wanted.has(md5))).to.equal(true)
          expect(ofKind(found, 'video').length).to.be.within(100, 149)
        }
      })

      it('go without what is not there, and say so', async () => {
        await writeFile(at('empty.mp4'), '')
        const names = ['none.mp4', 'empty.mp4', 'small.mp4']
        const sources = names.map((name, index) => new CountedSource(at(name), index * 3000))
        const { file, leftOut } = await prepare(sources)
        expect(leftOut.map(({ source, reason }) => [source, reason.message])).to.eql([
          [sources[0], "the file can't be read: ENOENT"],
          [sources[1], 'the file has no moov box: it is no MP4, or was not finished when it was written'],
        ])
        expect((await ffprobeStreams(await save(file, at('rest.mp4')))).map(({ width }) => width)).to.eql([160, 0])
        const nothing = prepare([new CountedSource(at('a.mp4'), 0, { fromMs: 3000, toMs: 0 })])
        expect(await rejectionOf(nothing)).to.be.instanceOf(StreamNotFound)
        expect(await rejectionOf(prepare([]))).to.be.instanceOf(StreamNotFound)
      })

      it('are not made where a file cannot be read that may be there, or all are damaged', async () => {
        const failed = (error: Error, reads = false) => ({
          startMs: 0,
          fromMs: 0,
          async open() {
            if (!reads) throw error
            return { sizeBytes: 1000, read, close: async () => {} }
            async function read(): Promise<Buffer> {
              throw error
            }
          },
        })
        const whole = new CountedSource(at('small.mp4'), 10_000)
        const store = new StoreUnavailable('it is away')
        expect(await rejectionOf(prepare([failed(store), whole]))).to.equal(store)
        const descriptors = Object.assign(new Error('the file cannot be read: EMFILE'), { code: 'EMFILE' })
        const timeout = Object.assign(new Error('no answer by the S3 server'), { passes: true })
        for (const error of [descriptors, timeout]) {
          for (const source of [failed(error), failed(error, true)]) {
            const failure = await rejectionOf(prepare([source, whole]))
            expect(failure).to.be.instanceOf(StreamUnavailable).and.to.have.property('cause', error)
          }
        }
        await writeFile(at('empty.mp4'), '')
        for (const name of ['none.mp4', 'empty.mp4']) {
          const failure = await rejectionOf(prepare([new CountedSource(at(name), 0, { fromMs: 0 })]))
          expect(failure, name)
            .to.be.instanceOf(StreamUnavailable)
            .and.to.have.property('message')
            .that.includes('none of')
        }
        expect(whole.openNow).to.equal(0)
      })

      it('have a tag that stays, and changes with what they have', async () => {
        const tagOf = async (...args: ConstructorParameters<typeof CountedSource>) =>
          (await prepare([new CountedSource(...args)])).file.etag
        await copyFile(at('a.mp4'), at('short.mp4'))
        await cutOff(at('short.mp4'), 50_000)
        const cases = [
          await tagOf(at('short.mp4'), 0, { fromMs: 2000 }),
          await tagOf(at('a.mp4')),
          await tagOf(at('small.mp4')),
          await tagOf(at('a.mp4'), 0, { fromMs: 2000 }),
          await tagOf(at('a.mp4'), 0, { fromMs: 2000, toMs: 4000 }),
        ]
        expect(new Set(cases).size).to.equal(cases.length)
        expect(await tagOf(at('a.mp4'))).to.equal(cases[1])
        expect(cases[0]).to.match(/^"[\w-]+"$/u)
      })

      it('end when they are told to', async () => {
        const stop = new AbortController()
        const reason = new Error('the client left')
        stop.abort(reason)
        const source = new CountedSource(at('a.mp4'), 0, { fromMs: 1 })
        expect(await rejectionOf(prepare([source], stop.signal))).to.equal(reason)
        expect(source.openNow).to.equal(0)
      })

      it('close their source when a reader stops, or the source has become shorter', async () => {
        await copyFile(at('a.mp4'), at('shrinking.mp4'))
        const source = new CountedSource(at('shrinking.mp4'), 0, { fromMs: 0 })
        const { file } = await prepare([source])
        for await (const piece of file.read({ first: 0, last: file.sizeBytes - 1 })) {
          expect(piece.length).to.be.at.least(1)
          if (source.openNow === 1) break
        }
        expect(source.openNow).to.equal(0)
        await cutOff(at('shrinking.mp4'), 20_000)
        expect(await rejectionOf(readAll(file))).to.be.instanceOf(Error)
        expect(source.openNow).to.equal(0)
      })
    })
  }

  it('as fmp4 are the file itself, where it is one', async () => {
    const { file } = await prepareFmp4([new CountedSource(at('a.mp4'))])
    expect((await readAll(file)).equals(await readFile(at('a.mp4')))).to.equal(true)
  })

  it('refuse a gap that MP4 has no room for', async () => {
    const sources = [0, 10 ** 9].map((startMs) => new CountedSource(at('sound.mp4'), startMs))
    const refusal = await rejectionOf(prepareMp4(sources))
    expect(refusal).to.be.instanceOf(InvalidRequest)
    expect(refusal).to.have.property('message').that.includes('no room for a gap')
  })
})
