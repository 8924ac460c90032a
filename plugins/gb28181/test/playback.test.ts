import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import type { GbDevice } from '../device/index.ts'
import { clipOf, faultOf, GbRig } from '../fixtures/rig.ts'

const END_MS = Math.floor(Date.now() / 1000) * 1000 - 600_000
const START_MS = END_MS - 600_000

/** MANSRTSP that a device was sent, by the lines that matter. */
function infosOf(device: GbDevice): string[] {
  return device.received
    .filter(({ method }) => method === 'INFO')
    .map(({ message }) => {
      const lines = message.body.toString('latin1').split('\r\n')
      const told = lines.filter((line) => /^(?:Scale|Range|PauseTime):/u.test(line))
      return [lines[0]!.split(' ')[0], ...told].join(' ')
    })
}

describe('recordings of devices', () => {
  async function playing(startMs = START_MS, endMs = END_MS) {
    const rig = await GbRig.start()
    const clip = await clipOf()
    const recordings = [{ start: new Date(START_MS), end: new Date(END_MS) }]
    const device = await rig.registered({ source: clip, recordings })
    const path = `gb_7/${rig.pathOf(device)}`
    const viewer = rig.watch(`${path}?start=${startMs}&end=${endMs}`)
    await viewer.received.wait(30)
    return { rig, clip, device, path, viewer }
  }

  it('are played from a time to another, in order', async () => {
    const { rig, clip, device, viewer } = await playing()
    expect(faultOf(viewer.received.frames, clip)).to.equal(undefined)
    const invite = device.received.find(({ method }) => method === 'INVITE')!.message.body.toString()
    expect(invite).to.match(/^s=Playback\r$/mu)
    expect(invite).to.include(`t=${START_MS / 1000} ${END_MS / 1000}\r\n`)
    expect(invite).to.include(`u=${device.channels[0]!.id}:0\r\n`)
    expect(invite).to.match(/^y=1\d{9}\r$/mu)
    viewer.close()
    await waitFor(() => device.sessions.length === 0)
    await rig.isAtRest()
  })

  it('are paused, resumed, sought and played at other speeds by the API, as any recording', async () => {
    const { rig, device, path, viewer } = await playing()
    const steer = async (what: string, query = '') => {
      const { body } = await rig.api(`playback/${what}?streamPath=${path}${query}`)
      expect(body, what).to.include({ code: 0 })
    }
    await steer('pause')
    const paused = viewer.received.frames.length
    await steer('resume')
    await viewer.received.wait(paused + 20)
    await steer('speed', '&speed=4')
    const fast = viewer.received.frames.length
    await viewer.received.wait(fast + 50)
    await steer('speed', '&speed=0.5')
    await steer('speed', '&speed=1')
    await steer('seek', `&seekTime=${START_MS / 1000 + 100}`)
    await viewer.received.wait(viewer.received.frames.length + 20)
    expect(infosOf(device)).to.eql([
      'PAUSE PauseTime: now',
      'PLAY Range: npt=now-',
      'PLAY Scale: 4',
      'PLAY Scale: 0.5',
      'PLAY Scale: 1',
      'PLAY Range: npt=100-',
    ])
    // Time goes on for viewers, whatever is done to it.
    const times = viewer.received.frames.filter(({ kind }) => kind === 'video').map(({ dtsMs }) => dtsMs)
    for (const [index, time] of times.slice(1).entries()) expect(time - times[index]!).to.be.within(0, 2000)
    expect((await rig.api(`playback/speed?streamPath=${path}&speed=3`)).body.code).to.equal(400)
  })

  it('end when the device says so, and the viewer with them', async () => {
    const { rig, device, viewer } = await playing(END_MS - 2000, END_MS)
    await viewer.ended
    expect(viewer.received.frames.filter(({ kind }) => kind === 'video').length).to.be.within(48, 52)
    expect(device.received.filter(({ method }) => method === 'INVITE')).to.have.length(1)
    await rig.isAtRest()
  })

  it('are downloaded into the recordings of the server, faster than they were made', async () => {
    const rig = await GbRig.start()
    const clip = await clipOf()
    const recordings = [{ start: new Date(START_MS), end: new Date(END_MS) }]
    const device = await rig.registered({ source: clip, recordings })
    const endMs = START_MS + 8000
    const ask = () => rig.api(`download/${rig.pathOf(device)}?start=${START_MS}&end=${endMs}&downloadSpeed=4`)
    const begun = (await ask()).body as unknown as { code: number; data: { downloadId: string; downloadUrl: string } }
    const { downloadId, downloadUrl } = begun.data
    expect(begun.code).to.equal(0)
    expect(downloadId).to.equal(`${device.id}_${device.channels[0]!.id}_${START_MS / 1000}_${endMs / 1000}`)
    expect((await ask()).body.code).to.equal(200)
    const seen: number[] = []
    const done = await waitFor(async () => {
      const { data } = (await rig.api(`download/progress/${downloadId}`)).body as { data: Record<string, unknown> }
      seen.push(Number(data['progress']))
      expect(data['status']).not.to.equal('failed')
      return data['status'] === 'completed' ? data : undefined
    })
    expect(seen).to.eql(seen.toSorted((one, other) => one - other))
    expect(seen.some((percent) => percent > 0 && percent < 100)).to.equal(true)
    expect(done).to.include({ progress: 100, downloadUrl })
    expect(Number(done['totalBytes'])).to.be.greaterThan(100_000)
    const file = await fetch(rig.server.http(downloadUrl))
    const bytes = Buffer.from(await file.arrayBuffer())
    expect([file.status, bytes.toString('latin1', 4, 8)]).to.eql([200, 'ftyp'])
    // It leads to the recording, below the path of a proxy, too, and takes along what the gates there ask for.
    const led = await fetch(rig.server.http(`${downloadUrl}&secret=s&expire=e`), { redirect: 'manual' })
    expect(led.headers.get('location')).to.match(/^\.\.\/mp4\/download\/[^?]+\?secret=s&expire=e&id=\d+$/u)
    const invite = device.received.find(({ method }) => method === 'INVITE')!.message.body.toString()
    expect(invite).to.match(/^s=Download\r$/mu)
    expect(invite).to.include('a=downloadspeed:4\r\n')
    await rig.isAtRest()
    const listed = (await rig.server.api(`/mp4/api/list/gb_download/${downloadId}?pageSize=10`)).body
    expect(JSON.stringify(listed)).to.include(downloadId)
  })

  it('are downloads that fail when they are stopped before their end', async () => {
    const rig = await GbRig.start()
    const device = await rig.registered({
      source: await clipOf(),
      recordings: [{ start: new Date(START_MS), end: new Date(END_MS) }],
    })
    const none = await rig.api(`download/${rig.pathOf(device)}?start=${START_MS}&end=${START_MS}`)
    expect(none.body.code).to.equal(400)
    const { data } = (await rig.api(`download/${rig.pathOf(device)}?start=${START_MS}&end=${END_MS}`)).body as {
      data: { downloadId: string }
    }
    const statusOf = async () =>
      ((await rig.api(`download/progress/${data.downloadId}`)).body.data as { status: string }).status
    await waitFor(async () => (await statusOf()) === 'downloading')
    rig.server.server.streams.get(`gb_download/${data.downloadId}`)?.publisher?.close('an operator has stopped it')
    await waitFor(async () => (await statusOf()) === 'failed')
    await rig.isAtRest()
  })

  it('are downloads that fail when the device refuses', async () => {
    const rig = await GbRig.start()
    const device = await rig.registered({ source: await clipOf(), quirks: ['refuse=404'] })
    const { data } = (await rig.api(`download/${rig.pathOf(device)}?start=${START_MS}&end=${END_MS}`)).body as {
      data: { downloadId: string }
    }
    await waitFor(async () => {
      const { body } = await rig.api(`download/progress/${data.downloadId}`)
      const { status, error } = body.data as { status: string; error: string }
      return status === 'failed' && error.includes('404')
    })
    expect((await fetch(rig.server.http(`/gb28181/download?downloadId=${data.downloadId}`))).status).to.equal(404)
    await rig.isAtRest()
  })
})
