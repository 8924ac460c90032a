import { expect } from 'chai'
import { InvalidRequest, SluiceError } from 'sluice/sdk'
import { LogRecords, ManualClock } from 'sluice/sdk/testing'
import { HOURS_OF_WEEK } from './plan-calendar.ts'
import { PlanRecorder, type PlannedStream, type StartedRecording } from './plan-recorder.ts'
import { ScriptedRecordings } from './test/scripted-recordings.ts'

const HOUR_MS = 3_600_000
/** Thursday, 1:00: the clocks of these tests show UTC, and the epoch began on a Thursday. */
const THURSDAY_1 = HOUR_MS
const hourOfWeek = (ms: number) => (4 * 24 + Math.floor(ms / HOUR_MS)) % HOURS_OF_WEEK

/** A plan that is on from 1:00 to 3:00 on Thursdays. */
const PLAN = Array.from({ length: HOURS_OF_WEEK }, (_, hour) => hour === 4 * 24 + 1 || hour === 4 * 24 + 2)
const CAM: PlannedStream = { type: 'mp4', streamPath: 'live/cam', filePath: 'plans', fragmentMs: 60_000, plan: PLAN }
const CAM_FLV: PlannedStream = { ...CAM, type: 'flv' }

describe('what plans record', () => {
  let clock: ManualClock
  let recordings: ScriptedRecordings
  let live: Set<string>
  let started: Map<string, StartedRecording>
  let log: LogRecords
  let recorder: PlanRecorder

  function generation(): PlanRecorder {
    const made = new PlanRecorder({
      log: log.logger,
      recordings: () => recordings,
      isLive: (streamPath) => live.has(streamPath),
      now: clock.now,
      hourOfWeek,
      setTimeout: (run, delayMs) => {
        const timer = clock.setTimeout(run, delayMs)
        return () => clock.clear(timer)
      },
      started,
    })
    made.start()
    return made
  }

  /** What is recorded when all that was begun is done. */
  async function recorded(): Promise<string[]> {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
    return recordings.active().map(({ type, streamPath, taskId }) => `${taskId} ${type} ${streamPath}`)
  }

  function publish(streamPath = 'live/cam') {
    live.add(streamPath)
    recorder.look(streamPath)
  }

  beforeEach(() => {
    clock = new ManualClock(THURSDAY_1 - 90_500)
    recordings = new ScriptedRecordings()
    live = new Set()
    started = new Map()
    log = new LogRecords('crontab')
    recorder = generation()
  })

  it('is a stream that is live as the slot begins, until it ends', async () => {
    live.add('live/cam')
    recorder.plan([CAM])
    clock.advance(90_000)
    expect(await recorded()).to.eql([])
    clock.advance(500)
    expect(await recorded()).to.eql(['1 mp4 live/cam'])
    expect(recordings.inits).to.eql([{ type: 'mp4', streamPath: 'live/cam', filePath: 'plans', fragmentMs: 60_000 }])
    clock.advance(2 * HOUR_MS - 1)
    expect(await recorded()).to.eql(['1 mp4 live/cam'])
    clock.advance(1)
    expect(await recorded()).to.eql([])
    clock.advance(100 * HOUR_MS)
    expect(recordings.inits).to.have.length(1)
  })

  it('is a stream that comes in the middle of the slot, and not one that is not there', async () => {
    recorder.plan([CAM])
    clock.advance(HOUR_MS)
    expect(recordings.inits).to.eql([])
    publish('live/other')
    expect(await recorded()).to.eql([])
    publish()
    expect(await recorded()).to.eql(['1 mp4 live/cam'])
  })

  it('begins and ends at once as plans change', async () => {
    clock.advance(HOUR_MS)
    publish()
    recorder.plan([CAM, CAM_FLV])
    expect(await recorded()).to.eql(['1 mp4 live/cam', '2 flv live/cam'])
    recorder.plan([CAM])
    expect(await recorded()).to.eql(['1 mp4 live/cam'])
    recorder.plan([{ ...CAM, filePath: 'elsewhere' }])
    expect(await recorded()).to.eql(['3 mp4 live/cam'])
    expect(recordings.inits.at(-1)).to.include({ filePath: 'elsewhere' })
    recorder.plan([])
    expect(await recorded()).to.eql([])
  })

  it('ends where the plan was changed while the recording began', async () => {
    clock.advance(HOUR_MS)
    live.add('live/cam')
    const release = recordings.hold()
    recorder.plan([CAM])
    recorder.plan([])
    expect(await recorded()).to.eql(['1 mp4 live/cam'])
    release()
    expect(await recorded()).to.eql([])
  })

  it('is a stream that goes and comes again while its recording begins', async () => {
    clock.advance(HOUR_MS)
    recorder.plan([CAM])
    const release = recordings.hold(new SluiceError('NOT_FOUND', 404, 'not found'))
    publish()
    publish()
    expect(await recorded()).to.eql([])
    release()
    expect(await recorded()).to.eql(['1 mp4 live/cam'])
    expect(log.problems).to.eql([])
  })

  it('is what the plan itself has started, and nothing of others', async () => {
    clock.advance(HOUR_MS)
    recordings.add({ type: 'mp4', streamPath: 'live/cam' })
    recorder.plan([CAM])
    publish()
    expect(await recorded()).to.eql(['1 mp4 live/cam', '2 mp4 live/cam'])
    clock.advance(2 * HOUR_MS)
    expect(await recorded()).to.eql(['1 mp4 live/cam'])
  })

  it('waits for the end of a recording of others in the same place, without a word', async () => {
    clock.advance(HOUR_MS)
    recordings.refusal = new SluiceError('RECORD_EXISTS', 409, 'record exists')
    recorder.plan([CAM])
    publish()
    expect(await recorded()).to.eql([])
    recordings.refusal = undefined
    recorder.lookLater('live/cam')
    expect(await recorded()).to.eql([])
    clock.advance(1000)
    expect(await recorded()).to.eql(['1 mp4 live/cam'])
    expect(log.records).to.have.length(1)
  })

  it('is started again where it has ended, at the next look at the latest', async () => {
    clock.advance(HOUR_MS)
    recorder.plan([CAM])
    publish()
    await recorded()
    recordings.end(1)
    clock.advance(60_000)
    expect(await recorded()).to.eql(['2 mp4 live/cam'])
    live.clear()
    recordings.end(2)
    clock.advance(HOUR_MS / 2)
    expect(await recorded()).to.eql([])
  })

  it('is not begun again at once where it has ended at once', async () => {
    clock.advance(HOUR_MS)
    const release = recordings.hold()
    recorder.plan([CAM])
    publish()
    recordings.end(1)
    release()
    expect(await recorded()).to.eql([])
    clock.advance(60_000)
    expect(await recorded()).to.eql(['2 mp4 live/cam'])
  })

  it('tells once what is the matter', async () => {
    clock.advance(HOUR_MS)
    recordings.refusal = new InvalidRequest('no plugin records mp4')
    recorder.plan([CAM])
    publish()
    await recorded()
    for (let minute = 0; minute < 5; minute += 1) {
      clock.advance(60_000)
      await recorded()
    }
    expect(log.records.map(({ msg, reason }) => [msg, reason])).to.eql([
      ['the plan cannot record the stream', 'no plugin records mp4'],
    ])
  })

  it('is handed on to the next generation, which neither ends nor doubles it before it knows the plans', async () => {
    clock.advance(HOUR_MS)
    recorder.plan([CAM])
    publish()
    await recorded()
    const next = generation()
    recorder.close()
    clock.advance(60_000)
    expect(await recorded()).to.eql(['1 mp4 live/cam'])
    next.plan([CAM])
    expect(await recorded()).to.eql(['1 mp4 live/cam'])
    expect(next.recorded()(CAM)).to.equal(true)
    expect(next.recorded()(CAM_FLV)).to.equal(false)
    next.plan([])
    expect(await recorded()).to.eql([])
    // The former does nothing any more.
    recorder.plan([CAM])
    publish()
    expect(await recorded()).to.eql([])
  })

  it('follows clocks that are set', async () => {
    recorder.plan([CAM])
    publish()
    let setMs = 2 * HOUR_MS
    const set = new PlanRecorder({
      log: log.logger,
      recordings: () => recordings,
      isLive: () => true,
      now: () => clock.now() + setMs,
      hourOfWeek,
      setTimeout: (run, delayMs) => {
        expect(delayMs).to.be.within(1, 60_000)
        clock.setTimeout(run, delayMs)
        return () => {}
      },
      started,
    })
    set.start()
    set.plan([CAM])
    expect(await recorded()).to.eql(['1 mp4 live/cam'])
    setMs = 5 * HOUR_MS
    clock.advance(60_000)
    expect(await recorded()).to.eql([])
  })
})
