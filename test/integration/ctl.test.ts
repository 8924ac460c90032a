import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect } from 'chai'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { CtlRunner } from '../support/ctl-runner.ts'
import { makeFlvFile } from '../support/flv-file.ts'
import { placeOf, type ListedFile } from '../support/recordings.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { rejectionOf } from '../support/rejection.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const STREAM = 'live/door'
type Json = Readonly<Record<string, unknown>>

describe('sluice ctl, of what is recorded and looked after', () => {
  let server: RunningServer
  let ctl: CtlRunner
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ config: 'snap: { subscribe: { waittimeout: 100ms } }' })
    ctl = new CtlRunner(server.http(''))
    const { tags } = await makeFlvFile(path.join(server.folder, 'clip.flv'), { durationSeconds: 2 })
    const publisher = await RtmpClient.publish({ url: server.rtmp(STREAM) })
    for (const tag of tags) publisher.send(tag)
    await waitFor(() => server.server.streams.get(STREAM)?.publisher?.tracks.length === 2)
  })
  after(() => server?.stop())

  const json = async (...args: string[]) => (await ctl.json(...args)) as Json
  const list = async (...args: string[]) => (await ctl.json(...args)) as readonly Json[]
  const lines = async (...args: string[]) => (await ctl.lines(...args)).map(stripVTControlCharacters)
  const complaint = async (...args: string[]) => String(await rejectionOf(ctl.json(...args)))

  describe('record', () => {
    it('starts, lists and stops recordings, whose file is there then', async () => {
      await ctl.json('record', 'start', STREAM, '--fragment', '0s', '--folder', 'doors')
      await ctl.json('record', 'start', STREAM, '--type', 'flv')
      expect((await list('record', 'list')).map(({ type, streamPath }) => [type, streamPath])).to.have.deep.members([
        ['mp4', STREAM],
        ['flv', STREAM],
      ])
      expect((await lines('record', 'list'))[0]).to.match(/^STREAM +TYPE +TASK +UP$/u)
      expect(await complaint('record', 'start', STREAM, '--folder', 'doors')).to.include('record exists')
      await waitFor(async () => (await list('recordings')).length === 2, { what: 'files' })
      expect(await lines('record', 'stop', STREAM, '--type', 'flv')).to.eql([`Stopped recording ${STREAM} as flv`])
      expect(await lines('record', 'stop', STREAM)).to.eql([`Stopped recording ${STREAM} as mp4`])
      expect(await complaint('record', 'stop', STREAM)).to.include('is not being recorded')

      const files = (await list('recordings', STREAM)) as readonly ListedFile[]
      expect(files.map(({ type, isActive }) => [type, isActive])).to.have.deep.members([
        ['mp4', false],
        ['flv', false],
      ])
      const file = files.find(({ type }) => type === 'mp4')!
      expect(file.filePath).to.match(/^doors\/live\/door\//u)
      expect((await stat(placeOf(server, file))).size).to.equal(Number(file.size))
    })

    it('lists what was recorded by path, type and time', async () => {
      expect(await list('recordings', 'live/*', '--type', 'flv')).to.have.length(1)
      expect(await list('recordings', 'live/none')).to.eql([])
      expect(await list('recordings', '--to', '2020-01-01T00:00:00Z')).to.eql([])
      expect(await list('recordings', '--from', '2020-01-01T00:00:00Z')).to.have.length(2)
      expect(await complaint('recordings', '--from', 'yesterday')).to.include('must be a time')
      const [titles, row] = await lines('recordings', STREAM, '--type', 'mp4')
      expect(titles).to.match(/^ID +STREAM +TYPE +FROM +LENGTH +SIZE +FILE$/u)
      expect(row).to.match(/^ *\d+ +live\/door +mp4 +\d{4}-\S+Z +[12]s +[\d.]+ kB +doors\/live\/door\/\S+\.mp4$/u)
    })

    it('removes a file, and says that there is none', async () => {
      const [file] = (await list('recordings', '--type', 'mp4')) as readonly ListedFile[]
      const remove = ['record', 'remove', STREAM, String(file?.id), '--yes']
      await ctl.json(...remove)
      expect(await list('recordings', '--type', 'mp4')).to.eql([])
      expect(await complaint(...remove)).to.include('has no mp4 recording')
    })

    it('says which types there are', async () => {
      expect(await complaint('record', 'start', STREAM, '--type', 'mkv')).to.include('mp4, flv, hls')
    })
  })

  describe('snap', () => {
    const isJpeg = (bytes: Buffer) => bytes.readUInt16BE(0) === 0xffd8

    it('writes a picture to a file, or to standard output', async () => {
      const file = path.join(server.folder, 'door.jpg')
      const written = await ctl.json('snap', STREAM, file)
      const picture = await readFile(file)
      expect([isJpeg(picture), written]).to.eql([true, { file, size: picture.length }])
      expect(isJpeg(await ctl.bytes('snap', STREAM, '-', '--watermark', 'Door'))).to.equal(true)
      expect(isJpeg(await ctl.bytes('snap', STREAM))).to.equal(true)
    })

    it('writes none to a terminal, and says what is wrong', async () => {
      expect(String(await rejectionOf(ctl.lines('snap', STREAM, '-')))).to.include('nothing for a terminal')
      expect(await complaint('snap', 'live/none')).to.include('nobody publishes live/none')
      const nowhere = path.join(server.folder, 'none', 'door.jpg')
      expect(await complaint('snap', STREAM, nowhere)).to.include("can't be written (ENOENT)")
    })
  })

  describe('plan', () => {
    it('adds plans, has them record streams, and removes them', async () => {
      const { id } = await json('plan', 'add', 'office', 'mon-fri 8-18', '--off')
      expect(await lines('plan', 'attach', String(id), STREAM, '--fragment', '10m')).to.eql([
        `Plan ${String(id)} records ${STREAM}`,
      ])
      const [titles, ...rows] = await lines('plans')
      expect(titles).to.match(/^ID +NAME +ON +HOURS$/u)
      expect(rows.at(-1)).to.match(/ office +no +mon-fri 8-18$/u)
      expect(await list('plan', 'streams', String(id))).to.have.nested.property('[0].fragment', '10m')
      await ctl.json('plan', 'on', String(id))
      expect((await list('plans')).at(-1)).to.include({ id, enable: true })
      await ctl.json('plan', 'detach', String(id), STREAM)
      expect(await complaint('plan', 'detach', String(id), STREAM)).to.include('does not record')
      await ctl.json('plan', 'remove', String(id))
      expect(await complaint('plan', 'remove', String(id))).to.include('there is no plan')
    })
  })

  describe('proxy', () => {
    it('adds proxies of both directions, tells their ids, and removes them', async () => {
      const { ID } = await json('proxy', 'add', 'gate', 'rtsp://127.0.0.1:1/a', '--stream', 'cam/gate', '--on-start')
      const [said] = await lines('proxy', 'add', 'out', 'rtmp://127.0.0.1:1/a/b', '--push', '--stream', STREAM)
      const { pull, push } = (await ctl.json('proxies')) as Record<string, Json[]>
      expect(pull).to.have.length(1)
      expect(pull?.[0]).to.include({ ID, name: 'gate', streamPath: 'cam/gate', audio: true, pullOnStart: true })
      expect(push?.[0]).to.include({ name: 'out', streamPath: STREAM, pushOnStart: false })
      expect(said).to.equal(`Added push proxy ${String(push?.[0]?.['ID'])}`)
      expect(await lines('proxy', 'remove', String(ID))).to.eql([`Removed pull proxy ${String(ID)}`])
      expect(await complaint('proxy', 'remove', String(ID))).to.include(`there is no pull proxy ${String(ID)}`)
      await ctl.json('proxy', 'remove', String(push?.[0]?.['ID']), '--push')
    })
  })

  describe('push', () => {
    it('sends a stream by the protocol of the address', async () => {
      await ctl.json('push', STREAM, server.rtsp('live/pushed'))
      expect(server.server.streams.get('live/pushed')?.publisher?.request.protocol).to.equal('rtsp')
      expect(await complaint('push', 'live/none', 'srt://127.0.0.1:1')).to.include('there is no stream live/none')
      expect(await complaint('push', STREAM, 'gopher://127.0.0.1/a')).to.include('protocol')
    })
  })

  describe('config', () => {
    it('tells a program what a change changed, and nothing else', async () => {
      const set = await json('config', 'set', 'rtmp.chunksize', '8192')
      expect(set).to.include.keys('revision', 'requires_restart', 'restart_keys')
      expect(set).to.deep.include({ changed: ['chunksize'], values: { chunksize: 8192 } })
      expect(set).not.to.have.any.keys('config', 'sources', 'inherited')
      expect((await json('config', 'set', 'rtmp.chunksize', '8192'))['changed']).to.eql([])
      expect((await json('config', 'reset', 'rtmp.chunksize'))['changed']).to.eql(['chunksize'])
    })
  })
})
