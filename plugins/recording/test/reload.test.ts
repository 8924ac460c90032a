import { expect } from 'chai'
import type { ActiveRecording, Track } from 'sluice/sdk'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { sessionInit } from 'sluice/sdk/testing'
import { finishedFiles, listedFiles, type ListedFile } from '../../../test/support/recordings.ts'
import { numberOf, RecordingRig, type PacedScript, type RecordedUnits } from '../fixtures/recording-rig.ts'

const STREAM = 'live/a'
const CONFIG = {
  mp4: { onpub: { record: { '^live/': { filepath: 'rule', fragment: '1s' } } } },
  flv: { eventrecordfilepath: 'event' },
}
const RELOADS = 20

const isPicture = ({ track }: { readonly track: Track }) => track.kind === 'video'
const finishedSome = async ({ server }: RecordingRig) =>
  (await listedFiles(server, 'mp4')).filter(({ isActive }) => !isActive)
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

describe('recordings while their plugin is reloaded', () => {
  /** Returns the units of files, one file after another. */
  async function unitsOf(rig: RecordingRig, files: readonly ListedFile[]): Promise<RecordedUnits> {
    const all: RecordedUnits = { video: [], audio: [] }
    for (const file of files) {
      const { video, audio } = await rig.unitsOf(file)
      all.video.push(...video)
      all.audio.push(...audio)
    }
    return all
  }

  /** Waits until the files of a folder have the last picture of a source that has ended. */
  async function wholeFiles(
    rig: RecordingRig,
    source: PacedScript,
    type: string,
    folder: string,
  ): Promise<ListedFile[]> {
    const last = source.script.units.filter(isPicture).length - 1
    let files: ListedFile[] = []
    const isWhole = async () => {
      files = (await listedFiles(rig.server, type)).filter(({ filePath }) => filePath.startsWith(`${folder}/`))
      const newest = files.at(-1)
      if (newest === undefined) return false
      expect(files.filter(({ isActive }) => isActive)).to.eql([])
      expect((await rig.unitsOf(newest)).video.at(-1)).to.equal(last)
      return true
    }
    await waitFor(isWhole, { what: `the last picture in ${folder}` })
    return files
  }

  /** Checks that files have each unit once, from their first one to the last of the source, and follow one another in time. */
  async function expectWhole(rig: RecordingRig, source: PacedScript, files: readonly ListedFile[]): Promise<void> {
    const { video, audio } = await unitsOf(rig, files)
    const sent = (kind: string) => source.script.units.filter(({ track }) => track.kind === kind).length
    expect(video).to.eql(range(video[0]!, sent('video')))
    expect(audio).to.eql(range(audio[0]!, sent('audio')))
    const gaps = files.slice(1).map(({ startTime }, index) => Date.parse(startTime) - Date.parse(files[index]!.endTime))
    expect(gaps).to.eql(gaps.map(() => 0))
  }

  it('go on in their next files, with each frame once', async () => {
    const rig = await RecordingRig.start(CONFIG)
    const told = { began: 0, ended: 0, recorded: 0 }
    rig.hooks.on('taskBegan', () => void (told.began += 1))
    rig.hooks.on('taskEnded', () => void (told.ended += 1))
    rig.hooks.on('recorded', () => void (told.recorded += 1))
    const source = await rig.publish(STREAM)
    await waitFor(() => rig.recordings?.active()[0]?.file !== undefined, { what: 'the recording by a rule' })
    const operator = await rig.recordings!.start({ type: 'mp4', streamPath: STREAM, filePath: 'operator' })
    await rig.recordings!.startEvent({ type: 'flv', streamPath: STREAM, beforeMs: 0, afterMs: 3_600_000 })
    for (let reload = 1; reload <= RELOADS; reload++) {
      const frames = source.frames
      await rig.restart()
      expect(rig.recordings!.active()).to.have.length(3)
      // Some reloads come within the same group of pictures.
      if (reload % 3 === 0) await waitFor(() => source.frames > frames + 15)
    }
    const before = source.frames
    await waitFor(() => source.frames > before + 50)
    const [again] = rig.recordings!.active().filter(({ filePath }) => filePath.startsWith('operator'))
    expect(again?.formerTaskIds).to.have.length(RELOADS).and.include(operator.taskId)
    expect(again?.startMs).to.equal(operator.startMs)
    source.end()
    const ruled = await wholeFiles(rig, source, 'mp4', 'rule')
    const operated = await wholeFiles(rig, source, 'mp4', 'operator')
    const forEvent = await wholeFiles(rig, source, 'flv', 'event')
    for (const files of [ruled, operated, forEvent]) await expectWhole(rig, source, files)
    // The recordings wait for another publisher.
    for (const type of ['mp4', 'flv']) await rig.recordings!.stop(type, STREAM)
    expect(told).to.eql({ began: 3, ended: 3, recorded: ruled.length + operated.length + forEvent.length })
    expect(rig.server.problems).to.eql([])
  })

  it('go on in the file of that name, where a rule appends', async () => {
    const record = { '^live/': { filepath: 'rule', filename: '{stream}', append: true } }
    const rig = await RecordingRig.start({ mp4: { onpub: { record } }, flv: { onpub: { record } } })
    const source = await rig.publish(STREAM, {}, 5)
    await waitFor(() => rig.recordings?.active().every(({ file }) => file !== undefined) === true)
    for (let reload = 1; reload <= 3; reload++) {
      await rig.restart()
      const hasBegun = () => rig.recordings!.active().every(({ file }) => file !== undefined && file.id > 0)
      const frames = source.frames
      await waitFor(() => hasBegun() && source.frames > frames + 350, { what: 'the files to be gone on with' })
    }
    source.end()
    for (const type of ['mp4', 'flv']) {
      const files = await wholeFiles(rig, source, type, 'rule')
      expect(files.map(({ filePath }) => filePath)).to.eql([`rule/live_a.${type}`])
      await expectWhole(rig, source, files)
    }
    expect(rig.server.problems).to.eql([])
  })

  it('end when they would have, and by whoever may end them', async () => {
    const record = { '^live/': { filepath: 'rule', duration: '2s' } }
    const rig = await RecordingRig.start({ mp4: { onpub: { record } }, flv: { eventrecordfilepath: 'event' } })
    const source = await rig.publish(STREAM)
    await waitFor(() => rig.recordings?.active()[0]?.file !== undefined)
    const { taskId } = await rig.recordings!.start({ type: 'mp4', streamPath: STREAM, filePath: 'operator' })
    await rig.recordings!.startEvent({ type: 'flv', streamPath: STREAM, beforeMs: 0, afterMs: 1000 })
    await rig.edit()
    const event = { type: 'flv', streamPath: STREAM, beforeMs: 0, afterMs: 2000 }
    await rig.recordings!.startEvent(event)
    expect(rig.recordings!.active()).to.have.length(3)
    await waitFor(() => rig.recordings!.active().length === 1, { what: 'the end of a rule and of an event' })
    expect(await rig.recordings!.stopTask(taskId)).to.include({ streamPath: STREAM, type: 'mp4' })
    expect(rig.recordings!.active()).to.eql([])
    const frames = source.frames
    await rig.restart()
    await waitFor(() => source.frames > frames + 50)
    // A recording by a rule that was over does not begin again.
    expect(rig.recordings!.active()).to.eql([])
    source.end()
    const ruled = (await finishedFiles(rig.server, 'mp4')).filter(({ filePath }) => filePath.startsWith('rule/'))
    const { video } = await unitsOf(rig, ruled)
    expect(video).to.eql(range(0, video.length))
    expect(video.length).to.be.within(195, 205)
    const { total, events } = await rig.recordings!.listEvents({}, { limit: 10, offset: 0 })
    expect([total, ...events.map(({ type }) => type)]).to.eql([2, 'flv', 'flv'])
  })

  it('are played on while others are recorded', async () => {
    const rig = await RecordingRig.start(CONFIG)
    const source = await rig.publish(STREAM, { gopFrames: 25 }, 3)
    await waitFor(async () => (await finishedSome(rig)).length >= 3)
    const viewer = await rig.streams.subscribe(sessionInit(`vod_mp4_1/${STREAM}`))
    const seen: number[] = []
    viewer.read({ unit: (unit) => void (unit.track.kind === 'video' && seen.push(numberOf(unit))) })
    await waitFor(() => seen.length > 20)
    await rig.edit()
    await waitFor(() => seen.length > 150)
    expect(seen).to.eql(range(seen[0]!, seen[0]! + seen.length))
    viewer.close()
    source.end()
    await finishedFiles(rig.server, 'mp4')
    await waitFor(() => !rig.server.server.host.draining.includes('recording'), { what: 'the end of the former one' })
    expect(rig.server.problems).to.eql([])
  })

  it('end with whole files when the plugin is removed, and begin again when it is back', async () => {
    const rig = await RecordingRig.start(CONFIG)
    const source = await rig.publish(STREAM)
    const viewer = await rig.streams.subscribe(sessionInit(STREAM))
    let seen = 0
    viewer.read({ unit: ({ track }) => void (track.kind === 'video' && (seen += 1)) })
    await waitFor(() => source.frames > 150)
    await rig.remove()
    const removedAt = source.frames
    await waitFor(() => !rig.server.server.host.draining.includes('recording'))
    const { status } = await rig.server.api('/api/record/list')
    expect(status).to.equal(404)
    await waitFor(() => source.frames > removedAt + 50)
    expect((await rig.server.api(`/api/stream/info/${STREAM}`)).body.data).to.deep.include({ recording: [] })
    expect((await rig.server.api('/api/summary')).body['recordCount']).to.equal(0)
    await rig.putBack()
    await waitFor(() => rig.recordings!.active()[0]?.file !== undefined, { what: 'the rule to be followed again' })
    const back = source.frames
    await waitFor(() => source.frames > back + 50)
    source.end()
    const files = await wholeFiles(rig, source, 'mp4', 'rule')
    const { video } = await unitsOf(rig, files)
    const first = video.findIndex((frame, index) => frame !== index)
    expect(first).to.be.greaterThan(100)
    expect(video.slice(first)).to.eql(range(video[first]!, source.script.units.filter(isPicture).length))
    expect(seen).to.be.within(source.frames - 20, source.frames + 1)
    expect(rig.server.problems).to.eql([])
  })

  it('go on that another plugin has asked for, and end with that', async () => {
    const rig = await RecordingRig.start({}, ['court'])
    const source = await rig.publish('court/one')
    await waitFor(() => rig.recordings?.active()[0]?.file !== undefined, { what: 'the recording by a source' })
    expect(rig.recordings!.active()).to.have.length(1)
    const [{ filePath, type }] = rig.recordings!.active() as [ActiveRecording]
    expect([filePath, type]).to.eql(['court/{stream}', 'mp4'])
    for (let reload = 0; reload < 3; reload++) {
      const frames = source.frames
      await rig.restart()
      await waitFor(() => source.frames > frames + 30)
    }
    expect(rig.recordings!.active()).to.have.length(1)
    source.end()
    const files = await wholeFiles(rig, source, 'mp4', 'court')
    expect(files.map((file) => file.filePath.replace(/[^/]+$/u, ''))).to.eql(files.map(() => 'court/court/one/'))
    await expectWhole(rig, source, files)
    expect(rig.server.problems).to.eql([])
  })
})
