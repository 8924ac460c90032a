import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { listedFiles } from '../support/recordings.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'

const DEMO = { SLUICE_DEMO_ENABLE: 'true' }
const STREAM = 'live/demo'

const configText = (url: string) =>
  JSON.stringify({
    global: { armed: true, hook: { storage_lost: url, storage_back: url, record_start: url, record_end: url } },
    mp4: { onpub: { record: { '^live/demo$': { fragment: '1s', filepath: 'cams/{stream}' } } } },
  })

async function readiness(
  server: RunningServer,
): Promise<{ readonly status: string; readonly missing?: readonly string[] }> {
  const answer = await fetch(server.http('/readyz'))
  return JSON.parse(await answer.text())
}
const start = (server: RunningServer, type: string) =>
  server.api(`/${type}/api/start/${STREAM}`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  })

/** Makes the folder of recordings that of a disk, or a mount point without one, at once. */
async function mount(serverFolder: string, name: 'disk' | 'mount-point'): Promise<void> {
  const link = path.join(serverFolder, 'next')
  await symlink(path.join(serverFolder, name), link)
  await rename(link, path.join(serverFolder, 'recordings'))
}

describe('a storage of recordings', () => {
  it('that goes has nothing forgotten, says so, and is gone on with when it is back; the demo is recorded', async function () {
    requirePeer(this, 'ffmpeg')
    const receiver = await WebhookReceiver.start()
    const prepare = async (folder: string) => {
      for (const name of ['disk', 'mount-point']) await mkdir(path.join(folder, name))
      await mount(folder, 'disk')
    }
    const server = await startServer({ config: configText(receiver.url), env: DEMO, prepare })
    const files = () => listedFiles(server, 'mp4', STREAM)
    await waitFor(async () => (await files()).some(({ isActive }) => !isActive))

    await mount(server.folder, 'mount-point')
    const lost = await receiver.waitFor('storage_lost')
    expect(lost).to.include({ alarmType: 0x10010 })
    expect(await readiness(server)).to.eql({ status: 'not ready', missing: ['storage'] })
    expect(server.records.filter(({ msg }) => /storage cannot be used/u.test(msg))).to.have.length(1)
    const known = await waitFor(async () => {
      const listed = await files()
      return listed.every(({ isActive }) => !isActive) && listed
    })
    const refused = await start(server, 'flv')
    expect([refused.status, refused.body.message]).to.eql([502, 'the storage is not there at present'])
    const [oldest] = known
    const { status } = await server.api(`/mp4/api/delete/${STREAM}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ids: [oldest!.id] }),
    })
    expect(status).to.equal(503)
    expect((await fetch(server.http(`/mp4/download/${STREAM}.mp4?id=${oldest!.id}`))).status).to.equal(503)
    const picture = await fetch(server.http(`/snap/${STREAM}?savePath=door`))
    expect([picture.status, await picture.text()]).to.eql([503, 'the storage is not there at present'])
    expect((await files()).map(({ id }) => id)).to.include(oldest!.id)

    await mount(server.folder, 'disk')
    await receiver.waitFor('storage_back')
    expect(await readiness(server)).to.eql({ status: 'ready' })
    const lastId = Math.max(...known.map(({ id }) => id))
    await waitFor(async () => (await files()).some(({ id }) => id > lastId))
    expect((await fetch(server.http(`/mp4/download/${STREAM}.mp4?id=${oldest!.id}`))).status).to.equal(200)

    const [started, ended] = [await receiver.waitFor('record_start'), await receiver.waitFor('record_end')]
    expect(started.filePath).to.equal(oldest!.filePath)
    expect(started.alarmDesc).to.equal(`mp4 in ${oldest!.filePath}`)
    expect(ended.filePath).to.match(/^cams\/live\/demo\/[-\d]+\.mp4$/u)

    for (const target of [
      `flv/${STREAM}.flv`,
      `mp4/${STREAM}.mp4`,
      `flv/vod_mp4_1/${STREAM}.flv`,
      `hls/${STREAM}.m3u8`,
    ]) {
      const { status: answer } = await fetch(server.http(`/${target}?start=yesterday`))
      expect(answer, target).to.equal(400)
    }
  })

  it('that cannot be made is told at the start, and to whoever wants a recording', async function () {
    requirePeer(this, 'ffmpeg')
    const receiver = await WebhookReceiver.start()
    const prepare = (folder: string) => writeFile(path.join(folder, 'recordings'), 'no folder')
    for (const config of [configText(receiver.url), '']) {
      const server = await startServer({ config, env: DEMO, prepare })
      const isReady = { status: 'ready' }
      const notReady = { status: 'not ready', missing: ['storage'] }
      expect(await readiness(server)).to.eql(config === '' ? isReady : notReady)
      await waitFor(() => server.server.streams.get(STREAM) !== undefined)
      const picture = await fetch(server.http(`/snap/${STREAM}?savePath=door`))
      expect([picture.status, await picture.text()]).to.eql([
        503,
        "the picture could not be kept: the file can't be written: EEXIST",
      ])
      const { status, body } = await start(server, 'flv')
      expect(status).to.equal(502)
      expect(body.message).to.match(/EEXIST/u)
      const recorded = (await server.api('/api/record/list')).body.data as readonly { readonly type: string }[]
      expect(recorded.filter(({ type }) => type === 'flv')).to.eql([])
      await waitFor(async () => (await readiness(server)).status === 'not ready')
      const told = server.records.filter(({ msg }) => /storage cannot be used/u.test(msg))
      expect(told).to.have.length(1)
      expect(JSON.stringify(told)).to.contain(path.join(server.folder, 'recordings'))
      expect(server.records.filter(({ level }) => level === 'error')).to.have.length(1)
      await server.stop()
    }
  })
})
