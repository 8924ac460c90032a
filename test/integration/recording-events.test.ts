import { expect } from 'chai'
import { ffprobePackets } from '../peers/ffprobe.ts'
import { publish } from '../peers/ffmpeg.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { finishedFiles, listedFiles, placeOf, post } from '../support/recordings.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const CONFIG = `
mp4:
  eventrecordfilepath: events
  onpub:
    record:
      ^buffered/: { mode: event }
      ^always/: { filepath: 'always/{stream}' }
`

type ListedEvent = {
  readonly id: number
  readonly filePath: string
  readonly startTime: string
  readonly endTime: string
  readonly eventId: string
  readonly eventLevel: string
  readonly eventName: string
  readonly eventDesc: string
}

describe('recordings of events', () => {
  let server: RunningServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ config: CONFIG })
  })
  after(() => server?.stop())

  /** Publishes until the test is over; resolves when so much of the stream has passed. */
  async function stream(streamPath: string, ms: number) {
    const publisher = publish({ url: server.rtmp(streamPath), durationSeconds: 60 })
    const lastMs = () => server.server.streams.get(streamPath)?.publisher?.timeline.lastMs ?? 0
    await waitFor(() => lastMs() >= ms)
    return { publisher, lastMs }
  }

  async function events(streamPath: string): Promise<ListedEvent[]> {
    return (await server.api(`/api/record/mp4/event/list/${streamPath}`)).body.data as ListedEvent[]
  }

  const spanMs = ({ startTime, endTime }: Pick<ListedEvent, 'startTime' | 'endTime'>) =>
    Date.parse(endTime) - Date.parse(startTime)

  it('begin before and end after it, in a file of their own', async () => {
    const { publisher, lastMs } = await stream('buffered/cam', 5000)
    const beforeMs = lastMs()
    const body = {
      streamPath: 'buffered/cam',
      eventId: '7',
      eventName: 'motion',
      eventDesc: 'in the yard',
      eventLevel: '0',
      beforeDuration: '3s',
      afterDuration: '2s',
      recordMode: '1',
    }
    const id = await post(server, '/mp4/api/event/start', body)
    const [event] = await events('buffered/cam')
    expect(event).to.include({ id, eventId: '7', eventName: 'motion', eventDesc: 'in the yard', eventLevel: 'high' })
    const [file] = await finishedFiles(server, 'mp4')
    await publisher.close()
    expect(file?.filePath).to.match(/^events\/buffered\/cam\/\d{4}(?:-\d\d){5}\.mp4$/u)
    // What was asked for, and what it takes to begin with a keyframe.
    expect(file?.duration).to.be.within(4900, 6200)
    expect(spanMs(event!)).to.be.within(4900, 6300)
    const video = await ffprobePackets(placeOf(server, file!), { kind: 'video' })
    expect(video[0]?.keyframe).to.equal(true)
    expect(video).to.have.length.within(124, 155)
    expect(beforeMs).to.be.at.least(5000)
  })

  it('go on while events follow', async () => {
    const { publisher } = await stream('buffered/long', 1500)
    const body = { streamPath: 'buffered/long', beforeDuration: '1s', afterDuration: '1s' }
    await post(server, '/mp4/api/event/start', body)
    await post(server, '/mp4/api/event/start', { ...body, eventName: 'again', afterDuration: '4s' })
    await waitFor(async () => (await listedFiles(server, 'mp4', 'buffered/long')).some(({ isActive }) => !isActive))
    await publisher.close()
    const files = await listedFiles(server, 'mp4', 'buffered/long')
    expect(files).to.have.length(1)
    expect(files[0]?.duration).to.be.at.least(4900)
    expect((await events('buffered/long')).map(({ eventName }) => eventName)).to.have.members(['again', ''])
  })

  it('are rows alone where the stream is recorded all the time', async () => {
    const { publisher } = await stream('always/cam', 1500)
    await waitFor(async () => (await listedFiles(server, 'mp4', 'always/cam')).length === 1)
    await post(server, '/mp4/api/event/start', { streamPath: 'always/cam', beforeDuration: '1s', afterDuration: 5 })
    const [event] = await events('always/cam')
    const [file, ...others] = await listedFiles(server, 'mp4', 'always/cam')
    await publisher.close()
    expect(others).to.eql([])
    expect(event?.filePath).to.equal(file?.filePath)
    expect(spanMs(event!)).to.be.within(5900, 6100)
  })

  it('are refused with text that no database keeps, and others are stored', async () => {
    const { publisher } = await stream('buffered/nul', 500)
    const event = (eventName: string) => {
      const body = JSON.stringify({ streamPath: 'buffered/nul', eventName, afterDuration: '1s' })
      return server.api('/mp4/api/event/start', { method: 'POST', body })
    }
    expect((await event('a\0b')).status).to.equal(400)
    expect((await event('ab')).status).to.equal(200)
    expect((await events('buffered/nul')).map(({ eventName }) => eventName)).to.eql(['ab'])
    await waitFor(async () => (await listedFiles(server, 'mp4', 'buffered/nul')).length === 1, { what: 'its row' })
    for (const list of ['list', 'event/list', 'catalog']) {
      expect((await server.api(`/api/record/%00/${list}`)).status, list).to.equal(400)
    }
    await publisher.close()
  })

  it('are refused where there is no such stream', async () => {
    const other = await startServer({ env: { SLUICE_GLOBAL_SUBSCRIBE_WAITTIMEOUT: '100ms' } })
    const init = { method: 'POST', body: JSON.stringify({ streamPath: 'live/none' }) }
    const { status, body } = await other.api('/mp4/api/event/start', init)
    expect([status, body.message]).to.eql([404, 'nobody publishes live/none'])
    await other.stop()
  })

  it('are marked, found again by name and time, renamed and unmarked', async () => {
    const tagTime = '2026-11-20T10:00:00.000Z'
    const tag = (await post(server, '/mp4/api/tag/add', { tagName: 'gate 100%', streamPath: 'live/a', tagTime })) as {
      id: number
    }
    expect(tag).to.include({ tagName: 'gate 100%', streamPath: 'live/a', tagTime })
    await post(server, '/mp4/api/tag/add', { tagName: 'door', streamPath: 'live/b', tagTime: '1795000000' })
    const list = async (query: string) => {
      const { list: tags, total } = (await server.api(`/mp4/api/tag/list?${query}`)).body as unknown as {
        list: { tagName: string }[]
        total: number
      }
      return [total, ...tags.map(({ tagName }) => tagName)]
    }
    expect(await list('')).to.eql([2, 'gate 100%', 'door'])
    expect(await list('count=1&page=2')).to.eql([2, 'door'])
    expect(await list(`tagName=${encodeURIComponent('0%')}`)).to.eql([1, 'gate 100%'])
    expect(await list('tagName=d*r')).to.eql([1, 'door'])
    expect(await list('streamPath=live/b')).to.eql([1, 'door'])
    expect(await list('start=2026-11-20T09:00:00Z&end=2026-11-20T11:00:00Z')).to.eql([1, 'gate 100%'])
    await post(server, `/mp4/api/tag/update/${tag.id}`, { tagName: 'gate' })
    expect(await list('streamPath=live/a')).to.eql([1, 'gate'])
    await post(server, `/mp4/api/tag/delete/${tag.id}`)
    expect((await server.api(`/mp4/api/tag/delete/${tag.id}`, { method: 'POST' })).status).to.equal(404)
    expect(await list('')).to.eql([1, 'door'])
  })
})
