import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { framemd5 } from '../../../test/peers/ffmpeg.ts'
import type { PublishInit } from '../../../test/peers/ffmpeg.ts'
import { ffprobePackets, ffprobeStreams } from '../../../test/peers/ffprobe.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { inTurn } from '../../../test/support/soak.ts'
import { PresentationRig } from './fixtures/presentation-rig.ts'
import { makeSourceUnits, writeSource } from './fixtures/source-units.ts'
import type { SourceUnits } from './fixtures/source-units.ts'
import { countsOf, expectTogether, FORMS, saveAll } from './fixtures/saved-presentation.ts'
import type { Form } from './fixtures/saved-presentation.ts'

const SOURCES: readonly (readonly [string, Omit<PublishInit, 'url'>])[] = [
  ['B-frames', { video: { bFrames: 2, gopFrames: 50 } }],
  ['29.97 frames a second', { video: { fps: '30000/1001', gopFrames: 30 } }],
  ['a keyframe each 10 s', { video: { fps: '10', gopFrames: 100 }, durationSeconds: 22 }],
  ['frames at uneven times', { output: ['-vf', 'select=not(mod(n\\,3))+not(mod(n\\,7))', '-vsync', 'vfr'] }],
  ['audio that starts 2 s late', { output: ['-af', 'atrim=start=2'] }],
  ['video alone', { audio: false }],
  ['audio alone', { video: false }],
]

/** All that a source puts in a presentation that keeps it. */
function present(form: Form, write: (rig: PresentationRig) => void): PresentationRig {
  const rig = new PresentationRig({ ...form, window: 1000 })
  write(rig)
  rig.presentation.end()
  return rig
}

describe('presentation: ffmpeg reads', () => {
  let folder: string
  const made = new Map<string, Promise<SourceUnits>>()
  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(join(tmpdir(), 'sluice-'))
  })
  after(async () => {
    if (folder) await rm(folder, { recursive: true })
  })

  function source(name: string, init: Omit<PublishInit, 'url'>): Promise<SourceUnits> {
    const units = made.get(name) ?? makeSourceUnits(sourceFile(name), init)
    made.set(name, units)
    return units
  }

  const sourceFile = (name: string) => join(folder, `${name.replaceAll(/\W/gu, '-')}.flv`)

  for (const [turn, [name, init]] of SOURCES.entries()) {
    for (const [formName, form] of inTurn(FORMS, turn)) {
      it(`exactly the frames of the source, sound and pictures together: ${name}, ${formName}`, async () => {
        const units = await source(name, init)
        const rig = present(form, (sink) => writeSource(sink, units))
        const file = await saveAll(folder, rig)
        const found = await hashesOf(file)
        expect(found).to.deep.equal(await hashesOf(sourceFile(name)))
        expect(found.length).to.be.greaterThan(40)
        expectTogether(await ffprobePackets(file), [units])
        // The file has sound before the first picture, which the core would leave out, and so a short first part.
        expect([...rig.broken].filter((rule) => !rule.startsWith('part-duration: 0.123'))).to.deep.equal([])
      })
    }
  }

  it('over the wrap of 33 bits', async () => {
    const units = await source('wrap', { video: { bFrames: 2 } })
    const wanted = await hashesOf(sourceFile('wrap'))
    for (const [, form] of FORMS) {
      const file = await saveAll(
        folder,
        present(form, (sink) => writeSource(sink, units, 2 ** 33 / 90_000 - 2.5)),
      )
      expect(await hashesOf(file)).to.deep.equal(wanted)
      expectTogether(await ffprobePackets(file), [units])
    }
  })

  it('sound of its own', async () => {
    const units = await source('group', { video: { bFrames: 2 } })
    for (const [, form] of FORMS) {
      const second = { ...units.tracks.find(({ kind }) => kind === 'audio')!, language: 'fr' }
      const file = await saveAll(
        folder,
        present(form, (sink) => writeSource(sink, withSecond(units, second))),
      )
      expect((await ffprobeStreams(file)).map(({ kind }) => kind).toSorted()).to.deep.equal(['audio', 'audio', 'video'])
      const packets = await ffprobePackets(file)
      const audio = packets.filter(({ kind }) => kind === 'audio')
      const first = audio.filter(({ stream }) => stream === audio[0]!.stream)
      const main = [...packets.filter(({ kind }) => kind === 'video'), ...first]
      expect(countsOf(main)).to.deep.equal(countsOf(units.units.map(({ track }) => track)))
      expect(audio).to.have.length(first.length * 2)
      expectTogether(main, [units])
    }
  })
})

const hashesOf = async (file: string) => (await framemd5(file)).map(({ md5 }) => md5).toSorted()

/** The source with its sound a second time. */
function withSecond({ tracks, units }: SourceUnits, second: SourceUnits['tracks'][number]): SourceUnits {
  const track = { ...second, id: tracks.length }
  const doubled = units.flatMap((unit) => {
    if (unit.track.kind === 'video') return [unit]
    return [unit, { ...pick(unit), track } as unknown as typeof unit]
  })
  return { tracks: [...tracks, second], units: doubled }
}

const pick = ({ dts, pts, keyframe, data }: SourceUnits['units'][number]) => ({ dts, pts, keyframe, data })
